//! Unchanged machine code: never red, and no reason to start a process.

use crate::pairs::{judge, trial, trial_of, unstable};
use crate::script::interrupted;
use perftest_core::judge::{Step, StepAnswer};
use perftest_core::model::{Outcome, Reason};
use perftest_core::words::notes;
use std::time::Duration;

#[test]
fn the_same_code_is_never_red_and_starts_no_process() {
    for slow_ns in [125_000.0, 2_000_000.0] {
        let trial = trial(30).of_unchanged_code("a1b2c3d4e5");
        let played = judge(trial, slow_ns, |_| panic!("no process was to be started"));
        let evidence = played.evidence;
        assert_eq!(evidence.reason, Reason::SameCode);
        assert_eq!(evidence.reason.outcome(), Outcome::Passed);
        assert_eq!(notes(&evidence.notes).as_deref(), Some("same machine code as commit a1b2c3d"));
    }
}

#[test]
fn the_same_code_that_is_faster_is_no_improvement() {
    let trial = trial(30).of_unchanged_code("");
    let played = judge(trial, 60_000.0, |_| panic!("no process was to be started"));
    assert_eq!(played.evidence.reason, Reason::SameCode);
}

#[test]
fn the_same_code_of_an_unstable_test_is_the_same_code_and_starts_no_process() {
    let trial = trial_of(unstable(20)).of_unchanged_code("a1b2c3d4e5");
    let played = judge(trial, 100_000.0, |_| panic!("no process was to be started"));
    assert_eq!(played.evidence.reason, Reason::SameCode);
}

#[test]
fn the_same_code_that_its_first_round_leaves_undecided_waits_for_nothing() {
    let mut trial = trial(30).of_unchanged_code("a1b2c3d4e5");
    let evidence = loop {
        let answer = match trial.step() {
            Step::Measure => StepAnswer::Measured(interrupted(150_000.0)),
            Step::Done(evidence) => break *evidence,
            other => {
                panic!("nothing was to be waited for, and no process to be started: {other:?}")
            }
        };
        trial.observe(answer, Duration::ZERO);
    };
    assert_eq!(evidence.reason, Reason::SameCode);
}

#[test]
fn the_same_code_that_is_fast_is_green_as_ever() {
    let trial = trial(30).of_unchanged_code("");
    let played = judge(trial, 100_000.0, |_| panic!("no process was to be started"));
    assert_eq!((played.evidence.reason, played.evidence.notes), (Reason::Green, Vec::new()));
}
