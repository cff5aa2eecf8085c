//! Instructions that judge, counted by the processor or else under valgrind, and counters that there
//! are not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use crate::other_speed::{FASTER, pretend_speed};
use crate::series::{has_line, recorded_runs, runs};
use crate::{NEEDED, PROJECTS, learn_as_much_as};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use serde_json::Value;

const TEST: &str = "executes";

/// Under valgrind wherever the processor counts no instructions.
fn by_valgrind(binary: Invocation) -> Invocation {
    binary.env("PERFTEST_INSTRUCTIONS", "valgrind")
}

fn counted(binary: Invocation, store: &TempStore) -> Invocation {
    by_valgrind(binary).args(&[TEST, "--exact"]).store(store)
}

/// Learns a test that is judged by its instructions.
fn learn_instructions(store: &TempStore) {
    let binary = || by_valgrind(PROJECTS.binary("series", "perf"));
    learn_as_much_as(TEST, binary, store, || recorded_runs(store, TEST, "instructions") >= NEEDED);
}

/// A tenth more of the work, which is next to nothing of the time.
fn slowed(store: &TempStore) -> Invocation {
    counted(PROJECTS.slowed("series", "perf"), store).env("SLOW", "2")
}

/// Runs it, each time after it has learned again, until its instructions are red in such a run.
fn red(run: impl Fn() -> Invocation, is_such: impl Fn(&Outcome) -> bool) -> Outcome {
    let is_red = |outcome: &Outcome| outcome.code != Some(0) && is_such(outcome);
    let outcome = patiently(|| run().run(), is_red).ended_with(3);
    assert!(outcome.line_of(TEST).starts_with("FAILED  instructions: "), "{outcome}");
    outcome
}

/// The newest run of a series of it.
fn newest(store: &TempStore, metric: &str) -> Value {
    runs(store, TEST, metric).pop().unwrap()
}

#[test]
fn a_tenth_more_instructions_is_red_while_the_time_is_the_same() {
    let store = TempStore::new();
    let run = || {
        learn_instructions(&store);
        counted(PROJECTS.binary("series", "perf"), &store).run().ended_with(0);
        slowed(&store)
    };
    // The last good build is counted as well.
    let has_witness = |judged: &Value| judged["pairs"].as_u64() >= Some(1);
    let outcome = red(run, |_| has_witness(&newest(&store, "instructions")));
    let outcome = outcome.prints(&["instructions: worse than the last good build: 1.10x"]);
    let unit = &runs(&store, TEST, "instructions")[0]["unit"];
    assert!(unit.as_str().unwrap().starts_with("instructions"), "{unit}");
    let judged = newest(&store, "instructions");
    assert_eq!((&judged["verdict"], &judged["unit"]), (&"red".into(), unit), "{outcome}");
    assert!(has_witness(&judged), "{judged}");
    assert_ne!(newest(&store, "wall")["verdict"], "red", "{outcome}");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn instructions_judge_where_no_time_can() {
    let store = TempStore::new();
    let run = || {
        learn_instructions(&store);
        store.rewrite(TEST, |record| pretend_speed(record, FASTER));
        store.forget_executables();
        slowed(&store)
    };
    let is_stopped = |outcome: &Outcome| has_line(outcome, "the whole ", "no verdict");
    let outcome = red(run, is_stopped);
    assert!(is_stopped(&outcome), "{outcome}");
    assert_eq!(newest(&store, "wall")["verdict"], "untrusted", "{outcome}");
    // Times at that speed begin another history; instructions go on with theirs.
    red(|| slowed(&store).env("PERFTEST_EPOCH", "new"), |_| true);
}

#[test]
fn a_counter_that_is_not_there_is_named_with_the_reason_and_the_ways_out() {
    for (test, metric) in [("needs_cycles", "cycles"), ("needs_instructions", "instructions")] {
        let store = TempStore::new();
        let outcome = PROJECTS.binary("series", "plain").args(&[test]).store(&store).run();
        if outcome.code == Some(0) {
            assert_eq!(runs(&store, test, metric)[0]["unit"], metric, "the processor counts");
            continue;
        }
        let reason =
            format!("`{metric}` cannot be judged because the processor's counter cannot be read");
        let outcome = outcome.ended_with(101).prints(&[&reason, "take it out of `metrics`"]);
        let helps = outcome.stdout.contains("set PERFTEST_INSTRUCTIONS=valgrind");
        assert_eq!(helps, metric == "instructions", "{outcome}");
        assert_eq!(store.histories().len(), 0);
    }
}

#[test]
fn without_any_counter_instructions_are_not_green() {
    let store = TempStore::new();
    let nowhere = store.path().join("empty");
    let run = counted(PROJECTS.binary("series", "perf"), &store).env("PATH", nowhere).run();
    if run.code == Some(0) {
        assert_eq!(runs(&store, TEST, "instructions")[0]["unit"], "instructions");
        return;
    }
    run.ended_with(101).prints(&[
        "`instructions` cannot be judged because the processor counts none, and valgrind failed",
        "valgrind is not installed",
    ]);
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn instructions_of_what_the_author_times_are_not_judged() {
    let store = TempStore::new();
    let test = ["counts_what_it_times", "--exact"];
    let run = PROJECTS.binary("series", "perf").args(&test).store(&store);
    run.env("PERFTEST_INSTRUCTIONS", "valgrind").run().ended_with(101).prints(&[
        "`instructions` cannot be judged because it cannot be counted in a separate process",
    ]);
}
