//! Old runs become summaries, and nothing that anything stands on is lost.

use crate::bench::{Bench, ids, open};
use perftest_core::model::{Acceptance, BenchmarkPattern, Interval, Measurement, Metric, Run, Tag};
use perftest_store::conformance::example_run;
use perftest_store::{
    Annotation, CollectedFile, KeptFor, Project, Query, ReadPlace, RecordFileName, RecordFiles,
    Retention, Store, TestbedChange, TestbedDecision, Which, load_anchor,
};
use std::collections::HashSet;
use std::fs;

const KEEP: usize = 60;
/// Enough that most are none of the newest.
const COUNT: u64 = 320;
const ACCEPTED: &str = "01KDVDNR00000000000000000A";

/// A run in a commit of ten.
fn run(ordinal: u64) -> Run {
    let mut run = example_run(ordinal);
    run.revision.commit = format!("{:040}", ordinal / 10);
    run.measurements = vec![Measurement::of_value(100.0 + (ordinal / 10) as f64); 4];
    (run.suspects, run.on_processor_time) = (Vec::new(), Vec::new());
    run
}

/// [`COUNT`] runs; those from 20 to 40 are of an accepted level, and were let pass. Those from 40 to 240 and every seventh do not count.
fn long(name: &str) -> Bench {
    let bench = Bench::new(name);
    for ordinal in 0..COUNT {
        let acceptance = (20..40).contains(&ordinal).then(|| ACCEPTED.to_owned());
        let counts_for_baseline = !(40..240).contains(&ordinal) && ordinal % 7 != 6;
        let mut run = Run { acceptance, counts_for_baseline, ..run(ordinal) };
        if let Some(evidence) = run.evidence.as_mut().filter(|_| run.acceptance.is_some()) {
            evidence.degradation = Some(Interval { estimate: 1.1, lower: 1.08, upper: 1.12 });
        }
        bench.store().append(&run).unwrap();
    }
    bench
}

fn files(bench: &Bench) -> RecordFiles {
    RecordFiles::open(&bench.root, &Project { name: "codec".into(), slug: "codec.0".into() })
}

fn name(bench: &Bench) -> RecordFileName {
    let listed = files(bench).list().unwrap();
    listed.into_iter().map(|file| file.name).find(RecordFileName::is_history).unwrap()
}

fn retention() -> Retention {
    Retention { newest: KEEP, ..Retention::default() }
}

fn collect(bench: &Bench) -> CollectedFile {
    files(bench).collect(&name(bench), &retention(), &[]).unwrap()
}

fn query(which: Which, limit: usize) -> Query {
    Query { which, limit, ..Query::like(&run(0)) }
}

fn acceptance() -> Acceptance {
    Acceptance {
        id: ACCEPTED.into(),
        benchmark: BenchmarkPattern::new("codec::*"),
        testbed: String::new(),
        max_ratio: 1.2,
        reason: "checksums".into(),
        given_ms: 1,
        until_ms: None,
    }
}

/// What verdicts and drift are based on.
fn bases(bench: &Bench) -> Vec<Vec<Run>> {
    let store = bench.store();
    let load = |query: Query| store.load(&query).unwrap().value.runs;
    let anchor = |entries: &[Acceptance]| {
        load_anchor(&store, &query(Which::All, 1), entries).unwrap().value.history.runs
    };
    vec![
        load(query(Which::CountedForBaseline, Retention::BASELINE)),
        load(query(Which::FirstCountedForBaseline, 10)),
        load(query(Which::All, KEEP)),
        anchor(&[]),
        anchor(&[acceptance()]),
    ]
}

#[test]
fn a_record_is_part_of_a_summary_of_its_own_metric_alone() {
    let (bench, other) = (long("collect-metric"), Bench::new("collect-metric-other"));
    collect(&bench);
    let rows = Metric { name: "rows".into(), ..Metric::wall() };
    for run in [run(50), Run { metric: rows, ..run(50) }] {
        other.store().append(&run).unwrap();
    }
    let mut records = files(&other).read(&name(&other), &ReadPlace::default()).unwrap().records;
    assert_eq!(records.len(), 2);
    files(&bench).leave_out_summarised(&name(&bench), &mut records).unwrap();
    assert!(records.len() == 1 && records[0].text().contains("rows"), "{records:?}");
}

