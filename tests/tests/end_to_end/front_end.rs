//! The command line of a perf binary, beside libtest's own for the same functions.

use crate::PROJECTS;
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use serde_json::Value;

const ALL: [&str; 7] = [
    "alpha",
    "alphabet",
    "eternal",
    "fails_when_asked",
    "inner::beta",
    "inner::deeper::r#loop",
    "silent",
];

fn ours() -> Invocation {
    PROJECTS.binary("listed", "perf").smoke()
}

fn libtests() -> Invocation {
    PROJECTS.binary("listed", "usual").smoke()
}

/// Runs with these arguments and returns what was started.
fn started(arguments: &[&str]) -> Vec<String> {
    let outcome = ours().args(arguments).run().ended_with(0);
    outcome.started().into_iter().map(str::to_owned).collect()
}

#[test]
fn the_list_is_libtests_list_of_the_same_functions() {
    for arguments in [
        &["--list"][..],
        &["--list", "--format", "terse"],
        &["--list", "--format=terse", "--ignored"],
        &["--list", "--include-ignored"],
        &["--list", "alpha"],
        &["--list", "--exact", "alpha"],
        &["--list", "--skip", "alpha"],
    ] {
        let (ours, libtests) = (ours().args(arguments).run(), libtests().args(arguments).run());
        assert_eq!(ours, libtests, "{arguments:?}");
    }
}

#[test]
fn an_empty_list_is_libtests_empty_list() {
    for arguments in [&["--list", "no_such_test"][..], &["--list", "--ignored", "alpha"]] {
        let (ours, libtests) = (ours().args(arguments).run(), libtests().args(arguments).run());
        assert_eq!(ours, libtests, "{arguments:?}");
    }
}

#[test]
fn the_terse_list_is_one_line_a_test_and_nothing_else() {
    let listed = ours().args(&["--list", "--format", "terse"]).run().ended_with(0);
    let expected: String = ALL.iter().map(|name| format!("{name}: test\n")).collect();
    assert_eq!((listed.stdout, listed.stderr), (expected, String::new()));
}

#[test]
fn lists_asked_for_at_the_same_time_do_not_disturb_each_other() {
    let all = || ours().args(&["--list", "--format", "terse"]);
    let ignored = || all().args(&["--ignored"]);
    let list = |list: Invocation| list.run().ended_with(0);
    let expected = (list(all()), list(ignored()));
    std::thread::scope(|scope| {
        let start = |it: Invocation| scope.spawn(move || list(it));
        let both = |_| (start(all()), start(ignored()));
        for (all, ignored) in (0..12).map(both).collect::<Vec<_>>() {
            assert_eq!((all.join().unwrap(), ignored.join().unwrap()), expected);
        }
    });
}

#[test]
fn listing_measures_nothing_and_touches_no_store() {
    let store = TempStore::new();
    let listed = PROJECTS.binary("listed", "perf").args(&["--list"]).store(&store).run();
    listed.ended_with(0);
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 0);
}

#[test]
fn filters_select_as_in_libtest() {
    assert_eq!(started(&[]), ALL);
    assert_eq!(started(&["alpha"]), ["alpha", "alphabet"]);
    assert_eq!(started(&["--exact", "alpha"]), ["alpha"]);
    assert_eq!(started(&["beta", "alpha"]), ["alpha", "alphabet", "inner::beta"]);
    assert_eq!(started(&["alpha", "--skip", "bet"]), ["alpha"]);
    assert_eq!(started(&["inner::"]), ["inner::beta", "inner::deeper::r#loop"]);
    assert_eq!(started(&["--ignored"]), ["eternal", "silent"]);
}

#[test]
fn ignored_tests_are_reported_and_run_only_when_asked_for() {
    let usual = ours().run().ended_with(0);
    assert_eq!(usual.line_of("eternal"), "ignored, takes a week");
    assert_eq!(usual.line_of("silent"), "ignored");
    usual.prints(&["5 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out"]);
    let only = ours().args(&["--ignored"]).run().ended_with(0);
    assert!(only.line_of("eternal").starts_with("ok"), "{only}");
    only.prints(&["2 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out"]);
    let all = ours().args(&["--include-ignored"]).run().ended_with(0);
    all.prints(&["7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"]);
}

#[test]
fn a_filter_that_matches_nothing_is_no_failure() {
    let none = ours().args(&["no_such_test"]).run().ended_with(0);
    none.prints(&["running 0 perf tests", "0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered"]);
}

#[test]
fn what_a_body_prints_is_shown_with_and_without_nocapture() {
    for arguments in [&["alpha"][..], &["alpha", "--nocapture"], &["alpha", "--no-capture"]] {
        ours().args(arguments).run().ended_with(0).prints(&["alpha was here", "2 passed"]);
    }
}

#[test]
fn quiet_prints_what_libtest_prints_except_the_time() {
    let without_time = |outcome: Outcome| {
        let (text, _time) = outcome.stdout.split_once("finished in").unwrap();
        text.replace("perf tests", "tests")
    };
    for arguments in [&["-q"][..], &["--quiet"], &["--format=terse"]] {
        let quiet = |binary: Invocation| binary.args(arguments).run().ended_with(0);
        let (ours, libtests) = (ours().args(&["--skip", "alpha"]), libtests());
        let libtests = libtests.args(&["--skip", "alpha", "--test-threads=1"]);
        assert_eq!(without_time(quiet(ours)), without_time(quiet(libtests)), "{arguments:?}");
    }
}

