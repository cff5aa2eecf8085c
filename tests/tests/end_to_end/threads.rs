//! A routine on several threads at once.

use crate::series::has_line;
use crate::{NEEDED, PROJECTS, learn_until, red_and};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};

const ALL: [&str; 7] = [
    "threads::crowded::threads=64",
    "threads::fails_at_two::threads=2::1",
    "threads::fails_at_two::threads=2::2",
    "threads::grows::threads=1",
    "threads::grows::threads=2",
    "threads::shared::threads=1",
    "threads::shared::threads=2",
];

fn ours() -> Invocation {
    PROJECTS.binary("contended", "perf")
}

fn libtests() -> Invocation {
    PROJECTS.binary("contended", "usual")
}

#[test]
fn each_number_of_threads_is_a_test_of_its_own() {
    let listed = ours().args(&["--list", "--format=terse", "threads::"]).run().ended_with(0);
    let expected: String = ALL.iter().map(|name| format!("{name}: test\n")).collect();
    assert_eq!(listed.stdout, expected);
    let run = ours().smoke().args(&["--exact", "threads::grows::threads=2"]).run().ended_with(0);
    assert_eq!(run.started(), ["threads::grows::threads=2"]);
    let libtests = libtests().smoke().args(&["threads::grows", "--nocapture"]).run().ended_with(0);
    libtests.prints(&["threads::grows::threads_1 ... ", "threads::grows::threads_2 ... "]);
}

#[test]
fn nextest_runs_each_number_of_threads() {
    let nextest = PROJECTS.cargo("contended").smoke();
    let nextest = nextest.args(&["nextest", "run", "--release", "--test", "perf", "threads::"]);
    nextest.run().ended_with(0).warns(&["threads::shared::threads=2", "7 tests run: 7 passed"]);
}

#[test]
fn each_number_of_threads_has_a_history_and_a_red_is_confirmed_in_fresh_processes() {
    let store = TempStore::new();
    let learning = || ours().args(&["threads::grows"]).store(&store);
    let name = "threads::grows::threads=1";
    let run = || {
        // On a busy machine two threads hardly ever run at once: what one does is judged on any.
        learn_until(learning, &store, || store.baseline_runs("grows-threads-1").len() >= NEEDED);
        assert_eq!(store.histories().len(), 2);
        assert!(!store.records("grows-threads-2").is_empty());
        PROJECTS.slowed("contended", "perf").args(&["--exact", name]).store(&store)
    };
    // Confirmed afresh.
    let is_confirmed =
        |outcome: &Outcome| outcome.line_of(name).contains(" pairs with the last good build");
    let red = red_and(run, &store, is_confirmed).ended_with(3);
    assert!(is_confirmed(&red), "{red}");
}

#[test]
fn threads_of_a_body_that_take_turns_are_no_work_of_others() {
    let runs = || {
        let store = TempStore::new();
        [(); 3].map(|()| {
            ours().args(&["--exact", "turns::answered"]).store(&store).run().ended_with(0);
            store.newest("answered")["counts_for_baseline"].clone()
        })
    };
    let all_count = |runs: &[serde_json::Value; 3]| runs.iter().all(|counts| *counts == true);
    let runs = patiently(runs, all_count);
    assert!(all_count(&runs), "{runs:?}");
}

#[test]
fn threads_that_have_no_processor_each_are_reported_of() {
    let run = ours().args(&["--exact", "threads::crowded::threads=64"]).run().ended_with(0);
    let has_enough = std::thread::available_parallelism().is_ok_and(|it| it.get() >= 64);
    let line = run.line_of("threads::crowded::threads=64");
    assert!(has_enough || line.contains("its 64 threads took turns on "), "{run}");
    let why = "no verdict: its 64 threads took turns on ";
    assert!(has_enough || has_line(&run, "switches ", why), "{run}");
}

#[test]
fn throughput_is_that_of_all_threads() {
    let arguments = ["--format=json", "--exact", "threads::shared::threads=2"];
    let event =
        || crate::front_end::json_lines(&ours().args(&arguments).run().ended_with(0))[2].take();
    // Beside other work the threads may never run at the same time, which leaves no verdict.
    let event = patiently(event, |event| event["perftest"]["throughput"]["amount"] == 20);
    assert_eq!(event["perftest"]["throughput"]["amount"], 20, "{event}");
}

#[test]
fn a_panic_on_one_of_the_threads_fails_the_test() {
    let failed = ours().env("FAIL", "1").args(&["threads::fails_at_two"]).run().ended_with(101);
    assert_eq!(failed.line_of("threads::fails_at_two::threads=2::2"), "FAILED");
    failed.prints(&["the body panicked: call 1", "1 passed; 1 failed"]);
}
