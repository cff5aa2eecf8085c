//! Answers from a remote, which are those of a store with the same runs.

use crate::fleet::{Fleet, Machine, ids};
use perftest_core::model::{
    BenchmarkId, CodeState, Measurement, Metric, Reason, Revision, Run, RunId,
};
use perftest_store::conformance::{example_run, resealed};
use perftest_store::{Digest, Store};
use perftest_tests::git;
use std::fs;

/// Questions with an answer that has no present time in it.
const QUESTIONS: [&[&str]; 15] = [
    &["history", "--json"],
    &["history", "frame::encode", "--json", "--limit", "7"],
    &["history", "--errors", "--json"],
    &["show", "frame::encode", "--json"],
    &["changepoints", "--json"],
    &["changepoints", "frame::encode", "--temporary"],
    &["changepoints", "--json", "--branch", "*", "--metric", "cpu"],
    &["rank", "--json"],
    &["rank", "--by", "dispersion", "--json"],
    &["rank", "--by", "p99", "--json"],
    &["drift", "--json", "--all"],
    &["power", "--json"],
    &["check", "--json", "--branch", "main", "--all", "--reevaluate"],
    &["export", "csv"],
    &["export", "jsonl"],
];

const RULES: &str = "\
[[threshold]]
name = \"latency\"
test = \"t_test\"
upper = 0.99
min_sample_size = 5
minimum_effect = \"5%\"
";

/// Three tests; one of them has two metrics and became slower after half of its runs.
fn fill(machine: &Machine, ordinals: std::ops::Range<u64>) {
    for ordinal in ordinals {
        let revision = Revision {
            commit: format!("{ordinal:040x}"),
            branch: "main".into(),
            order: example_run(ordinal).started_ms / 1000,
            dirty: false,
            ..Revision::default()
        };
        let level = if ordinal < 40 { 100.0 } else { 130.0 };
        let value = level + (ordinal * 7 % 10) as f64 / 10.0;
        let measurements = [0.0, 0.1, 0.3].map(|it| Measurement::of_value(value + it)).to_vec();
        let run = Run {
            revision,
            measurements,
            suspects: vec![],
            on_processor_time: vec![],
            ..example_run(ordinal)
        };
        let named = |name: &str| Run { benchmark: BenchmarkId::from_recorded(name), ..run.clone() };
        let cpu = Metric { name: "cpu".into(), ..Metric::wall() };
        let all = [
            run.clone(),
            Run { metric: cpu, ..run.clone() },
            named("codec::frame::größe"),
            Run { testbed: "ci/aaaa".into(), ..named("codec::frame::encode") },
        ];
        all.iter().for_each(|run| machine.store().append(run).unwrap());
    }
}

/// Code, answer and errors.
fn asked(machine: &Machine, question: &[&str], source: &[&str]) -> (Option<i32>, String, String) {
    let output = machine.run(&[question, source].concat());
    (output.code, output.stdout, output.stderr)
}

fn asked_there(machine: &Machine, question: &[&str]) -> (Option<i32>, String, String) {
    asked(machine, question, &["--remote", &machine.address])
}

pub(crate) fn a_remote_answers_as_a_store_with_the_same_runs(fleet: &Fleet) {
    let one = fleet.machine("one");
    fs::write(one.clone.join("perftest.toml"), RULES).unwrap();
    fill(&one, 0..50);
    one.push();
    fill(&one, 50..80);
    one.push();
    for question in QUESTIONS {
        let (there, here) = (asked_there(&one, question), asked(&one, question, &[]));
        assert_eq!(there, here, "{question:?}");
        assert!(!here.1.is_empty(), "{question:?}: {}", here.2);
    }
    let changes = asked_there(&one, &["changepoints", "--json"]).1;
    assert!(changes.contains("\"event\":\"change\""), "{changes}");
}

pub(crate) fn a_check_of_a_remote_keeps_the_results_of_earlier_rules_and_stores_none(
    fleet: &Fleet,
) {
    let one = fleet.machine("one");
    let rules = one.clone.join("perftest.toml");
    fs::write(&rules, RULES).unwrap();
    fill(&one, 0..60);
    let check = ["check", "--json", "--branch", "main"];
    assert!(asked(&one, &check, &[]).1.contains("\"state\":\"open\""));
    one.push();
    // By this rule alone nothing would be open.
    fs::write(&rules, RULES.replace("\"5%\"", "\"90%\"")).unwrap();
    let alerts = |answer: &str| -> Vec<String> {
        let alerts = answer.lines().filter(|line| line.contains("\"event\":\"alert\""));
        alerts.map(str::to_owned).collect()
    };
    let (code, answer, _) = asked_there(&one, &check);
    assert_eq!(code, Some(1));
    assert_eq!(alerts(&answer), alerts(&asked(&one, &check, &[]).1));
    assert!(answer.contains("a remote is only read"), "{answer}");
}

