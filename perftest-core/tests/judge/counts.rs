//! What is counted, and the same in every run: allocations above all.

use crate::play::play;
use perftest_core::judge::{
    PairPlan, Pairing, Policy, Power, ProcessPair, Step, StepAnswer, Trial,
};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, Measurement, Metric, Reason, Tolerance,
};
use perftest_core::words::notes;
use std::time::Duration;

/// So many runs, each of which counted `value` once.
fn constant(runs: usize, value: f64) -> Baseline {
    let mut baseline = Baseline::empty(&BaselineRule::default());
    baseline.centers = vec![value.into(); runs];
    baseline.sequences = vec![vec![value.into()]; runs];
    baseline
}

fn policy(percent: f64) -> Policy {
    let tolerance = Tolerance::new(percent / 100.0).unwrap();
    Policy { tolerance, ..Policy::of(&Metric::allocations()) }
}

fn judged(baseline: Baseline, policy: Policy, now: f64) -> Evidence {
    let always = |_| Measurement::of_value(now);
    play(baseline, policy, always, always).evidence
}

#[test]
fn one_more_allocation_of_a_thousand_is_green_and_a_tenth_more_is_red() {
    for runs in [5, 30] {
        for (now, reason) in [
            (1_000.0, Reason::Green),
            (1_001.0, Reason::Green),
            (1_049.0, Reason::Green),
            (1_055.0, Reason::Red),
            (1_100.0, Reason::Red),
            (900.0, Reason::Improved),
        ] {
            let evidence = judged(constant(runs, 1_000.0), policy(5.0), now);
            assert_eq!(evidence.reason, reason, "{now} after {runs} runs");
        }
    }
}

#[test]
fn the_note_of_a_count_that_was_once_too_high_speaks_of_no_speed() {
    let own = |_| Measurement::of_value(1_100.0);
    let fresh = |_| Measurement::of_value(1_000.0);
    let evidence = play(constant(5, 1_000.0), policy(5.0), own, fresh).evidence;
    assert_eq!(evidence.reason, Reason::Green);
    assert_eq!(
        notes(&evidence.notes).unwrap(),
        "beyond its tolerance at first, but not in a fresh process"
    );
}

#[test]
fn what_is_known_once_can_be_red_whatever_the_most_measurements_are() {
    let few = Policy { max_measurements: Some(10), ..policy(5.0) };
    let of_times = judged(constant(5, 1_000.0), few.clone(), 1_100.0);
    assert_eq!(of_times.reason, Reason::Unclear, "ten values are too few beside five");
    assert_eq!(judged(constant(5, 1_000.0), few.once_per_process(), 1_100.0).reason, Reason::Red);
}

#[test]
fn a_narrow_tolerance_is_no_reason_to_call_a_constant_count_unstable() {
    for (now, reason) in [(1_000.0, Reason::Green), (1_020.0, Reason::Red)] {
        assert_eq!(judged(constant(5, 1_000.0), policy(1.0), now).reason, reason);
    }
    let power = Power::of(&constant(5, 1_000.0), Direction::Lower, &policy(1.0)).unwrap();
    assert!(power.detects_twice_its_tolerance(), "{power:?}");
}

#[test]
fn the_first_allocation_of_a_body_that_had_none_is_red() {
    for (now, reason) in [(0.0, Reason::Green), (1.0, Reason::Red)] {
        assert_eq!(judged(constant(5, 0.0), policy(5.0), now).reason, reason);
    }
}

#[test]
fn a_hundredth_of_a_page_fault_is_none_more() {
    let policy = Policy::of(&perftest_core::model::Usage::Faults.metric());
    assert_eq!(judged(constant(5, 0.01), policy, 0.02).reason, Reason::Green);
}

#[test]
fn a_number_of_the_authors_may_be_small() {
    let own = Metric { name: "loss".into(), unit: String::new(), direction: Direction::Lower };
    for (now, reason) in [(0.001, Reason::Green), (0.002, Reason::Red)] {
        assert_eq!(judged(constant(5, 0.001), Policy::of(&own), now).reason, reason);
    }
}

#[test]
fn a_last_good_build_that_counted_none_is_shown_with_none() {
    let mut trial = Trial::new(constant(5, 0.0), Direction::Lower, policy(5.0));
    let always = |value: f64, times: usize| vec![Measurement::of_value(value); times];
    let evidence = loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(Measurement::of_value(1.0)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(PairPlan { turns, .. }) => StepAnswer::Paired(Pairing::Measured {
                pair: ProcessPair {
                    base: always(0.0, turns.len()),
                    head: always(1.0, turns.len()),
                },
                elapsed: Duration::ZERO,
            }),
            Step::Confirm { .. } => panic!("a last good build runs"),
            Step::Done(evidence) => break evidence,
        };
        trial.observe(observed, Duration::ZERO);
    };
    assert_eq!(evidence.reason, Reason::Red);
    assert_eq!(evidence.paired_result.map(|it| (it.now, it.pairs)), Some((0.0, 5)));
}
