//! Acceptances that travel with the code.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::other_speed::{FASTER, pretend_speed};
use crate::{SLOW, grows, learn, slow_grows};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A repository of its own around the package: what is accepted in its root holds.
pub(crate) fn repository(package: &str) -> TempRepository {
    let root = TempRepository::new();
    fs::create_dir_all(root.path().join(package)).unwrap();
    root
}

/// Accepts that `grows` is thirty times as slow, up to and with this day.
fn accept_until(root: &Path, last_day: &str) {
    let entry = format!(
        r#"{{"v":1,"kind":"accept","id":"A","benchmark":"measured::*","max_ratio":30,"reason":"a cache is on its way","given_ms":1,"until":"{last_day}"}}"#
    );
    fs::write(root.join("perf-accept.jsonl"), format!("not ours\n{entry}\n")).unwrap();
}

#[test]
fn an_accepted_ratio_passes_more_fails_and_so_does_the_same_after_the_last_day() {
    let (store, root) = (TempStore::new(), repository("measured"));
    let package = root.path().join("measured");
    let in_repository = || -> Invocation { grows().env("CARGO_MANIFEST_DIR", &package) };
    let accepted = root.path().join("perf-accept.jsonl");
    // Learns again, before anything is accepted.
    let slowed = |times: &str, last_day: &str| -> Outcome {
        let _ = fs::remove_file(&accepted);
        learn("grows", in_repository, &store);
        accept_until(root.path(), last_day);
        let slowed = slow_grows().env("CARGO_MANIFEST_DIR", &package).store(&store);
        slowed.env(SLOW.0, times).run()
    };
    let until_red = |times: &str, last_day: &str| -> Outcome {
        patiently(|| slowed(times, last_day), |outcome| outcome.code != Some(0)).ended_with(3)
    };

    let let_pass = || {
        let slowed = slowed("20", "2999-12-31").warns(&["perf-accept.jsonl:1"]);
        let record = store.newest("grows");
        assert_eq!(record["counts_for_baseline"], false, "{record}\n{slowed}");
        (slowed, record)
    };
    let is_accepted = |record: &Value| {
        record["accepted"] == true && record["accepted_ratio"] == 30 && record["acceptance"] == "A"
    };
    let (passed, record) =
        patiently(let_pass, |(it, record)| it.code == Some(0) && is_accepted(record));
    let passed = passed.ended_with(0).prints(&["  verdicts  1 accepted"]);
    assert!(is_accepted(&record), "{record}\n{passed}");

    until_red("400", "2999-12-31").prints(&["accepted  up to 30.00x the old level"]);
    until_red("20", "2020-01-01");
}

#[test]
fn an_accepted_ratio_passes_and_more_fails_on_a_machine_slower_than_its_history() {
    let (store, root) = (TempStore::new(), repository("measured"));
    let package = root.path().join("measured");
    let slowed = |times: &str| -> (Outcome, Value) {
        let _ = fs::remove_file(root.path().join("perf-accept.jsonl"));
        learn("grows", || grows().env("CARGO_MANIFEST_DIR", &package), &store);
        store.rewrite("grows", |record| pretend_speed(record, FASTER));
        accept_until(root.path(), "2999-12-31");
        let slowed = slow_grows().env("CARGO_MANIFEST_DIR", &package).store(&store);
        (slowed.env(SLOW.0, times).run(), store.newest("grows"))
    };
    // No run of the history is comparable, so pairs decide alone.
    let ended = |times: &str, verdict: &str| -> (Outcome, Value) {
        let is_by_pairs_alone = |record: &Value| {
            record["tags"].to_string().contains("slow-machine") && record["baseline_runs"] == 0
        };
        let ended = patiently(
            || slowed(times),
            |(_, record)| is_by_pairs_alone(record) && record["verdict"] == verdict,
        );
        assert!(is_by_pairs_alone(&ended.1), "{}", ended.0);
        ended
    };
    let (passed, record) = ended("20", "green");
    passed.ended_with(0).prints(&["accepted up to 30.00x", "  verdicts  1 accepted"]);
    assert_eq!((&record["accepted"], &record["accepted_ratio"]), (&true.into(), &30.into()));
    let (red, _) = ended("400", "red");
    red.ended_with(3).prints(&["accepted  up to 30.00x the old level"]);
}

#[test]
fn an_empty_store_under_a_standing_acceptance_has_a_verdict_from_the_second_run_on() {
    let (store, repository) = (TempStore::new(), TempRepository::new());
    let entry = r#"{"v":1,"kind":"accept","id":"A","benchmark":"measured::*","max_ratio":1.5,"reason":"checks its input","given_ms":1}"#;
    fs::write(repository.path().join("perf-accept.jsonl"), entry).unwrap();
    repository.commit("first");
    let in_repository = || grows().env("CARGO_MANIFEST_DIR", repository.path());
    let run = || {
        let run = in_repository().env("PERFTEST_LEARN", "at-once");
        run.store(&store).run().ended_with(0)
    };
    let second = || {
        store.clear();
        let first = run();
        (first.line_of("grows").contains("the next run has a verdict"), run())
    };
    // A machine may disturb the first run so much that it promises nothing.
    let is_promised = |(promised, second): &(bool, Outcome)| {
        *promised && !second.line_of("grows").contains("no verdict")
    };
    let (promised, second) = patiently(second, is_promised);
    assert!(promised && !second.line_of("grows").contains("no baseline"), "{second}");
    let records = store.records_of_all_series("grows");
    assert!(records.iter().all(|record| record["acceptance"] == "A"), "{records:?}");
}
