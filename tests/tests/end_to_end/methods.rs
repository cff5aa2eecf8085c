//! The bencher's methods, and bodies of any length.

use crate::{PROJECTS, learn};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use std::fs;

/// The tests that measure something, without the long one.
const MEASURING: [&str; 8] = [
    "awaits",
    "awaits_after_set_up",
    "awaits_its_input",
    "runs_a_process",
    "sorts_in_place",
    "takes_long",
    "tears_down",
    "times_itself",
];

fn methods() -> Invocation {
    PROJECTS.binary("methods", "perf")
}

#[test]
fn every_method_measures() {
    let store = TempStore::new();
    let all = methods().args(&["--exact"]).args(&MEASURING).store(&store).run().ended_with(0);
    for test in MEASURING {
        assert!(all.line_of(test).starts_with("ok "), "{test}: {all}");
        assert_eq!(store.records(test).len(), 1, "{test}: {all}");
    }
}

#[test]
fn cargo_and_nextest_run_async_bodies_and_processes() {
    let store = TempStore::new();
    let nextest = PROJECTS.cargo("methods").store(&store);
    let nextest = nextest.args(&["nextest", "run", "--release", "--test", "perf"]);
    let filter = "test(=awaits_after_set_up) + test(=runs_a_process)";
    let run = nextest.args(&["-E", filter]).run().ended_with(0);
    run.warns(&["2 tests run: 2 passed"]);
    let cargo = PROJECTS.cargo("methods").store(&store);
    let cargo = cargo.args(&["test", "--release", "--test", "perf", "--", "--exact"]);
    let run = cargo.args(&["awaits_after_set_up", "runs_a_process"]).run().ended_with(0);
    run.prints(&["test result: ok. 2 passed"]);
}

#[test]
fn async_bodies_are_compared_with_async_functions_by_turns() {
    for test in ["awaits_beside_another", "meets_another"] {
        let compare = || methods().args(&["--exact", test]).run().ended_with(0);
        let has_pairs = |outcome: &Outcome| outcome.line_of(test).contains(" pairs");
        let compared = patiently(compare, has_pairs);
        assert!(has_pairs(&compared), "{test}: {compared}");
        assert!(compared.line_of(test).starts_with("ok "), "{test}: {compared}");
    }
}

#[test]
fn what_could_not_be_measured_is_reported_with_its_reason() {
    let failing = [
        "awaits_an_error",
        "awaits_without_a_runtime",
        "gives_up_waiting",
        "runs_a_process_that_fails",
        "times_nothing",
    ];
    let failed = methods().args(&["--exact"]).args(&failing).run().ended_with(101);
    for test in failing {
        assert_eq!(failed.line_of(test), "FAILED", "{failed}");
    }
    failed.prints(&[
        "the body returned an error: \"the connection is gone\"",
        "`iter_async` was called in a body that is not async",
        "ended before `iter_async` had measured",
        "\"--no-such-option\" failed with exit status: 101",
        "returned no time for 1024 iterations",
        "test result: FAILED. 0 passed; 5 failed;",
    ]);
}

#[test]
fn what_a_call_takes_beside_its_time_is_of_the_budget() {
    for test in ["sets_up_for_long", "times_a_part_of_itself"] {
        let store = TempStore::new();
        let calls = store.path().join("calls");
        let binary = methods().args(&["--exact", test]).env("CALLS", &calls);
        let outcome = binary.store(&store).run().ended_with(0);
        let called = fs::read_to_string(&calls).unwrap().lines().count();
        assert_eq!(called, 1, "{outcome}");
        assert_eq!(store.records(test).len(), 1, "that call was measured: {outcome}");
    }
}

/// Three seconds are the whole budget.
#[test]
fn a_body_longer_than_its_budget_is_called_once_a_run_and_judged_all_the_same() {
    let store = TempStore::new();
    let calls = store.path().join("calls");
    let binary = || methods().env("CALLS", &calls);
    let run = || {
        learn("takes_long", binary, &store);
        let calls = fs::read_to_string(&calls).unwrap().lines().count();
        assert_eq!(calls, store.records_of_all_series("takes_long").len());
        binary().args(&["--exact", "takes_long"]).store(&store).run().ended_with(0)
    };
    // A ratio with its bounds.
    let is_judged = |outcome: &Outcome| outcome.line_of("takes_long").contains("x [");
    let judged = patiently(run, is_judged);
    assert!(is_judged(&judged), "{judged}");
}
