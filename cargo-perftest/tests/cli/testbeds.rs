//! `cargo perftest testbeds`: which machines share a history, and what follows from that.

use crate::bench::{Bench, line_with, measured};
use perftest_core::model::{Evidence, Measurement, Run, RunId};
use perftest_store::conformance::example_run;
use perftest_store::{Annotation, Store, TestbedChange, TestbedDecision};
use perftest_tests::Outcome;
use std::fs;

const ONE: &str = "ci/aaaa";
const OTHER: &str = "ci/bbbb";
const EPYC_7763: (&str, &str) = ("00000000000077aa", "AMD EPYC 7763");
const EPYC_9V74: (&str, &str) = ("00000000000094aa", "AMD EPYC 9V74");

/// Runs of two machines behind one label, the second one with a processor that is slower by half.
fn fleet(name: &str, processors: [(&str, &str); 2]) -> Bench {
    let bench = Bench::new(name);
    for (hash, processor) in processors {
        let json = format!("{{\"machine\":\"machine/2|arch=x86_64|cpu={processor}|cpus=4\"}}\n");
        bench.store().annotate(Annotation::Context { hash, json: &json }).unwrap();
    }
    for ordinal in 0..24 {
        let (testbed, (context, _), value) = match ordinal % 2 {
            0 => (ONE, processors[0], 100.0),
            _ => (OTHER, processors[1], 150.0),
        };
        bench.append(&Run {
            testbed: testbed.into(),
            context: context.into(),
            evidence: Some(Evidence { now: None, ..example_run(ordinal).evidence.unwrap() }),
            ..measured(ordinal, vec![Measurement::of_value(value); 4])
        });
    }
    bench
}

fn rows(bench: &Bench) -> Vec<String> {
    let table = bench.answer(&["history"]);
    table.lines().skip(1).map(str::to_owned).collect()
}

/// Code and warnings of a command, with its answer.
fn decide(bench: &Bench, args: &[&str]) -> (String, String) {
    let output = bench.run(&[&["testbeds"], args].concat()).ended_with(0);
    (output.stdout, output.stderr)
}

#[test]
fn every_testbed_is_listed_with_its_processor_and_its_runs() {
    let bench = fleet("testbeds", [EPYC_7763, EPYC_9V74]);
    let table = bench.answer(&["testbeds"]);
    for part in ["AMD EPYC 7763", "  1    12  ", "2026-01-01 00:00", "2026-01-01 00:22"] {
        assert!(line_with(&table, ONE).contains(part), "{part} in {table}");
    }
    let lines = bench.json(&["testbeds", "--json"]);
    assert_eq!(lines.len(), 2);
    let other = &lines[1];
    assert_eq!((&other["testbed"], &other["runs"]), (&OTHER.into(), &12.into()));
    assert_eq!((&other["label"], &other["fingerprint"]), (&"ci".into(), &"bbbb".into()));
    assert_eq!((&other["processor"], &other["tests"]), (&EPYC_9V74.1.into(), &1.into()));
    assert_eq!(other["is_this_machine"], false);
    assert!(Bench::new("testbeds-none").answer(&["testbeds"]).contains("nothing is recorded"));
}

#[test]
fn a_new_decision_holds_though_the_clock_of_the_machine_before_was_ahead() {
    let bench = fleet("testbeds-ahead", [EPYC_7763, EPYC_9V74]);
    let ahead_ms = 4_000_000_000_000;
    let ahead = TestbedDecision {
        id: RunId::new(ahead_ms, 1).to_string(),
        testbed: ONE.into(),
        change: TestbedChange::ReadAs("ci/y".into()),
        given_ms: ahead_ms,
    };
    bench.store().annotate(Annotation::Testbed(&ahead)).unwrap();
    decide(&bench, &["rename", "ci/y", "ci/z"]);
    let testbeds = bench.store().decisions().unwrap().value.testbeds;
    assert_eq!(testbeds.name_of(ONE), "ci/z");
    let newest = testbeds.decisions().last().unwrap();
    assert!(newest.id.starts_with(RunId::time_in(RunId::new(ahead_ms + 1, 0).as_str())));
    assert!(newest.given_ms < ahead_ms, "runs until then are retired by a retirement");
}

#[test]
fn the_testbed_of_this_machine_is_marked() {
    let bench = fleet("testbeds-here", [EPYC_7763, EPYC_9V74]);
    let machine = &bench.json(&["machine", "--json"])[0];
    let testbed = machine["testbed"].as_str().unwrap();
    bench.append(&Run { testbed: testbed.into(), ..example_run(30) });
    let table = bench.answer(&["testbeds"]);
    assert!(line_with(&table, testbed).ends_with("this machine"), "{table}");
    assert!(!line_with(&table, ONE).contains("this machine"), "{table}");
}

