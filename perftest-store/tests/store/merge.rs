//! Stores of several machines become one: nothing is lost, nothing is there twice.

use crate::bench::{Bench, ids};
use perftest_core::model::{Acceptance, BenchmarkId, BenchmarkPattern, Measurement, Run, RunId};
use perftest_store::conformance::example_run;
use perftest_store::{
    Annotation, JsonlStore, Project, Query, Store, StoreError, Which, merge_show_only,
    merge_stores, move_project, remove_moved_project,
};
use std::fs;
use std::path::PathBuf;
use std::thread;

fn roots(benches: &[&Bench]) -> Vec<PathBuf> {
    benches.iter().map(|bench| bench.root.clone()).collect()
}

#[test]
fn all_runs_of_all_stores_are_there_once_and_in_the_order_of_time() {
    let [target, one, other] = ["merge", "merge-one", "merge-other"].map(Bench::new);
    let append = |bench: &Bench, ordinals: &[u64]| {
        ordinals.iter().for_each(|it| bench.store().append(&example_run(*it)).unwrap());
    };
    append(&target, &[0, 1]);
    append(&one, &[0, 1, 3, 6]);
    append(&other, &[0, 1, 2, 5]);
    let renamed = BenchmarkId::from_recorded("codec::frame::decode");
    other.store().append(&Run { benchmark: renamed.clone(), ..example_run(4) }).unwrap();
    let merged = merge_stores(&target.root, &roots(&[&one, &other])).unwrap();
    assert_eq!((merged.added, merged.known), (5, 4));
    assert!(merged.damaged.is_empty() && merged.failed.is_empty());
    let expected: Vec<Run> = [0, 1, 2, 3, 5, 6].map(example_run).into();
    assert_eq!(target.ids(), ids(&expected));
    assert_eq!(target.store().list(Some(&renamed)).unwrap().series.value.len(), 1);
    let again = merge_stores(&target.root, &roots(&[&one, &other])).unwrap();
    assert_eq!((again.added, again.known), (0, 9));
}

#[test]
fn runs_of_one_moment_keep_the_order_in_which_they_were_recorded() {
    let [target, one] = ["merge-moment", "merge-moment-one"].map(Bench::new);
    let started_ms = example_run(1).started_ms;
    let of_moment =
        |entropy: u128| Run { id: RunId::new(started_ms, entropy), started_ms, ..example_run(1) };
    let runs = [7, 3, 9, 1].map(of_moment);
    runs.iter().for_each(|run| one.store().append(run).unwrap());
    target.store().append(&example_run(0)).unwrap();
    target.store().append(&example_run(2)).unwrap();
    merge_stores(&target.root, &roots(&[&one])).unwrap();
    let [first, second, third, fourth] = runs;
    assert_eq!(target.ids(), ids(&[example_run(0), first, second, third, fourth, example_run(2)]));
}

#[test]
fn acceptances_and_contexts_come_along() {
    let [target, other] = ["merge-beside", "merge-beside-other"].map(Bench::new);
    other.store().append(&example_run(0)).unwrap();
    let context = Annotation::Context { hash: "0123456789abcdef", json: "{}" };
    other.store().annotate(context).unwrap();
    merge_stores(&target.root, &roots(&[&other])).unwrap();
    assert_eq!(target.store().context("0123456789abcdef").unwrap().as_deref(), Some("{}"));
    assert!(target.root.join("v1/codec.0/project.json").is_file());
}

#[test]
fn a_damaged_line_is_reported_and_costs_only_itself() {
    let target = Bench::new("merge-damage");
    let (other, file) = Bench::with_one_run("merge-damage-other");
    other.store().append(&example_run(1)).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"wall\"", "\"walk\"", 1)).unwrap();
    let merged = merge_stores(&target.root, &roots(&[&other])).unwrap();
    assert_eq!((merged.added, merged.damaged.len()), (1, 1));
    assert_eq!((merged.damaged[0].line, &merged.damaged[0].file), (1, &file));
    assert_eq!(target.ids(), ids(&[example_run(1)]));
}

#[test]
fn a_file_of_another_version_is_reported_and_the_others_are_merged() {
    let [target, one] = ["merge-version", "merge-version-one"].map(Bench::new);
    let (other, file) = Bench::with_one_run("merge-version-other");
    one.store().append(&example_run(1)).unwrap();
    fs::write(&file, "{\"v\":200}\n").unwrap();
    let merged = merge_stores(&target.root, &roots(&[&other, &one])).unwrap();
    assert!(matches!(merged.failed[..], [StoreError::OtherVersion { version: 200, .. }]));
    assert_eq!(target.ids(), ids(&[example_run(1)]));
}

#[test]
fn what_is_no_store_is_refused_before_anything_is_added() {
    let [target, other] = ["merge-none", "merge-none-other"].map(Bench::new);
    other.store().append(&example_run(0)).unwrap();
    let others = [other.root.clone(), target.root.join("missing")];
    let refused = merge_stores(&target.root, &others).unwrap_err().to_string();
    assert!(refused.contains("missing: it is no store"), "{refused}");
    assert!(!target.root.join("v1").exists());
}

#[test]
fn a_store_merged_into_itself_stays_as_it_is() {
    let (bench, file) = Bench::with_one_run("merge-itself");
    let before = fs::read(&file).unwrap();
    let merged = merge_stores(&bench.root, &roots(&[&bench])).unwrap();
    assert_eq!((merged.added, merged.known, fs::read(&file).unwrap()), (0, 1, before));
    assert_eq!(bench.store().load(&Query::like(&example_run(0))).unwrap().value.runs.len(), 1);
}

