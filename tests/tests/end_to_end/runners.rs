//! Under the runners people use: cargo, nextest, and libtest's own harness.

use crate::{PROJECTS, grows, learn, red};
use perftest_tests::{Invocation, TempStore, patiently};

pub(crate) fn inside_of_the_library() -> Invocation {
    PROJECTS.binary("measured", "measured")
}

fn slow_library() -> Invocation {
    PROJECTS.slowed("measured", "measured")
}

/// What cargo needs for slower code.
const SLOWED: [&str; 2] = ["--features", "slowed"];

#[test]
fn cargo_test_fails_with_the_red_of_its_binary() {
    let store = TempStore::new();
    let cargo = |features: &[&str]| {
        let cargo = PROJECTS.cargo("measured").store(&store);
        let cargo = cargo.args(&["test", "--release", "--test", "perf"]).args(features);
        cargo.args(&["--", "--exact", "grows"])
    };
    let first = || {
        store.clear();
        cargo(&[]).run().ended_with(0)
    };
    patiently(first, |outcome| outcome.has(&["no baseline"])).prints(&["no baseline"]);
    let slow = || {
        learn("grows", || PROJECTS.binary("measured", "perf"), &store);
        cargo(&SLOWED)
    };
    let red = red(slow, &store).ended_with(3);
    let again = "  again     cargo test --release -p measured --test perf -- --exact grows\n";
    red.prints(&["slower than ", again]).warns(&["error: test failed"]);
}

#[test]
fn nextest_lists_runs_and_fails_with_a_red() {
    let store = TempStore::new();
    let nextest = |arguments: &[&str]| {
        let nextest = PROJECTS.cargo("measured").store(&store);
        nextest.args(&["nextest", "run", "--release", "--test", "perf"]).args(arguments)
    };
    let all = nextest(&[]).run().ended_with(0);
    all.warns(&["measured::perf grows", "measured::perf steady", "2 tests run: 2 passed"]);
    assert_eq!(store.records("grows").len(), 1);
    assert_eq!(store.records("steady").len(), 1);
    let slow = || {
        learn("grows", grows, &store);
        nextest(&["grows", SLOWED[0], SLOWED[1]])
    };
    let red = red(slow, &store).ended_with(100);
    let again = "cargo nextest run --release -p measured --test perf -E 'test(=grows)'\n";
    red.warns(&["slower than ", "1 test run: 0 passed, 1 failed", again]);
}

#[test]
fn the_command_of_a_failure_is_of_the_runner_and_runs_the_test_again() {
    for (runner, only) in [
        (&["test"][..], &["--", "--exact", "grows"][..]),
        (&["nextest", "run"], &["-E", "test(=grows)"]),
    ] {
        let run = |arguments: &[&str]| {
            let over = || {
                let cargo = PROJECTS.cargo("measured").args(runner).args(arguments);
                cargo.env("PERFTEST_LIMIT", "1ns").run()
            };
            patiently(over, |outcome| outcome.code != Some(0))
        };
        let failed = run(&["--release", "--test", "perf", "grows"]);
        assert!(failed.code.is_some_and(|code| code != 0), "{failed}");
        let arguments = [&["--release", "-p", "measured", "--test", "perf"], only].concat();
        let command = format!("again     cargo {} {}\n", runner.join(" "), arguments.join(" "));
        // Quotes are for the shell.
        let text = (failed.stdout.clone() + &failed.stderr).replace('\'', "");
        assert!(text.contains(&command), "{command}: {failed}");
        let repeated = run(&arguments);
        assert_eq!(repeated.code, failed.code, "{repeated}");
    }
}

#[test]
fn a_private_function_is_judged_beside_ordinary_tests() {
    let store = TempStore::new();
    let after_learning = |run: Invocation| {
        learn("tests::inner", inside_of_the_library, &store);
        run.store(&store)
    };
    for threads in ["--test-threads=1", "--test-threads=2"] {
        let arguments = [threads, "--nocapture"];
        let judge = || after_learning(inside_of_the_library().args(&arguments)).run();
        let judged = patiently(judge, |outcome| outcome.has(&["x ["])).ended_with(0);
        judged.prints(&["perf test tests::inner ... ok", "2 passed", "x ["]);
        let red = red(|| after_learning(slow_library().args(&arguments)), &store).ended_with(101);
        red.prints(&["1 passed; 1 failed"]).warns(&["slower than ", "at least"]);
    }
    let arguments = [&["test", "--release", "--lib"], &SLOWED[..]].concat();
    let cargo = || PROJECTS.cargo("measured").args(&arguments);
    let red = red(|| after_learning(cargo()), &store).ended_with(101);
    red.prints(&["test tests::ordinary ... ok", "---- tests::inner", "slower than "]);
}

#[test]
fn a_fresh_process_of_a_libtest_binary_runs_no_other_test() {
    let store = TempStore::new();
    let run = || {
        learn("tests::inner", inside_of_the_library, &store);
        slow_library().args(&["--nocapture"]).store(&store)
    };
    let red = red(run, &store).ended_with(101);
    assert_eq!(red.stdout.matches("test tests::ordinary").count(), 1, "{red}");
}