#[test]
fn two_processors_behind_one_label_never_mix_until_it_is_decided_with_a_warning() {
    let bench = fleet("testbeds-mix", [EPYC_7763, EPYC_9V74]);
    assert_eq!(rows(&bench).len(), 2);
    for (testbed, value) in [(ONE, "100.0 ns"), (OTHER, "150.0 ns")] {
        let history = bench.answer(&["history"]);
        let row = line_with(&history, testbed);
        assert!(row.contains(" 12 ") && row.contains(value), "{row}");
    }
    let (answer, warning) = decide(&bench, &["merge", ONE, OTHER]);
    assert!(answer.contains("share the history ci/aaaa"), "{answer}");
    for part in ["warning:", "AMD EPYC 7763", "AMD EPYC 9V74", "may differ"] {
        assert!(warning.contains(part), "{warning}");
    }
    let rows = rows(&bench);
    assert!(rows.len() == 1 && rows[0].contains(ONE) && rows[0].contains(" 24 "), "{rows:?}");
    let table = bench.answer(&["testbeds"]);
    assert!(line_with(&table, OTHER).ends_with("read as ci/aaaa"), "{table}");
}

#[test]
fn runners_with_one_processor_share_a_history_without_a_warning() {
    let bench = fleet("testbeds-equal", [EPYC_7763, ("00000000000077bb", EPYC_7763.1)]);
    assert_eq!(decide(&bench, &["merge", ONE, OTHER]).1, "");
    assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 24);
    let (code, text) = bench.refusal(&["testbeds", "merge", OTHER, ONE]);
    assert!(code == 2 && text.contains("share one history already"), "{text}");
}