#[test]
fn old_runs_become_one_summary_a_commit_and_nothing_that_a_verdict_is_based_on_changes() {
    let bench = long("collect");
    let before = bases(&bench);
    let all = bench.ids();
    let done = collect(&bench);
    assert_eq!(bases(&bench), before);
    assert_eq!(
        (done.runs, done.runs - done.summarised),
        (COUNT as usize, done.kept.values().sum())
    );
    assert!(done.summarised > 50 && done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!((done.kept[&KeptFor::Newest], done.kept[&KeptFor::Baseline]), (KEEP, 52));
    let runs = bench.store().load(&query(Which::All, usize::MAX)).unwrap().value.runs;
    assert!(!runs.iter().any(Run::is_summary));
    let points = bench.store().load(&query(Which::AllAndSummaries, usize::MAX)).unwrap().value.runs;
    let summaries: Vec<&Run> = points.iter().filter(|run| run.is_summary()).collect();
    assert_eq!((summaries.len(), points.len()), (done.summaries, runs.len() + done.summaries));
    for summary in summaries {
        let commit: f64 = summary.revision.commit.parse().unwrap();
        assert_eq!(summary.center(), Some(100.0 + commit));
        assert!(!summary.counts_for_baseline && summary.evidence.is_none());
    }
    // In the order of time, and no id that was not there.
    assert!(points.is_sorted_by_key(|run| run.id.clone()));
    assert!(ids(&points).iter().all(|id| all.contains(id)));
}

#[test]
fn what_a_checkout_before_many_merged_runs_is_compared_with_stays() {
    let bench = Bench::new("collect-merged");
    // The first ones are the anchor, the next ones the baseline of a release, the others were merged since.
    for ordinal in 0..COUNT + 60 {
        bench.store().append(&run(ordinal)).unwrap();
    }
    let before = bench.ids();
    let done = collect(&bench);
    assert_eq!((done.summarised, bench.ids()), (0, before));
}

#[test]
fn fresh_processes_are_none_of_the_newest_runs_and_stay_with_theirs() {
    let bench = Bench::new("collect-fresh");
    for ordinal in 0..COUNT {
        // Every fourth is a run, the three before it are its fresh processes.
        let flags = if ordinal % 4 == 3 { vec![] } else { vec![Run::CONFIRMING.to_owned()] };
        let run = Run { flags, counts_for_baseline: false, ..run(ordinal) };
        bench.store().append(&run).unwrap();
    }
    let done = collect(&bench);
    assert_eq!((done.runs, done.kept[&KeptFor::Newest]), (COUNT as usize / 4, KEEP));
    let kept = bench.store().load(&query(Which::All, usize::MAX)).unwrap().value.runs;
    assert_eq!(kept.len(), 4 * KEEP);
}

#[test]
fn the_plan_says_what_is_done_and_a_second_time_does_nothing() {
    let bench = long("collect-twice");
    let file = bench.history_file();
    let before = fs::read(&file).unwrap();
    let plan = files(&bench).plan_collection(&name(&bench), &retention()).unwrap();
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(collect(&bench), plan);
    let after = fs::read(&file).unwrap();
    assert_eq!((plan.bytes_before, plan.bytes_after), (before.len() as u64, after.len() as u64));
    let modified = || fs::metadata(&file).unwrap().modified().unwrap();
    let written = modified();
    let again = collect(&bench);
    assert_eq!((again.summarised, again.summaries), (0, 0));
    assert_eq!((fs::read(&file).unwrap(), modified()), (after, written));
}

#[test]
fn runs_that_come_back_are_summarised_again_into_the_same_lines() {
    let bench = long("collect-back");
    let copy = Bench::new("collect-back-copy");
    fs::create_dir_all(copy.root.join("v1")).unwrap();
    perftest_store::merge_stores(&copy.root, std::slice::from_ref(&bench.root)).unwrap();
    collect(&bench);
    let after = fs::read(bench.history_file()).unwrap();
    perftest_store::merge_stores(&bench.root, std::slice::from_ref(&copy.root)).unwrap();
    assert!(fs::read(bench.history_file()).unwrap().len() > after.len());
    collect(&bench);
    let lines = |content: &[u8]| -> HashSet<Vec<u8>> {
        content.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let left = fs::read(bench.history_file()).unwrap();
    assert_eq!((lines(&left), left.len()), (lines(&after), after.len()));
}

#[test]
fn a_run_that_was_appended_twice_is_summarised_once() {
    let (once, twice) = (long("collect-once"), Bench::new("collect-copies"));
    let lines = fs::read_to_string(once.history_file()).unwrap();
    twice.store().append(&run(0)).unwrap();
    let file = twice.history_file();
    let copied: String = lines.split_inclusive('\n').flat_map(|line| [line, line]).collect();
    fs::write(&file, copied).unwrap();
    let summaries = |bench: &Bench| {
        collect(bench);
        let text = fs::read_to_string(bench.history_file()).unwrap();
        let lines = text.lines().filter(|line| line.contains(r#""kind":"summary""#));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(summaries(&twice), summaries(&once));
}

#[test]
fn a_run_whose_commit_was_completed_is_in_one_summary() {
    let bench = Bench::new("collect-completed");
    for ordinal in 0..COUNT {
        let whole = Run { counts_for_baseline: false, ..run(ordinal) };
        let mut abbreviated = whole.clone();
        abbreviated.revision.commit = whole.revision.commit[33..].to_owned();
        // The newest one of a commit was imported by a clone that knows it.
        if ordinal % 10 < 9 {
            bench.store().append(&abbreviated).unwrap();
        }
        bench.store().append(&Run { corrected_ms: Some(7), ..whole }).unwrap();
    }
    collect(&bench);
    let runs = bench.store().load(&query(Which::AllAndSummaries, usize::MAX)).unwrap().value.runs;
    let commits: Vec<&str> = runs.iter().map(|run| run.revision.commit.as_str()).collect();
    let summaries = (COUNT as usize - KEEP) / 10;
    assert_eq!(commits.len(), summaries + KEEP);
    assert!(commits.iter().all(|commit| commit.len() == 40), "{commits:?}");
}

#[test]
fn other_lines_stay_as_they_are() {
    let bench = long("collect-others");
    let file = bench.history_file();
    let text = fs::read_to_string(&file).unwrap();
    let novelty = "{\"kind\":\"novelty\",\"v\":1}";
    fs::write(&file, format!("garbage\n{novelty}\n{text}{{\"v\":1,\"torn")).unwrap();
    assert!(collect(&bench).summarised > 0);
    let left = fs::read_to_string(&file).unwrap();
    assert!(left.starts_with(&format!("garbage\n{novelty}\n")));
    assert!(left.ends_with("{\"v\":1,\"torn"));
    fs::write(&file, format!("{text}{{\"v\":2}}\n")).unwrap();
    let refused = files(&bench).collect(&name(&bench), &retention(), &[]).unwrap_err();
    assert!(refused.to_string().contains("codec-frame-encode"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{text}{{\"v\":2}}\n"));
}

#[test]
fn a_place_in_the_file_is_behind_the_same_records_afterwards() {
    let bench = long("collect-places");
    let (files, name) = (files(&bench), name(&bench));
    let end = files.read(&name, &ReadPlace::default()).unwrap().place;
    for ordinal in COUNT..COUNT + 10 {
        bench.store().append(&run(ordinal)).unwrap();
    }
    let lost = ReadPlace { end: 7, mark: "00112233445566ff".into() };
    let done = files.collect(&name, &retention(), &[end, lost]).unwrap();
    let behind = files.read(&name, &done.places[0]).unwrap().records;
    let texts: Vec<&str> = behind.iter().map(|record| record.text()).collect();
    assert_eq!(texts.len(), 10);
    assert!(
        texts.iter().zip(COUNT..).all(|(text, ordinal)| text.contains(run(ordinal).id.as_str()))
    );
    assert_eq!(done.places[1], ReadPlace::default());
}

#[test]
fn runs_that_a_decision_names_and_the_first_ones_after_a_retirement_stay() {
    let bench = long("collect-named");
    let retired = TestbedDecision {
        id: "01KDVDNR000000000000000001".into(),
        testbed: run(0).testbed,
        change: TestbedChange::Retired,
        given_ms: run(40).started_ms,
    };
    bench.store().annotate(Annotation::Testbed(&retired)).unwrap();
    let before = bases(&bench);
    let named = run(70).id;
    let ids = HashSet::from([named.as_str().to_owned()]);
    let retention = Retention { newest: KEEP, ids };
    let done = files(&bench).collect(&name(&bench), &retention, &[]).unwrap();
    assert_eq!((done.kept[&KeptFor::Decision], bases(&bench)), (1, before));
    let of = "01KDVDNR000000000000000001";
    bench.store().annotate(Annotation::Revocation { of, at_ms: 1 }).unwrap();
    let first = query(Which::FirstCountedForBaseline, 10);
    let first = bench.store().load(&first).unwrap().value.runs;
    assert_eq!(first[0], run(0));
    assert!(bench.ids().contains(&named));
}

/// A process that is killed writes a temporary file up to some byte. Whatever is there of it, nothing is lost, and the
/// next time removes it.
#[test]
fn what_a_killed_process_left_loses_nothing_whatever_the_byte() {
    let bench = long("collect-killed");
    let file = bench.history_file();
    let before = fs::read(&file).unwrap();
    let all = bench.ids();
    let plan = files(&bench).plan_collection(&name(&bench), &retention()).unwrap();
    let temporary = file.with_file_name(format!(
        "{}.4194305-0.perftest-unfinished",
        file.file_name().unwrap().to_string_lossy()
    ));
    for byte in (0..plan.bytes_after as usize).step_by(49_999) {
        fs::write(&temporary, &before[..byte]).unwrap();
        assert_eq!(open(&bench.root).list(None).unwrap().unreadable.len(), 0);
        assert_eq!(bench.ids().len(), all.len());
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(collect(&bench), plan);
    assert!(!temporary.exists());
}

/// The runs in summaries, and those that are there as they were.
fn runs_in(bench: &Bench) -> (u64, u64) {
    let text = fs::read_to_string(bench.history_file()).unwrap();
    let summarised = |line: &str| -> u64 {
        let (_, behind) = line.split_once(r#""runs":"#).unwrap();
        behind.split(',').next().unwrap().parse().unwrap()
    };
    let summaries = text.lines().filter(|line| line.contains(r#""kind":"summary""#));
    let runs = text.lines().filter(|line| line.contains(r#""kind":"run""#)).count();
    (summaries.map(summarised).sum(), runs as u64)
}

#[test]
fn a_summary_stays_when_more_is_summarised() {
    let bench = long("collect-more");
    collect(&bench);
    for ordinal in COUNT..COUNT + 20 {
        let counts_for_baseline = ordinal % 7 != 6;
        bench.store().append(&Run { counts_for_baseline, ..run(ordinal) }).unwrap();
    }
    collect(&bench);
    let (summarised, runs) = runs_in(&bench);
    assert_eq!(summarised + runs, COUNT + 20);
}

#[test]
fn a_part_of_a_summary_that_comes_back_is_removed_again() {
    let bench = long("collect-part");
    let all = fs::read_to_string(bench.history_file()).unwrap();
    collect(&bench);
    let after = fs::read_to_string(bench.history_file()).unwrap();
    let old = all.lines().find(|line| !after.contains(line)).unwrap();
    fs::write(bench.history_file(), format!("{old}\n{after}")).unwrap();
    assert_eq!(collect(&bench).summarised, 1);
    assert_eq!(fs::read_to_string(bench.history_file()).unwrap(), after);
}

#[test]
fn what_is_no_point_of_a_history_is_none_in_a_summary_either() {
    let bench = Bench::new("collect-unfit");
    for ordinal in 0..COUNT {
        let mut run = Run { counts_for_baseline: false, ..run(ordinal) };
        match ordinal % 10 {
            0..3 => run.environment.distrust(Tag::Throttled),
            3..6 => run.attempt = 2,
            _ => {}
        }
        bench.store().append(&run).unwrap();
    }
    let points = || {
        let all =
            bench.store().load(&query(Which::AllAndSummaries, usize::MAX)).unwrap().value.runs;
        let unfit = all.iter().filter(|run| !run.is_fit()).count();
        let retries = all.iter().filter(|run| !run.is_first_try()).count();
        (
            unfit > 0,
            retries > 0,
            all.iter().filter(|run| run.is_fit() && run.is_first_try()).count(),
        )
    };
    let before = points();
    assert!(collect(&bench).summaries > 60);
    let (unfit, retries, _) = points();
    assert_eq!((unfit, retries), (before.0, before.1));
    let commits = COUNT as usize / 10 - KEEP / 10;
    assert_eq!(points().2, commits + KEEP * 4 / 10);
}

#[test]
fn runs_of_unknown_commits_are_not_put_together() {
    let bench = Bench::new("collect-unknown");
    for ordinal in 0..COUNT {
        let mut run = Run { counts_for_baseline: false, ..run(ordinal) };
        run.revision.commit.clear();
        bench.store().append(&run).unwrap();
    }
    let done = collect(&bench);
    assert_eq!((done.summarised, done.summaries), (COUNT as usize - KEEP, COUNT as usize - KEEP));
}

#[test]
fn runs_that_are_as_short_as_their_summary_stay() {
    let bench = Bench::new("collect-short");
    for ordinal in 0..COUNT {
        let like = run(ordinal);
        let mut short = Run::blank(like.id, like.benchmark, like.metric);
        (short.testbed, short.started_ms) = (like.testbed, like.started_ms);
        short.measurements = vec![Measurement::of_value(100.0)];
        bench.store().append(&short).unwrap();
    }
    let before = fs::read(bench.history_file()).unwrap();
    let done = collect(&bench);
    assert_eq!((done.summaries, done.kept[&KeptFor::Short]), (0, COUNT as usize - KEEP));
    assert_eq!(fs::read(bench.history_file()).unwrap(), before);
}
