//! Bodies that misbehave.

use crate::front_end::json_lines;
use crate::{PROJECTS, SLOW, learn, red};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};

fn bodies() -> Invocation {
    PROJECTS.binary("bodies", "perf")
}

fn slow_bodies() -> Invocation {
    PROJECTS.slowed("bodies", "perf")
}

#[test]
fn each_way_to_fail_is_reported_in_its_own_words() {
    let failed = bodies().args(&["iter", "panics", "returns"]).run().ended_with(101);
    for test in [
        "iterates_twice",
        "never_iterates",
        "panics",
        "panics_in_its_maker",
        "panics_in_its_preparation",
        "returns_an_error",
        "returns_an_error_among_others",
        "returns_an_error_at_the_eighth_input",
        "returns_an_error_later",
    ] {
        assert_eq!(failed.line_of(test), "FAILED");
    }
    failed.prints(&[
        "the body called `iter` twice",
        "the body never called `iter`",
        "the body panicked: forty-two is not 43",
        "the body panicked: the maker ran out at 7",
        "no such catalog",
        "the body returned an error: \"the index is gone\"",
        "the body returned an error: \"cannot digest 7\"",
        "the body returned an error: \"cannot swallow 8\"",
        "the body returned an error: ParseIntError",
        "test result: FAILED. 0 passed; 9 failed;",
    ]);
}

#[test]
fn a_child_that_the_body_forks_ends_as_it_likes() {
    let forked = bodies().args(&["--exact", "forks"]).run().ended_with(0);
    assert!(!forked.stderr.contains("the process ended while"), "{forked}");
}

#[test]
fn a_failed_body_leaves_no_record() {
    let store = TempStore::new();
    bodies().args(&["returns"]).store(&store).run().ended_with(101);
    assert_eq!(store.histories().len(), 0);
}

#[test]
#[cfg(unix)]
fn an_abort_is_reported_with_its_test_and_costs_no_record_before_it() {
    let store = TempStore::new();
    let aborted = bodies().args(&["before_it", "then_aborts"]).store(&store).run();
    assert_eq!(aborted.code, None, "the signal is not hidden: {aborted}");
    let aborted = aborted.warns(&[
        "the process ended",
        "`then_aborts`",
        "--test perf -- --exact then_aborts",
    ]);
    let aborted = aborted.warns(&["The tests behind it in this test binary did not run;"]);
    assert!(aborted.line_of("before_it").starts_with("ok "), "{aborted}");
    assert_eq!(store.histories().len(), 1, "nothing of the aborted test was recorded");
    let again = bodies().args(&["before_it"]).store(&store).run().ended_with(0);
    assert_eq!(store.records("before_it").len(), 2, "{again}");
    assert!(!again.stderr.contains("store: "), "what was recorded can be read: {again}");
}

#[test]
#[cfg(unix)]
fn a_body_that_exits_with_success_is_no_green_of_the_tests_behind_it() {
    let left = bodies().args(&["--exact", "exits_with_success", "panics"]).run();
    left.ended_with(101).warns(&["the process ended", "`exits_with_success`"]);
}

#[test]
#[cfg(unix)]
fn a_body_that_ends_the_process_hides_no_failure_before_it() {
    let failed = ["---- never_iterates (", "the body never called `iter`"];
    let first = bodies().args(&["--exact", "never_iterates", "then_aborts"]).run();
    first.warns(&failed).warns(&["the process ended while `then_aborts`"]);
    let hung = bodies().args(&["--exact", "never_iterates", "sleeps"]);
    let hung = hung.env("PERFTEST_TIMEOUT", "10ms").run().ended_with(101);
    hung.warns(&failed).warns(&["`sleeps` (", "hangs"]);
}