pub(crate) fn a_report_of_a_remote_is_that_of_a_store_with_the_same_runs(fleet: &Fleet) {
    let one = fleet.machine("one");
    fill(&one, 0..30);
    one.push();
    let report = |source: &[&str]| {
        let (code, page, errors) = asked(&one, &["report", "--out", "-"], source);
        assert_eq!((code, errors), (Some(0), String::new()));
        without_time(&page)
    };
    assert_eq!(report(&["--remote", &one.address]), report(&[]));
}

/// The page without the time when it was made.
fn without_time(page: &str) -> String {
    let (before, rest) = page.split_once("\"made_s\":").unwrap();
    let rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    format!("{before}{rest}")
}

pub(crate) fn a_question_changes_nothing_here_and_nothing_there(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    fs::write(other.clone.join("perftest.toml"), RULES).unwrap();
    fill(&one, 0..30);
    one.push();
    let before = fleet.lines();
    for question in QUESTIONS {
        let (code, answer, errors) = asked_there(&other, question);
        assert!(matches!(code, Some(0 | 1)), "{question:?}: {errors}");
        assert!(!answer.is_empty(), "{question:?}");
    }
    assert_eq!((fleet.lines(), other.store.exists()), (before, false));
    // Nobody else found a judgement there either.
    one.exchange("pull", &["--all"]);
    assert!(!one.project().directory(&one.store).join("judgements").exists());
}

pub(crate) fn a_remote_is_asked_by_the_name_that_all_clones_share(fleet: &Fleet) {
    let [one, late] = ["one", "late"].map(|name| fleet.machine(name));
    one.append(0..3);
    one.push();
    // Its own runs are from before its repository had an origin.
    git(&late.clone, &["remote", "remove", "origin"]);
    let decode = BenchmarkId::from_recorded("codec::frame::decode");
    let before = Run { benchmark: decode, revision: Revision::default(), ..example_run(9) };
    late.store().append(&before).unwrap();
    git(&late.clone, &["remote", "add", "origin", fleet.origin().to_str().unwrap()]);
    let (code, answer, error) = asked_there(&late, &["history"]);
    assert!(code == Some(0) && answer.contains("codec::frame::encode"), "{answer}{error}");
    assert!(!answer.contains("decode"), "{answer}");
}

pub(crate) fn profiles_of_this_machine_are_beside_the_runs_of_a_remote_whatever_name_the_history_here_has(
    fleet: &Fleet,
) {
    let [one, late] = ["one", "late"].map(|name| fleet.machine(name));
    let mut slower = example_run(0);
    slower.code = CodeState { executable: "abc".to_owned(), ..CodeState::default() };
    slower.evidence.as_mut().unwrap().reason = Reason::Red;
    one.store().append(&slower).unwrap();
    one.push();
    git(&late.clone, &["remote", "remove", "origin"]);
    let before = Run { revision: Revision::default(), ..example_run(9) };
    late.store().append(&before).unwrap();
    let digest = |text: &str| Digest::of(text.as_bytes()).hex16();
    let test = digest(&format!("{}\n{}", slower.testbed, slower.benchmark));
    let file = format!("profiles/{test}-wall-{}.lz4", digest("abc"));
    let file = late.project().directory(&late.store).join(file);
    let text = b"main;encode 1000\n";
    let packed = [&(text.len() as u64).to_le_bytes()[..], &lz4_flex::block::compress(text)];
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(file, packed.concat()).unwrap();
    git(&late.clone, &["remote", "add", "origin", fleet.origin().to_str().unwrap()]);
    let (code, _, error) = asked_there(&late, &["report", "--out", "report.html"]);
    assert_eq!(code, Some(0), "{error}");
    let pages = fs::read_dir(late.clone.join("report-profiles")).map(Iterator::count);
    assert_eq!(pages.ok(), Some(1), "{error}");
}

pub(crate) fn a_remote_without_this_project_is_named(fleet: &Fleet) {
    fleet.push_another_project();
    let one = fleet.machine("one");
    for question in [&["history"][..], &["changepoints"], &["rank"], &["drift"]] {
        let (code, answer, _) = asked_there(&one, question);
        assert_eq!(code, Some(0), "{question:?}: {answer}");
        let looked_in = format!("looked in {}", one.address);
        assert!(answer.contains(&looked_in), "{question:?}: {answer}");
    }
}

