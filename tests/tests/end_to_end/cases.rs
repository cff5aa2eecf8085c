//! One function that stands for several tests.

use crate::front_end::json_lines;
use crate::{NEEDED, PROJECTS, SLOW, learn_until};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};

const ALL: [&str; 14] = [
    "fill::Vec<u8>::16",
    "fill::Vec<u8>::256",
    "fill::Box<[u8]>::16",
    "fill::Box<[u8]>::256",
    "grows::1000",
    "grows::3000",
    "ignored::2",
    "ignored::1",
    "inside::fails_at_two::1",
    "inside::fails_at_two::2",
    "named::few",
    "named::many",
    "text::tiny",
    "text::not so tiny",
];

fn ours() -> Invocation {
    PROJECTS.binary("cased", "perf")
}

fn libtests() -> Invocation {
    PROJECTS.binary("cased", "usual")
}

fn slowed() -> Invocation {
    PROJECTS.slowed("cased", "perf").env(SLOW.0, SLOW.1)
}

#[test]
fn each_case_is_listed_and_started_by_its_name() {
    let listed = ours().args(&["--list", "--format", "terse"]).run().ended_with(0);
    let expected: String = ALL.iter().map(|name| format!("{name}: test\n")).collect();
    assert_eq!(listed.stdout, expected);
    for name in ALL {
        let arguments = ["--exact", name, "--nocapture", "--include-ignored"];
        let run = ours().smoke().args(&arguments).run().ended_with(0);
        assert_eq!(run.started(), [name]);
    }
    let run = ours().smoke().args(&["fill::", "--skip", "Box"]).run().ended_with(0);
    assert_eq!(run.started(), ALL[..2]);
}

