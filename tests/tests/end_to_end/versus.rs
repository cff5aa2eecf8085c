//! A test that is compared with a function.

use crate::PROJECTS;
use crate::front_end::json_lines;
use perftest_tests::{Invocation, TempStore, patiently};

const COMPARED: &str = "versus::compared";

fn ours() -> Invocation {
    PROJECTS.binary("contended", "perf")
}

fn compared() -> Invocation {
    ours().args(&["--exact", COMPARED])
}

#[test]
fn what_is_not_slower_passes_without_a_history() {
    let store = TempStore::new();
    let run = || compared().store(&store).run().ended_with(0);
    let parts = ["x of other [", " pairs  detects slowdowns from "];
    patiently(run, |outcome| outcome.has(&parts)).prints(&parts);
    assert!(store.histories().is_empty(), "nothing is recorded: {:?}", store.histories());
}

#[test]
fn what_is_slower_fails_after_fresh_processes_have_confirmed_it() {
    let run = || compared().env("OWN", "3").run();
    let red = patiently(run, |outcome| outcome.code == Some(3)).ended_with(3);
    let line = red.line_of(COMPARED);
    assert!(line.starts_with("FAILED") && line.contains("x of other, at least "), "{red}");
    assert!(line.contains(" pairs of fresh processes"), "{red}");
    red.prints(&["slower than other: ", "(tolerance 30%)", "\n  other     "]);
}

#[test]
fn what_only_reports_fails_nothing() {
    let run = || compared().env("OWN", "3").env("PERFTEST_ON_RED", "report").run();
    let parts = ["x of other, at least ", "(report only)"];
    patiently(|| run().ended_with(0), |outcome| outcome.has(&parts)).prints(&parts);
}

#[test]
fn what_is_faster_is_reported() {
    let run = || compared().env("OTHER", "3").run().ended_with(0);
    let parts = ["x of other, at most 0.", "verdicts  1 green"];
    patiently(run, |outcome| outcome.has(&parts)).prints(&parts);
}

#[test]
fn both_functions_make_no_more_inputs_at_a_time_than_their_teardown_allows() {
    ours().args(&["--exact", "versus::takes_places"]).run().ended_with(0);
}

#[test]
fn what_is_slower_in_one_process_only_is_not_red() {
    assert_open("versus::slow_here", &["unclear: ", "(slower in this process, "]);
}

#[test]
fn a_fresh_process_that_dies_confirms_nothing() {
    let parts = ["unclear: ", "no fresh process confirmed it: ", "exit status: 7"];
    assert_open("versus::ends_afresh", &parts);
}

/// The test is never red, and prints why.
#[track_caller]
fn assert_open(test: &str, parts: &[&str]) {
    let run = || ours().args(&["--exact", test]).run().ended_with(0);
    patiently(run, |outcome| outcome.has(parts)).prints(parts);
}

#[test]
fn who_fails_is_reported() {
    let arguments = ["--exact", "versus::succeeds", "versus::fails_itself"];
    for run in [ours(), ours().smoke()] {
        let failed = run.env("FAIL", "1").args(&arguments).run().ended_with(101);
        failed.prints(&[
            "`fails`: the body returned an error: \"no work\"",
            ")\nthe body returned an error: \"no work\"",
        ]);
    }
}

#[test]
fn who_panics_is_reported() {
    let arguments = ["--exact", "versus::outlasts", "versus::panics_itself"];
    for run in [ours(), ours().smoke()] {
        let failed = run.env("FAIL", "1").args(&arguments).run().ended_with(101);
        failed.prints(&[
            "`panics`: the body panicked: no strength",
            ")\nthe body panicked: no strength",
            "0 passed; 2 failed",
        ]);
    }
}

#[test]
fn a_number_that_judges_by_its_history_has_none_there() {
    let failed = ours().args(&["--exact", "versus::judges_a_number"]).run().ended_with(101);
    failed.prints(&["the metric `size` has a tolerance, but a test with `versus` has no history"]);
}

#[test]
fn cases_on_threads_are_compared_too() {
    let arguments = ["--format=json", "--exact", "versus::of_cases::threads=2::1000"];
    let run = || json_lines(&ours().args(&arguments).run())[2]["perftest"].take();
    let event = patiently(run, |event| event["value"].is_f64());
    assert_eq!((&event["versus"], &event["metric"]), (&"by_loop".into(), &"wall".into()));
    assert_eq!(event["throughput"]["amount"], 2_000);
    assert!(event["measurements"].as_u64() >= Some(10), "{event}");
    // Beside other work the threads may never run at the same time: then there is no value, and the reason is given.
    let were_apart = event["notes"][0][0] == "few_pairs_undisturbed";
    assert!(event["value"].as_f64() > Some(0.0) || were_apart, "{event}");
}

#[test]
fn libtest_and_nextest_compare_as_well() {
    let usual = || PROJECTS.binary("contended", "usual").args(&["--exact", COMPARED]);
    let run = || usual().env("OWN", "3").run();
    let red = patiently(run, |outcome| outcome.code == Some(101)).ended_with(101);
    red.prints(&["versus::compared ... FAILED", "slower than other: ", "of fresh processes"]);
    let nextest = || {
        let arguments = ["nextest", "run", "--release", "--test", "perf", "-E"];
        let nextest = PROJECTS.cargo("contended").args(&arguments);
        nextest.args(&["test(=versus::compared)"]).env("OWN", "3")
    };
    let red = patiently(|| nextest().run(), |outcome| outcome.code == Some(100)).ended_with(100);
    red.warns(&["contended::perf versus::compared", "1 failed"]);
}