#[test]
fn a_process_that_writes_under_the_old_name_while_it_is_moved_loses_no_run() {
    const RUNS: u64 = 60;
    let bench = Bench::new("move");
    let [old, new] = ["/src/codec", "example.org/team/codec"].map(Project::of_identity);
    let store = |project| JsonlStore::open(&bench.root, project);
    let append = |project, ordinal| store(project).append(&example_run(ordinal)).unwrap();
    append(&old, 0);
    append(&new, 1);
    let move_all = || {
        if !old.directory(&bench.root).exists() {
            return 0;
        }
        let moved = move_project(&bench.root, &old, &new).unwrap();
        assert!(moved.failed.is_empty() && moved.damaged.is_empty(), "{moved:?}");
        // Once for each move, as a person does.
        if moved.added > 0 {
            remove_moved_project(&bench.root, &old);
        }
        moved.added
    };
    assert_eq!(move_all(), 1);
    assert!(store(&old).list(None).unwrap().series.value.is_empty());
    let moved = thread::scope(|scope| {
        let writer = scope.spawn(|| (2..RUNS).for_each(|ordinal| append(&old, ordinal)));
        let mut moved = 0;
        while !writer.is_finished() {
            moved += move_all();
        }
        moved + move_all()
    });
    assert_eq!(moved as u64, RUNS - 2);
    let all = Query { limit: usize::MAX, which: Which::All, ..Query::like(&example_run(0)) };
    let runs = store(&new).load(&all).unwrap().value.runs;
    assert_eq!(runs, (0..RUNS).map(example_run).collect::<Vec<_>>());
}

#[test]
fn a_file_with_a_damaged_line_is_not_moved_away() {
    let bench = Bench::new("move-damage");
    let [old, new] = ["/src/codec", "example.org/team/codec"].map(Project::of_identity);
    let store = JsonlStore::open(&bench.root, &old);
    (0..2).for_each(|ordinal| store.append(&example_run(ordinal)).unwrap());
    let file = old.directory(&bench.root);
    let file = file.join("runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"wall\"", "\"walk\"", 1)).unwrap();
    let moved = move_project(&bench.root, &old, &new).unwrap();
    assert_eq!((moved.added, moved.damaged.len()), (1, 1));
    assert!(file.is_file());
}

/// A store that claims the testbed, the tests and the identities of the target, and a decision.
fn hostile(name: &str) -> Bench {
    let bench = Bench::new(name);
    for ordinal in 0..30 {
        let measurements = vec![Measurement::of_value(900.0); 4];
        let run = Run { measurements, ..example_run(ordinal) };
        bench.store().append(&run).unwrap();
    }
    let formerly = Some(example_run(0).benchmark);
    let benchmark = BenchmarkId::from_recorded("codec::frame::taken");
    bench.store().append(&Run { benchmark, formerly, ..example_run(40) }).unwrap();
    let acceptance = Acceptance {
        id: "01KDVDNR000000000000000001".into(),
        benchmark: BenchmarkPattern::new("codec::*"),
        testbed: String::new(),
        max_ratio: 99.0,
        reason: "why not".into(),
        given_ms: 1,
        until_ms: None,
    };
    bench.store().annotate(Annotation::Acceptance(&acceptance)).unwrap();
    let context = Annotation::Context { hash: "00112233445566ff", json: "{}" };
    bench.store().annotate(context).unwrap();
    bench
}

#[test]
fn runs_that_are_only_shown_change_no_history_and_decide_nothing_whatever_they_claim() {
    let target = Bench::new("show-only");
    (0..3).for_each(|it| target.store().append(&example_run(it)).unwrap());
    let other = hostile("show-only-other");
    let merged = merge_show_only(&target.root, &roots(&[&other])).unwrap();
    assert_eq!((merged.added, merged.left_out, merged.failed.len()), (31, 2, 0));
    let store = target.store();
    for which in [Which::All, Which::CountedForBaseline, Which::FirstCountedForBaseline] {
        let query = Query { which, ..Query::like(&example_run(0)) };
        assert_eq!(store.load(&query).unwrap().value.runs, [0, 1, 2].map(example_run));
    }
    let listed = store.list(None).unwrap().series.value;
    // The former name that a run claims hides a test of its own source only.
    let own = listed.iter().find(|series| !series.is_show_only()).unwrap();
    assert_eq!((listed.len(), &own.benchmark), (2, &example_run(0).benchmark));
    assert!(store.decisions().unwrap().value.acceptances.is_empty());
    assert_eq!(store.context("00112233445566ff").unwrap(), None);
}

#[test]
fn runs_that_are_only_shown_are_there_once_with_their_values_and_count_for_nothing() {
    let [target, further] = ["show-only-once", "show-only-further"].map(Bench::new);
    let other = hostile("show-only-once-other");
    for (added, known) in [(31, 0), (0, 31)] {
        let merged = merge_show_only(&target.root, &roots(&[&other])).unwrap();
        assert_eq!((merged.added, merged.known), (added, known));
    }
    // Passed on, they are what they were.
    merge_stores(&further.root, &roots(&[&target])).unwrap();
    merge_show_only(&further.root, &roots(&[&target])).unwrap();
    for bench in [target, further] {
        let shown = Run { testbed: "show-only/local/7f3a2b".into(), ..example_run(0) };
        let runs = bench.store().load(&Query::like(&shown)).unwrap().value.runs;
        assert_eq!((runs.len(), runs[0].center()), (30, Some(900.0)));
        let query = Query { which: Which::CountedForBaseline, ..Query::like(&shown) };
        assert!(bench.store().load(&query).unwrap().value.runs.is_empty());
        assert!(runs.iter().all(Run::is_show_only));
    }
}