#[test]
fn json_has_the_events_of_libtest() {
    let arguments = ["--format", "json", "-Z", "unstable-options", "--skip", "alpha"];
    let outcome = ours().args(&arguments).env("FAIL", "1").run().ended_with(101);
    let events = json_lines(&outcome);
    let shape = |event: &Value| {
        let field = |key| event[key].as_str().unwrap_or_default().to_owned();
        (field("type"), field("event"), field("name"))
    };
    let expected = [
        ("suite", "started", ""),
        ("test", "started", "eternal"),
        ("test", "ignored", "eternal"),
        ("test", "started", "fails_when_asked"),
        ("test", "failed", "fails_when_asked"),
        ("test", "started", "inner::beta"),
        ("test", "ok", "inner::beta"),
        ("test", "started", "inner::deeper::r#loop"),
        ("test", "ok", "inner::deeper::r#loop"),
        ("test", "started", "silent"),
        ("test", "ignored", "silent"),
        ("suite", "failed", ""),
    ];
    let expected = expected.map(|(kind, event, name)| (kind.into(), event.into(), name.into()));
    assert_eq!(events.iter().map(shape).collect::<Vec<_>>(), expected);
    assert_eq!(events[0]["test_count"], 5);
    assert_eq!(events[2]["message"], "takes a week");
    assert!(events[4]["stdout"].as_str().unwrap().contains("asked to"));
    let end = events.last().unwrap();
    for (key, count) in
        [("passed", 2), ("failed", 1), ("ignored", 2), ("measured", 0), ("filtered_out", 2)]
    {
        assert_eq!(end[key], count, "{key}");
    }
    assert!(end["exec_time"].is_f64());
}

#[test]
fn json_of_a_measured_test_carries_its_evidence() {
    let arguments = ["--format=json", "--exact", "inner::beta"];
    let measured = || {
        let measured = PROJECTS.binary("listed", "perf").args(&arguments).run().ended_with(0);
        json_lines(&measured)[2]["perftest"].take()
    };
    // A body without any work.
    let evidence = patiently(measured, |evidence| evidence["verdict"] == "not_measurable");
    assert_eq!(evidence["verdict"], "not_measurable", "{evidence}");
    assert!(evidence["value"].as_f64().unwrap() >= 0.0);
    assert!(evidence["measurements"].as_u64().unwrap() > 0);
}

/// The events that `--format json` printed, one a line.
pub(crate) fn json_lines(outcome: &Outcome) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|it| panic!("{it}: {line}"));
    outcome.stdout.lines().map(parse).collect()
}

#[test]
fn a_wrong_call_ends_with_101_and_names_what_is_wrong() {
    for (arguments, named) in [
        (&["--fast"][..], "--fast"),
        (&["--format", "xml"], "xml"),
        (&["--skip"], "--skip"),
        (&["--test-threads", "many"], "many"),
        (&["--logfile", "/dev/null/log"], "/dev/null/log"),
    ] {
        let refused = ours().args(arguments).run().ended_with(101);
        assert_eq!(refused.stdout, "", "{arguments:?}");
        refused.warns(&[named]);
    }
}

#[test]
fn help_names_the_options_and_the_variables() {
    let help = ours().args(&["--help"]).run().ended_with(0);
    help.prints(&["--list", "--exact", "--skip", "PERFTEST_STORE", "PERFTEST_MODE"]);
}

#[test]
fn a_seed_gives_an_order_that_can_be_repeated() {
    let shuffled = |seed| started(&["--shuffle-seed", seed, "--include-ignored"]);
    assert_eq!(shuffled("7"), shuffled("7"));
    let orders = ["1", "3", "5", "7"].map(shuffled);
    assert!(orders.iter().any(|order| *order != ALL), "{orders:?}");
    for order in orders {
        let mut sorted = order;
        sorted.sort();
        assert_eq!(sorted, ALL);
    }
}

#[test]
fn a_log_file_has_what_standard_output_has() {
    let directory = TempStore::new();
    let path = directory.path().join("perf.log");
    let path = path.to_str().unwrap();
    let outcome = ours().args(&["--logfile", path, "--skip", "alpha"]).run().ended_with(0);
    assert_eq!(std::fs::read_to_string(path).unwrap(), outcome.stdout);
    #[cfg(unix)]
    ours().args(&["--logfile", "/dev/null", "--skip", "alpha"]).run().ended_with(0);
}

#[test]
fn fail_fast_stops_at_the_first_failure() {
    let run = |arguments: &[&str]| ours().args(arguments).env("FAIL", "1").run().ended_with(101);
    let stopped = run(&["--fail-fast"]);
    assert_eq!(stopped.started().last(), Some(&"fails_when_asked"));
    let complete = run(&[]);
    assert_eq!(complete.started(), ALL);
    complete.prints(&["4 passed; 1 failed; 2 ignored"]);
}