#[test]
#[cfg(unix)]
fn a_body_that_closes_or_redirects_standard_output_loses_no_line_of_any_test() {
    let closing = ["closes_standard_output", "closes_standard_output_and_fails"];
    let all = bodies().args(&["--exact", "prints", "redirects_standard_output"]).args(&closing);
    let all = all.run().ended_with(101);
    for (test, beginning) in [
        (closing[0], "ok "),
        (closing[1], "FAILED"),
        ("prints", "a beginning of a line"),
        ("redirects_standard_output", "ok "),
    ] {
        assert!(all.line_of(test).starts_with(beginning), "{test}: {all}");
    }
    all.prints(&["without an output", "test result: FAILED. 3 passed; 1 failed;"]);
}

#[test]
#[cfg(unix)]
fn the_harness_of_cargo_prints_the_tests_behind_a_body_that_closes_standard_output() {
    let usual = PROJECTS.binary("bodies", "usual").args(&["--test-threads=1", "--skip", "fails"]);
    let run = usual.args(&["--skip", "hangs"]).run().ended_with(0);
    run.prints(&["test measures ... ok", "test result: ok. 2 passed"]);
}

#[test]
#[cfg(unix)]
fn nextest_prints_the_report_of_a_body_that_closes_standard_output() {
    let nextest = PROJECTS.cargo("bodies");
    let nextest = nextest.args(&["nextest", "run", "--release", "--test", "perf"]);
    let filter = "test(=closes_standard_output_and_fails)";
    nextest.args(&["-E", filter]).run().ended_with(100).warns(&["without an output"]);
}

#[test]
#[cfg(unix)]
fn a_body_that_closes_standard_output_is_confirmed_like_any_other() {
    let store = TempStore::new();
    let test = "closes_standard_output";
    let run = || {
        learn(test, bodies, &store);
        slow_bodies().args(&["--exact", test]).store(&store)
    };
    red(run, &store).ended_with(3).prints(&["slower than ", " processes"]);
}

#[test]
fn what_a_body_prints_does_not_disturb_its_confirmation() {
    let store = TempStore::new();
    let run = || {
        learn("prints", bodies, &store);
        slow_bodies().args(&["--exact", "prints"]).store(&store)
    };
    let red = red(run, &store);
    red.ended_with(3).prints(&["slower than ", " processes"]);
}

#[test]
#[cfg(unix)]
fn what_a_body_prints_leaves_each_json_event_a_line_of_its_own() {
    let tests = ["prints", "redirects_standard_output"];
    let outcome = bodies().args(&["--format=json", "--exact"]).args(&tests).run().ended_with(0);
    let events = json_lines(&outcome);
    let ended: Vec<_> = events.iter().filter(|it| it["event"] == "ok").collect();
    // And the suite.
    assert_eq!(ended.len(), tests.len() + 1, "{outcome}");
    outcome.warns(&["a beginning of a line: and and "]);
}

#[test]
#[cfg(unix)]
fn fresh_processes_need_neither_the_directory_that_a_body_left_nor_what_a_body_reads() {
    let store = TempStore::new();
    let tests = ["leaves_its_directory_and_removes_it", "reads_standard_input"];
    let run = || {
        learn(tests[1], bodies, &store);
        slow_bodies().args(&["--exact"]).args(&tests).store(&store)
    };
    let red = red(run, &store).ended_with(3);
    assert!(red.line_of(tests[0]).starts_with("ok "), "{red}");
    assert!(red.line_of(tests[1]).starts_with("FAILED"), "{red}");
}

#[test]
fn a_red_that_no_fresh_process_can_confirm_is_none() {
    let store = TempStore::new();
    let test = "ends_the_fresh_process";
    let run = || {
        learn(test, bodies, &store);
        let slow = slow_bodies().args(&["--exact", test]).env(SLOW.0, SLOW.1);
        slow.store(&store).run().ended_with(0)
    };
    let is_unconfirmed = |outcome: &Outcome| {
        let line = outcome.line_of(test);
        ["unclear", "a fresh process", "exit status: 7"].iter().all(|part| line.contains(part))
    };
    let unconfirmed = patiently(run, is_unconfirmed);
    assert!(is_unconfirmed(&unconfirmed), "{unconfirmed}");
}
