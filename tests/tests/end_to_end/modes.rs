//! When a body is measured, and when it only runs once.

use crate::PROJECTS;
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently};

fn unoptimised() -> Invocation {
    PROJECTS.binary("unoptimised", "perf")
}

#[test]
fn an_unoptimised_build_runs_each_body_once_and_its_line_has_the_reason() {
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
    let measure = || {
        store.clear();
        let measured = unoptimised().env("PERFTEST_MODE", "measure").store(&store).run();
        assert_eq!(store.records("sum").len(), 1, "{measured}");
        measured.ended_with(0)
    };
    let is_counted = |outcome: &Outcome| outcome.line_of("sum").contains("recorded 1 of 5");
    let measured = patiently(measure, is_counted);
    assert!(is_counted(&measured), "{measured}");
}

#[test]
fn an_optimised_build_with_debug_assertions_is_measured() {
    let measured = PROJECTS.binary("asserting", "perf").env("PERFTEST_STORE", "off").run();
    let measured = measured.ended_with(0);
    assert!(!measured.line_of("sum").contains("not measured"), "{measured}");
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

/// libtest shows nothing else of a test that passes.
#[test]
fn inside_libtest_one_line_of_a_process_reports_that_nothing_is_measured() {
    let library = || PROJECTS.binary("measured", "measured").smoke();
    for arguments in [&[][..], &["--nocapture"]] {
        let smoked = library().args(arguments).run().ended_with(0);
        let smoked = smoked.warns(&["run once and are not measured: PERFTEST_MODE=smoke"]);
        assert_eq!(smoked.stderr.matches("run once").count(), 1, "{smoked}");
    }
}

#[test]
fn inside_libtest_a_test_that_passes_over_its_limit_is_reported_once() {
    let store = TempStore::new();
    let library = |arguments: &[&str]| {
        store.clear();
        let library = PROJECTS.binary("measured", "measured").args(arguments).store(&store);
        library.env("PERFTEST_LIMIT", "1ns").env("PERFTEST_ON_RED", "report").run().ended_with(0)
    };
    for arguments in [&["tests::inner"][..], &["tests::inner", "--nocapture"]] {
        let heard = |outcome: &Outcome| outcome.stderr.contains("perf test tests::inner ... ok");
        let outcome = patiently(|| library(arguments), heard);
        assert!(heard(&outcome) && !outcome.stdout.contains("perf test tests::inner"), "{outcome}");
    }
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
fn a_missing_baseline_is_reported_in_ci_and_not_at_home() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    let run = || {
        store.clear();
        let binary = PROJECTS.binary("measured", "perf").store(&store);
        binary.env("CARGO_MANIFEST_DIR", repository.path())
    };
    let at_home = patiently(|| run().run().ended_with(0), |it| !it.stderr.contains("!!"));
    assert!(!at_home.stderr.contains("!!"), "{at_home}");
    let output = |outcome: &Outcome| outcome.stderr.matches("has no baseline").count();
    let in_ci = patiently(|| run().env("CI", "true").run().ended_with(0), |it| output(it) > 0);
    assert_eq!(output(&in_ci), 1, "once a session: {in_ci}");
    in_ci.warns(&["they detect no slowdown", "PERFTEST_STORE"]);
}
