//! Bodies that never end.

use crate::{PROJECTS, SLOW, learn};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use std::time::{Duration, Instant};

const SHORT: (&str, &str) = ("PERFTEST_TIMEOUT", "1s");

const OTHERS: &str = "The tests behind it in this test binary did not run;";

/// How the runners select the test alone.
const BY_CARGO: &str = "--test usual -- --exact hangs";
const BY_NEXTEST: &str = "--test usual -E 'test(=hangs)'";

fn is_ended_with_its_name(invocation: Invocation, code: i32, alone: &str) -> Outcome {
    let ended = invocation.env(SHORT.0, SHORT.1).run().ended_with(code);
    ended.warns(&["`hangs` (", "no batch of its body ended within 1 s", alone])
}

#[test]
fn a_body_that_hangs_ends_its_process_with_the_name_of_the_test() {
    let usual = || PROJECTS.binary("bodies", "usual").args(&["--exact", "hangs"]);
    is_ended_with_its_name(usual(), 101, BY_CARGO).warns(&[OTHERS]);
    is_ended_with_its_name(usual().args(&["--test-threads=1"]), 101, BY_CARGO);
    is_ended_with_its_name(usual().smoke(), 101, BY_CARGO);
}

#[test]
fn a_process_that_hangs_ends_with_the_one_that_waits_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let note = directory.path().join("process");
    let test = "waits_for_a_process_that_hangs";
    let waiting = PROJECTS.binary("bodies", "perf").args(&["--exact", test]).env("NOTE", &note);
    waiting.env(SHORT.0, SHORT.1).run().ended_with(101).warns(&["no batch of its body ended"]);
    let process = std::fs::read_to_string(note).unwrap();
    let state = format!("/proc/{}/cmdline", process.trim());
    let is_gone = || !std::fs::read_to_string(&state).unwrap_or_default().contains("sleep");
    let attempts = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(20));
        is_gone()
    });
    assert!(attempts.take(100).any(|is_gone| is_gone), "process {process} is still there");
}

#[test]
fn a_body_that_hangs_is_watched_while_others_beside_it_end() {
    let beside = PROJECTS.binary("bodies", "usual").smoke();
    is_ended_with_its_name(beside.args(&["--test-threads=2", "hangs", "measures"]), 101, BY_CARGO);
}

#[test]
fn cargo_test_and_nextest_fail_with_a_body_that_hangs() {
    let cargo = |arguments: &[&str]| {
        PROJECTS.cargo("bodies").args(arguments).args(&["--release", "--test", "usual", "hangs"])
    };
    is_ended_with_its_name(cargo(&["test"]), 101, BY_CARGO).warns(&[OTHERS]);
    let alone = is_ended_with_its_name(cargo(&["nextest", "run"]), 100, BY_NEXTEST);
    assert!(!alone.stderr.contains(OTHERS), "each test has its own process: {alone}");
}

#[test]
fn a_body_that_works_longer_than_its_time_out_and_ends_batches_is_measured() {
    let began = Instant::now();
    let measured = PROJECTS.binary("bodies", "perf").args(&["--exact", "sleeps"]);
    measured.env(SHORT.0, SHORT.1).run().ended_with(0).prints(&["sleeps ... ok"]);
    assert!(began.elapsed() > Duration::from_secs(1), "a shorter one proves nothing");
}

#[test]
fn a_fresh_process_that_hangs_is_ended_and_confirms_nothing() {
    let test = "hangs_in_the_fresh_process";
    let store = TempStore::new();
    let bodies = || PROJECTS.binary("bodies", "perf").env(SHORT.0, SHORT.1);
    let run = || {
        learn(test, bodies, &store);
        let slow = PROJECTS.slowed("bodies", "perf").env(SHORT.0, SHORT.1);
        slow.args(&["--exact", test]).env(SLOW.0, SLOW.1).store(&store).run().ended_with(0)
    };
    let prints = |outcome: &Outcome| {
        outcome.line_of(test).contains(&format!("a fresh process of `{test}` gave no answer for "))
    };
    let output = patiently(run, prints);
    assert!(prints(&output), "{output}");
}