pub(crate) fn a_place_that_does_not_exist_is_an_error_until_a_push_makes_it(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    fs::write(one.clone.join("perftest.toml"), RULES).unwrap();
    let make = format!("make it: cargo perftest push {}\n", one.address);
    if fleet.kind.is_made_by_a_push() {
        for question in
            [&["history"][..], &["history", "encode"], &["check"], &["report"], &["drift"]]
        {
            let (code, answer, error) = asked_there(&one, question);
            assert_eq!((code, answer), (Some(5), String::new()), "{question:?}: {error}");
            assert!(
                error.starts_with("error: ") && error.ends_with(&make),
                "{question:?}: {error}"
            );
        }
        // The first job of a CI system has to go on.
        let (code, answer, _) = one.ends("pull", &[]);
        assert!(code == 0 && answer.ends_with(&make), "{answer}");
        let (code, answer, _) = one.ends("push", &["--dry-run"]);
        assert!(code == 0 && answer.starts_with("3 records"), "{answer}");
    }
    one.push();
    let (code, answer, error) = asked_there(&one, &["history"]);
    assert!(code == Some(0) && answer.contains("codec::frame::encode"), "{error}");
}

pub(crate) fn a_remote_that_is_gone_is_an_error_and_no_empty_answer(fleet: &Fleet) {
    let one = fleet.machine("one");
    fs::write(one.clone.join("perftest.toml"), RULES).unwrap();
    one.append(0..3);
    one.push();
    let gone = fleet.move_away();
    for question in QUESTIONS {
        let (code, answer, error) = asked(&one, question, &["--remote", &gone]);
        assert_eq!((code, answer), (Some(5), String::new()), "{question:?}: {error}");
        assert!(error.starts_with("error: ") && error.len() < 500, "{question:?}: {error}");
    }
    fleet.move_back();
}

pub(crate) fn a_damaged_record_of_a_remote_costs_only_itself(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    fleet.change(|text| text.replacen("\"wall\"", "\"walk\"", 1) + "garbage\n");
    let (code, answer, warnings) = asked_there(&one, &["history", "encode", "--json"]);
    assert_eq!((code, answer.lines().count()), (Some(0), 2), "{warnings}");
    assert!(warnings.contains(":1)") && warnings.contains(":4)"), "{warnings}");
    assert!(ids([1, 2]).iter().all(|id| answer.contains(id.as_str())), "{answer}");
    let (code, answer, _) = asked_there(&one, &["changepoints", "--json"]);
    assert!(code == Some(0) && answer.contains("\"runs\":2"), "{answer}");
}

pub(crate) fn a_history_of_another_version_in_a_remote_costs_only_itself(fleet: &Fleet) {
    let one = fleet.machine("one");
    let decode =
        Run { benchmark: BenchmarkId::from_recorded("codec::frame::decode"), ..example_run(0) };
    one.append([0]);
    one.store().append(&decode).unwrap();
    one.push();
    fleet.change(|text| text + "{\"v\":200}\n");
    let (code, answer, error) = asked_there(&one, &["history", "--json"]);
    assert_eq!((code, answer.lines().count()), (Some(5), 1), "{answer}");
    assert!(answer.contains("frame::decode"), "{answer}");
    assert!(error.contains("codec-frame-encode") && error.contains("format 200"), "{error}");
}

pub(crate) fn a_history_longer_than_one_part_is_read_whole(fleet: &Fleet) {
    let one = fleet.machine("one");
    let example = example_run(0);
    // Small, because many of them are written.
    let run = Run {
        testbed: example.testbed.clone(),
        measurements: vec![Measurement::of_value(100.0)],
        ..Run::blank(example.id.clone(), example.benchmark, Metric::wall())
    };
    one.store().append(&run).unwrap();
    let line = fs::read_to_string(one.history_file()).unwrap();
    let id = |ordinal: u64| RunId::new(example.started_ms + ordinal, u128::from(ordinal));
    let with = |ordinal| resealed(&line.replacen(run.id.as_str(), id(ordinal).as_str(), 1));
    // Two metrics in turns, so that half of a part may be of the other one.
    let other = |line: String| resealed(&line.replacen("\"wall\"", "\"cpu\"", 1));
    let text: String = (1..=6_000).flat_map(|it| [with(it), other(with(it))]).collect();
    fs::write(one.history_file(), text).unwrap();
    one.push();
    let (_, answer, _) = asked_there(&one, &["history", "--json", "--limit", "100000"]);
    let counts = answer.lines().filter(|line| line.contains("\"runs\":6000")).count();
    assert_eq!(counts, 2, "{}", &answer[..answer.len().min(300)]);
    let (_, answer, _) = asked_there(&one, &["history", "--json", "--limit", "5500"]);
    assert_eq!(answer.lines().filter(|line| line.contains("\"runs\":5500")).count(), 2);
}
