//! Histories of another speed of the machine, beside which pairs alone judge.

use crate::pairs::{baseline, judge, trial, trial_of};
use crate::play::near;
use perftest_core::judge::{Pairing, Step, StepAnswer};
use perftest_core::model::{Baseline, Reason};
use std::time::Duration;

#[test]
fn a_history_of_another_speed_leaves_the_verdict_to_pairs() {
    let other_speed = |pairs| judge(trial(0).by_pairs_alone(), 125_000.0, pairs).evidence.reason;
    assert_eq!(other_speed(|_| (125_000.0, Some(124_000.0))), Reason::Green);
    assert_eq!(other_speed(|_| (150_000.0, Some(124_000.0))), Reason::Red);
    assert_eq!(other_speed(|_| (125_000.0, None)), Reason::NoBaseline);
}

#[test]
fn where_pairs_alone_may_judge_and_are_refused_it_is_no_first_run() {
    let refused = |answer: Pairing| {
        let mut trial = trial(0).by_pairs_alone();
        loop {
            let observed = match trial.step() {
                Step::Measure => StepAnswer::Measured(near(125_000.0, 1)),
                Step::Pair(_) => StepAnswer::Paired(answer.clone()),
                Step::Done(evidence) => break evidence.reason,
                other => panic!("{other:?}"),
            };
            trial.observe(observed, Duration::from_millis(1));
        }
    };
    assert_eq!(refused(Pairing::NotAlone), Reason::NotAlone);
    assert_eq!(refused(Pairing::Unavailable("no room".to_owned())), Reason::Unclear);
}

#[test]
fn an_acceptance_bounds_the_pairs_beside_a_history_of_another_speed() {
    let accepted = Baseline { accepted_ratio: Some(1.15), ..baseline(30) };
    let judged = |pairs| {
        judge(trial_of(accepted.without_runs()).by_pairs_alone(), 125_000.0, pairs).evidence
    };
    let within = judged(|_| (110_000.0, Some(100_000.0)));
    assert_eq!((within.reason, within.is_accepted()), (Reason::Green, true));
    let beyond = judged(|_| (135_000.0, Some(100_000.0)));
    assert_eq!((beyond.reason, beyond.accepted_ratio), (Reason::Red, Some(1.15)));
}