#[test]
fn a_testbed_has_its_new_name_everywhere_and_its_acceptances_with_it() {
    let bench = fleet("testbeds-rename", [EPYC_7763, EPYC_9V74]);
    let accept = ["accept", "encode", "--max-ratio", "1.2", "--reason", "x", "--testbed", ONE];
    bench.answer(&accept);
    decide(&bench, &["rename", ONE, "ubuntu-24.04/aaaa"]);
    let rows = rows(&bench);
    assert!(rows.iter().any(|row| row.contains("ubuntu-24.04/aaaa")), "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains(ONE)), "{rows:?}");
    let accepted = bench.answer(&["accept", "--list"]);
    assert!(
        accepted.contains("ubuntu-24.04/aaaa") && !accepted.contains("no such test"),
        "{accepted}"
    );
    // A machine whose label is the old one stays in the history.
    bench.append(&Run { testbed: ONE.into(), ..example_run(40) });
    bench.append(&Run { testbed: "ubuntu-24.04/aaaa".into(), ..example_run(41) });
    let runs = bench.json(&["history", "encode", "--json"]);
    let of_new = runs.iter().filter(|run| run["testbed"] == "ubuntu-24.04/aaaa");
    assert_eq!(of_new.count(), 14);
    decide(&bench, &["restore", ONE]);
    assert_eq!(self::rows(&bench).len(), 3);
}

#[test]
fn a_name_that_is_taken_unknown_or_none_is_refused_with_what_to_do() {
    let bench = fleet("testbeds-refused", [EPYC_7763, EPYC_9V74]);
    for (args, part) in [
        (&["rename", ONE, OTHER][..], "cargo perftest testbeds merge ci/bbbb ci/aaaa"),
        (&["rename", "ci/none", "ci/new"], "there are: ci/aaaa, ci/bbbb"),
        (&["rename", ONE, "new"], "with one `/` between them"),
        (&["rename", ONE, "show-only/ci/aaaa"], "with one `/` between them"),
        (&["rename", ONE, ONE], "has this name already"),
        (&["merge", ONE, "ci/none"], "there are: ci/aaaa, ci/bbbb"),
        (&["retire", "ci/none"], "there are: ci/aaaa, ci/bbbb"),
        (&["restore", ONE], "nothing is decided about `ci/aaaa`"),
    ] {
        let (code, text) = bench.refusal(&[&["testbeds"], args].concat());
        assert!(code == 2 && text.contains(part), "{args:?}: {text}");
    }
    let mut retire = bench.command();
    retire.args(["testbeds", "retire", ONE]).env("PERFTEST_STORE", "read-only");
    retire.env("XDG_STATE_HOME", bench.root.join("store"));
    Outcome::of(&mut retire).ended_with(2);
}

#[test]
fn a_retired_testbed_is_in_no_answer_and_comes_back_unchanged() {
    let bench = fleet("testbeds-retire", [EPYC_7763, EPYC_9V74]);
    let asked = [&["history"][..], &["power"], &["drift", "--all"]];
    let answers = || asked.map(|args| bench.run(args).stdout);
    let (before, file) = (answers(), fs::read(bench.history_file("codec-frame-encode")).unwrap());
    let (answer, _) = decide(&bench, &["retire", OTHER]);
    assert!(answer.contains("12 runs of ci/bbbb are left out; nothing is deleted"), "{answer}");
    for text in answers() {
        assert!(text.contains(ONE) && !text.contains(OTHER), "{text}");
    }
    let report = bench.root.join("report.html");
    bench.answer(&["report", "--out", report.to_str().unwrap()]);
    assert!(!fs::read_to_string(report).unwrap().contains(OTHER));
    let table = bench.answer(&["testbeds"]);
    assert!(line_with(&table, OTHER).contains("retired up to 20"), "{table}");
    decide(&bench, &["restore", OTHER]);
    assert_eq!(answers(), before);
    assert_eq!(fs::read(bench.history_file("codec-frame-encode")).unwrap(), file);
}

#[test]
fn a_machine_that_runs_again_begins_a_new_history() {
    let bench = fleet("testbeds-again", [EPYC_7763, EPYC_9V74]);
    decide(&bench, &["retire", ONE]);
    let (now, seconds) = (std::time::SystemTime::now(), 60);
    let later = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    let started_ms = later + 1_000 * seconds;
    bench.append(&Run { testbed: ONE.into(), started_ms, ..example_run(50) });
    let history = bench.answer(&["history"]);
    assert!(line_with(&history, ONE).contains(" 1 "), "{history}");
}

/// Runs the command that an answer prints as the way back.
fn take_back(bench: &Bench, answer: &str) -> String {
    let command = line_with(answer, "take it back with: ").rsplit(": ").next().unwrap();
    let args: Vec<&str> = command.split(' ').skip(3).collect();
    decide(bench, &args).0
}

#[test]
fn what_is_taken_back_is_the_newest_decision_alone() {
    let bench = fleet("testbeds-newest", [EPYC_7763, EPYC_9V74]);
    let note = |testbed: &str| {
        let table = bench.answer(&["testbeds"]);
        line_with(&table, testbed).to_owned()
    };
    let (merged, _) = decide(&bench, &["merge", ONE, OTHER]);
    let (retired, _) = decide(&bench, &["retire", OTHER]);
    assert!(note(OTHER).contains("retired up to"));
    let restored = take_back(&bench, &retired);
    assert!(!note(OTHER).contains("retired") && note(OTHER).ends_with("read as ci/aaaa"));
    for part in
        ["no longer retired", "ci/bbbb is still read as ci/aaaa", "testbeds restore ci/bbbb"]
    {
        assert!(restored.contains(part), "{part} in {restored}");
    }
    let (renamed, _) = decide(&bench, &["rename", OTHER, "ci/new"]);
    assert!(note(OTHER).ends_with("read as ci/new"));
    take_back(&bench, &renamed);
    assert!(note(OTHER).ends_with("read as ci/aaaa"));
    let restored = take_back(&bench, &merged);
    assert_eq!(restored, "ci/bbbb is no longer read as ci/aaaa\n");
    assert!(!note(OTHER).contains("read as"));
}

#[test]
fn a_testbed_that_leaves_a_retired_history_stays_retired_until_that_is_taken_back_too() {
    let bench = fleet("testbeds-leaves", [EPYC_7763, EPYC_9V74]);
    let note = |testbed: &str| {
        let table = bench.answer(&["testbeds"]);
        line_with(&table, testbed).to_owned()
    };
    let both = rows(&bench);
    decide(&bench, &["merge", ONE, OTHER]);
    let (retired, _) = decide(&bench, &["retire", ONE]);
    assert!(retired.contains("24 runs of ci/aaaa are left out"), "{retired}");
    let (separated, _) = decide(&bench, &["restore", OTHER]);
    for part in ["ci/bbbb is no longer read as ci/aaaa", "ci/bbbb is still retired up to 20"] {
        assert!(separated.contains(part), "{part} in {separated}");
    }
    let of_pool = note(ONE);
    assert!(!note(OTHER).contains("read as") && of_pool.contains("retired up to"));
    let end = |line: &str| line.rsplit("retired up to ").next().unwrap().to_owned();
    assert_eq!(end(&note(OTHER)), end(&of_pool), "the same runs are left out");
    let history = bench.answer(&["history"]);
    assert!(!history.contains(ONE) && !history.contains(OTHER), "{history}");
    take_back(&bench, &separated);
    let rows = rows(&bench);
    assert!(rows.len() == 1 && rows[0].contains(OTHER), "{rows:?}");
    decide(&bench, &["restore", ONE]);
    assert_eq!(self::rows(&bench), both);
}

#[test]
fn all_testbeds_that_leave_a_retired_history_by_one_decision_stay_retired() {
    let bench = fleet("testbeds-leave", [EPYC_7763, EPYC_9V74]);
    bench.append(&Run { testbed: "ci/cccc".into(), ..example_run(24) });
    let both = rows(&bench).len();
    // The first one takes the second one along.
    decide(&bench, &["merge", "ci/cccc", OTHER]);
    decide(&bench, &["merge", ONE, OTHER]);
    decide(&bench, &["retire", ONE]);
    decide(&bench, &["restore", "ci/cccc"]);
    let table = bench.answer(&["testbeds"]);
    for testbed in [ONE, OTHER, "ci/cccc"] {
        assert!(line_with(&table, testbed).contains("retired up to"), "{testbed} in {table}");
    }
    assert!(!line_with(&table, "ci/cccc").contains("read as"), "{table}");
    // Each is taken back as the others are.
    decide(&bench, &["restore", "ci/cccc"]);
    assert_eq!((both, rows(&bench).len()), (3, 1));
}