#[test]
fn libtest_has_a_test_for_each_case_that_can_be_seen_and_one_for_those_that_cannot() {
    let listed = libtests().args(&["--list", "--format", "terse"]).run().ended_with(0);
    let mut names: Vec<&str> =
        listed.stdout.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    names.sort_unstable();
    let mut expected = [
        "fill::Box__u8____16",
        "fill::Box__u8____256",
        "fill::Vec_u8___16",
        "fill::Vec_u8___256",
        "grows::_1000",
        "grows::_3000",
        "ignored",
        "inside::fails_at_two::_1",
        "inside::fails_at_two::_2",
        "named",
        "text::not_so_tiny",
        "text::tiny",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    let run = libtests().smoke().args(&["--nocapture", "--test-threads=1"]).run().ended_with(0);
    let run = run.prints(&["11 passed; 0 failed; 1 ignored", "perf test named::many ... ok"]);
    let output: Vec<&str> = run.stdout.lines().filter(|line| line.contains("perf test ")).collect();
    assert_eq!(output.len(), ALL.len() - 2, "one line a case: {output:?}");
}

#[test]
fn the_settings_of_a_case_of_libtest_are_found_by_either_name() {
    for name in ["fill::Vec_u8___16", "fill::Vec<u8>::16"] {
        let settings = libtests().env("PERFTEST_MODE", "list-effective");
        let listed = settings.args(&["--exact", name]).run().ended_with(0);
        let listed = listed.prints(&["fill::Vec<u8>::16"]);
        assert!(!listed.stdout.contains("fill::Vec<u8>::256"), "{listed}");
    }
}

#[test]
fn a_case_that_fails_is_the_only_one() {
    let failed = ours().smoke().env("FAIL", "1").args(&["fails_at"]).run().ended_with(101);
    assert!(failed.line_of("inside::fails_at_two::1").starts_with("ok"), "{failed}");
    assert_eq!(failed.line_of("inside::fails_at_two::2"), "FAILED");
    let libtests = libtests().smoke().env("FAIL", "1").args(&["fails_at"]).run().ended_with(101);
    libtests.prints(&["1 passed; 1 failed", "inside::fails_at_two::_2 ... FAILED"]);
}

#[test]
fn cases_that_cannot_be_kept_apart_are_a_failed_test_with_the_reason() {
    let refused = || PROJECTS.binary("cased", "refused").smoke();
    let listed = refused().args(&["--list", "--format", "terse"]).run().ended_with(0);
    assert_eq!(
        listed.stdout,
        "empty: test\nnameless: test\nnegative: test\ntwins: test\nunconcerned: test\n"
    );
    let failed = refused().run().ended_with(101);
    failed.prints(&[
        "`args` gives no value",
        "telling its cases panicked",
        "`bytes` is below zero",
        "two cases are named `one`",
        "names = |case|",
        "test result: FAILED. 1 passed; 4 failed;",
    ]);
}

/// Empties the store and runs both cases of `grows` as often as a verdict needs.
fn learn_both(binary: impl Fn() -> Invocation, store: &TempStore) {
    let run = || binary().args(&["--test-threads=1", "grows"]).store(store);
    let cases = ["grows-1000", "grows-3000"];
    let has_learned = || cases.iter().all(|case| store.baseline_runs(case).len() >= NEEDED);
    learn_until(run, store, has_learned);
}

#[test]
fn each_case_has_a_history_and_a_verdict_of_its_own() {
    let store = TempStore::new();
    let run = || {
        learn_both(ours, &store);
        assert_eq!(store.histories().len(), 2);
        slowed().args(&["grows"]).store(&store).run()
    };
    let is_red = |outcome: &Outcome| {
        let line = outcome.line_of("grows::3000");
        line.starts_with("FAILED") && line.contains(" pairs with the last good build")
    };
    let red = patiently(run, is_red).ended_with(3);
    let accept = "cargo perftest accept cased::perf::grows::3000";
    let red =
        red.prints(&[accept, "cargo test --release -p cased --test perf -- --exact grows::3000\n"]);
    assert!(red.line_of("grows::1000").starts_with("ok"), "{red}");
    assert!(is_red(&red), "{red}");
}

#[test]
fn a_case_of_libtest_is_confirmed_in_fresh_processes_that_run_it_alone() {
    let store = TempStore::new();
    let run = || {
        // Runs by its ordinary test count for the same history.
        learn_both(libtests, &store);
        let slow = PROJECTS.slowed("cased", "usual").env(SLOW.0, SLOW.1).store(&store);
        slow.args(&["--test-threads=1", "grows"]).run()
    };
    let red = patiently(run, |outcome| outcome.code == Some(101)).ended_with(101);
    let again = "--exact grows::_3000\n";
    red.prints(&["grows::_3000 ... FAILED", "1 passed; 1 failed", "slower than ", again]);
}

#[test]
fn throughput_stands_beside_the_time() {
    let run = ours().args(&["--exact", "grows::1000", "text::tiny"]).run().ended_with(0);
    assert!(run.line_of("grows::1000").contains("items/s  "), "{run}");
    assert!(run.line_of("text::tiny").contains("B/s  "), "{run}");
    let run = ours().args(&["--exact", "grows::1000", "--format=json"]).run().ended_with(0);
    let evidence = &json_lines(&run)[2]["perftest"];
    let (value, throughput) = (evidence["value"].as_f64().unwrap(), &evidence["throughput"]);
    assert_eq!((&throughput["amount"], &throughput["of"]), (&1000.into(), &"items".into()));
    let expected = 1000.0 * 1e9 / value;
    assert!((throughput["per_second"].as_f64().unwrap() / expected - 1.0).abs() < 1e-9);
}

#[test]
fn nextest_runs_each_case_by_its_listed_name() {
    let nextest = |target| {
        let arguments = ["nextest", "run", "--release", "--test", target];
        PROJECTS.cargo("cased").args(&arguments).smoke().run().ended_with(0)
    };
    let own = nextest("perf");
    own.warns(&[
        "cased::perf text::not so tiny",
        "cased::perf fill::Box<[u8]>::256",
        "12 tests run",
    ]);
    let usual = nextest("usual");
    usual.warns(&["cased::usual grows::_1000", "cased::usual named", "11 tests run: 11 passed"]);
}

#[test]
fn the_tool_knows_a_case_by_its_name_and_compares_it() {
    let listed = ours().internal("PERFTEST_LIST", "1").run().ended_with(0);
    assert_eq!(listed.stdout.matches("\"say\":\"test\"").count(), ALL.len(), "{listed}");
    let case = listed.stdout.lines().find(|line| line.contains("\"grows::3000\"")).unwrap();
    assert!(case.contains("\"ordinary\":\"grows::_3000\""), "{case}");
    assert!(case.contains("\"bench\":\"cased::perf::grows::3000\""), "{case}");
}
