//! When a body is measured, and when it only runs once.

use crate::PROJECTS;
use perftest_tests::{Invocation, TempStore};

fn unoptimised() -> Invocation {
    PROJECTS.binary("unoptimised", "perf")
}

#[test]
fn an_unoptimised_build_runs_each_body_once_and_says_so_in_its_line() {
    let store = TempStore::new();
    let smoked = unoptimised().store(&store).run().ended_with(0);
    let line = smoked.line_of("sum");
    assert!(line.starts_with("ok ") && line.contains("not measured"), "{smoked}");
    assert!(line.contains("cargo test --release"), "{smoked}");
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn an_unoptimised_build_is_measured_when_asked_to() {
    let store = TempStore::new();
    let measured = unoptimised().env("PERFTEST_MODE", "measure").store(&store).run();
    let measured = measured.ended_with(0);
    assert!(measured.line_of("sum").contains("recorded 1 of 5"), "{measured}");
    assert_eq!(store.records("sum").len(), 1);
}

#[test]
fn an_optimised_build_runs_each_body_once_when_asked_to() {
    let store = TempStore::new();
    let smoked = PROJECTS.binary("measured", "perf").smoke().store(&store).run().ended_with(0);
    for test in ["grows", "steady"] {
        assert!(smoked.line_of(test).contains("not measured"), "{smoked}");
    }
    assert_eq!(store.histories().len(), 0);
}

#[test]
fn a_setting_that_is_not_known_is_refused_with_the_choices() {
    for (name, value, choices) in [
        ("PERFTEST_MODE", "fast", &["smoke", "measure"][..]),
        ("PERFTEST_CLOCK", "sundial", &["finest", "monotonic"]),
        ("PERFTEST_EPOCH", "old", &["new"]),
        ("PERFTEST_TESTBED", "../elsewhere", &["letters"]),
        ("PERFTEST_STORE", "history", &["absolute", "read-only"]),
    ] {
        let refused = PROJECTS.binary("measured", "perf").env(name, value).run().ended_with(101);
        assert_eq!(refused.stdout, "");
        refused.warns(&[name, value]).warns(choices);
    }
}

#[test]
fn a_missing_baseline_is_loud_in_ci_and_silent_at_home() {
    let run = || PROJECTS.binary("measured", "perf");
    let store = TempStore::new();
    let at_home = run().store(&store).run().ended_with(0);
    assert!(!at_home.stderr.contains("!!"), "{at_home}");
    let in_ci = run().store(&store).env("CI", "true").run().ended_with(0);
    assert_eq!(in_ci.stderr.matches("has no baseline").count(), 1, "once a session: {in_ci}");
    in_ci.warns(&["nothing guards them", "PERFTEST_STORE"]);
}
