//! Bodies so long that the budget has room for a few measurements only.

use crate::script::*;
use crate::support::run;
use perftest_core::judge::{Confirmation, Policy};
use perftest_core::model::{Baseline, Measurement, Observation, Reason};
use perftest_core::words::notes;
use std::time::Duration;

const MINUTE_NS: f64 = 60e9;

/// Runs of this length within 0.5%, each of so many measurements.
fn history(runs: usize, measurements: usize, value: f64) -> Baseline {
    let mut history = baseline((0..runs).map(|run| value * (0.995 + 0.01 * wobble(run))));
    for (center, sequence) in history.centers.iter().zip(&mut history.sequences) {
        let values = (0..measurements).map(|index| near(center.value, index).value);
        *sequence = values.map(Observation::from).collect();
    }
    history
}

fn budget_of(seconds: u64) -> Policy {
    Policy { budget_ns: seconds * 1_000_000_000, ..Policy::default() }
}

fn script(own: fn(usize) -> Measurement, fresh: fn(u32) -> Confirmation, seconds: u64) -> Script {
    Script { own, fresh, each: Duration::from_secs(seconds) }
}

#[test]
fn learning_takes_no_more_measurements_than_the_budget_has_room_for() {
    let of = |value: fn(usize) -> Measurement, seconds, budget| {
        let learned = script(value, unneeded, seconds).play(history(0, 1, 1.0), budget);
        assert_eq!(learned.evidence.reason, Reason::NoBaseline);
        assert!(learned.waits.is_empty());
        learned.evidence.measurements
    };
    assert_eq!(of(|n| near(2e9, n), 2, Policy::default()), 2);
    assert_eq!(of(|n| near(20e9, n), 20, Policy::default()), 1);
    assert_eq!(of(|n| near(5.0 * MINUTE_NS, n), 300, Policy::default()), 1);
    assert_eq!(of(|n| near(5.0 * MINUTE_NS, n), 300, budget_of(20 * 60)), 4);
}

#[test]
fn five_minutes_that_did_not_change_are_green_whatever_there_is_room_for() {
    for (budget, measurements) in [(3, 1), (10 * 60, 2), (15 * 60, 3), (20 * 60, 4)] {
        for runs in [5, 30] {
            let own = |n| near(5.0 * MINUTE_NS, n);
            let history = history(runs, measurements as usize, 5.0 * MINUTE_NS);
            let played = script(own, unneeded, 300).play(history, budget_of(budget));
            let evidence = &played.evidence;
            assert_eq!(evidence.reason, Reason::Green, "{budget} s, {runs} runs: {evidence:?}");
            assert!(evidence.measurements <= measurements, "{evidence:?}");
            let shown = evidence.degradation.unwrap();
            assert!(shown.lower < shown.estimate && shown.estimate < shown.upper, "{shown:?}");
        }
    }
}

#[test]
fn a_long_body_that_takes_a_quarter_more_is_red_after_as_many_in_fresh_processes() {
    for (budget, measurements) in [(3, 1), (10 * 60, 2), (20 * 60, 4)] {
        let slow = |n: usize| near(6.25 * MINUTE_NS, n);
        let fresh = |_| process_of(|n| near(6.25 * MINUTE_NS, n), 4);
        let history = history(12, measurements, 5.0 * MINUTE_NS);
        let played = script(slow, fresh, 375).play(history, budget_of(budget));
        assert_eq!(played.evidence.reason, Reason::Red, "{budget} s: {:?}", played.evidence);
        assert_eq!(played.confirmations, 3);
    }
}

#[test]
fn a_fresh_process_is_asked_for_no_more_than_there_was_room_for() {
    use perftest_core::judge::{Pairing, Step, StepAnswer, Trial};
    use perftest_core::model::Direction;
    let history = history(12, 2, 1.5e9);
    let mut trial = Trial::new(history, Direction::Lower, Policy::default());
    for round in 1..=2 {
        assert_eq!(trial.step(), Step::Measure);
        let measurement = near(2e9, round);
        trial.make_room_for(&measurement);
        trial.observe(StepAnswer::Measured(measurement), Duration::from_secs(2 * round as u64));
    }
    assert!(matches!(trial.step(), Step::Pair(_)));
    trial.observe(StepAnswer::Paired(Pairing::NoBase), Duration::from_secs(5));
    assert!(matches!(trial.step(), Step::Wait(_)));
    trial.observe(StepAnswer::Waited, Duration::from_secs(5));
    assert_eq!(trial.step(), Step::Confirm { process: 1, measurements: 2 });
}

#[test]
fn a_retry_counts_the_slow_processes_of_the_attempt_before_it_by_as_few_measurements() {
    use perftest_core::judge::{Pairing, Step, StepAnswer, Trial};
    use perftest_core::model::{Direction, Run};
    let slow = |n| near(2.5e9, n);
    let run = |order| Run { measurements: vec![slow(1), slow(2)], ..run(order, 2.5e9, "slow") };
    let earlier: Vec<Run> = (0..4).map(run).collect();
    let history = history(12, 2, 2e9);
    let mut trial = Trial::continued(history, Direction::Lower, Policy::default(), &earlier);
    let mut taken = 0;
    let evidence = loop {
        let observed = match trial.step() {
            Step::Measure => {
                taken += 1;
                trial.make_room_for(&slow(taken));
                StepAnswer::Measured(slow(taken))
            }
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
            Step::Confirm { measurements, .. } => {
                StepAnswer::Confirmed(process_of(|n| near(2.5e9, n), measurements as usize))
            }
            Step::Done(evidence) => break evidence,
        };
        trial.observe(observed, Duration::from_millis(2_500 * taken as u64));
    };
    assert_eq!((evidence.reason, taken), (Reason::Red, 2));
    assert_eq!((evidence.processes, evidence.slow_processes), (6, 6));
}

#[test]
fn a_fresh_process_measures_two_rounds_where_the_budget_has_room_for_them() {
    use perftest_core::judge::{Pairing, Step, StepAnswer, Trial};
    use perftest_core::model::Direction;
    for (each_ms, measurements) in [(90, 30), (110, 15), (190, 15)] {
        let each_ns = 1e6 * f64::from(each_ms);
        let mut trial =
            Trial::new(history(30, 15, each_ns / 3.0), Direction::Lower, Policy::default());
        let mut elapsed = Duration::ZERO;
        let mut taken = 0;
        let asked = loop {
            let observed = match trial.step() {
                Step::Measure => {
                    taken += 1;
                    elapsed += Duration::from_millis(each_ms as u64);
                    trial.make_room_for(&near(each_ns, taken));
                    StepAnswer::Measured(near(each_ns, taken))
                }
                Step::Wait(_) => StepAnswer::Waited,
                Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
                Step::Confirm { measurements, .. } => break measurements,
                Step::Done(evidence) => panic!("{evidence:?}"),
            };
            trial.observe(observed, elapsed);
        };
        assert_eq!(asked, measurements, "of {each_ms} ms each");
    }
}

#[test]
fn a_fresh_process_is_asked_for_no_more_than_this_one_had_time_for() {
    use perftest_core::judge::{Pairing, Step, StepAnswer, Trial};
    use perftest_core::model::Direction;
    let mut trial = Trial::new(history(12, 2, 1.0e3), Direction::Lower, Policy::default());
    for round in 1..=2 {
        assert_eq!(trial.step(), Step::Measure);
        let measurement = near(2e3, round);
        // Three of a second begin within three seconds, were there not the warm-up.
        trial.make_room_at_cost(&measurement, Duration::from_secs(1));
        trial.observe(
            StepAnswer::Measured(measurement),
            Duration::from_millis(1_500 * round as u64),
        );
    }
    assert!(matches!(trial.step(), Step::Pair(_)), "{:?}", trial.step());
    trial.observe(StepAnswer::Paired(Pairing::NoBase), Duration::from_secs(3));
    trial.observe(StepAnswer::Waited, Duration::from_secs(4));
    assert_eq!(trial.step(), Step::Confirm { process: 1, measurements: 2 });
}

#[test]
fn a_series_has_the_room_of_its_whole_and_not_of_what_it_sees() {
    use perftest_core::judge::{Step, StepAnswer, Trial};
    use perftest_core::model::Direction;
    let mut trial = Trial::new(history(0, 1, 1.0), Direction::Lower, Policy::default());
    for taken in 1..=3 {
        assert_eq!(trial.step(), Step::Measure);
        trial.make_room_for(&near(1.4e9, taken));
        let stage = StepAnswer::Measured(near(0.1e9, taken));
        trial.observe(stage, Duration::from_millis(100 * taken as u64));
    }
    assert!(matches!(trial.step(), Step::Done(_)), "three of 1.4 s are what 3 s have room for");
}

#[test]
fn what_a_single_measurement_cannot_tell_names_the_budget() {
    let own = |n| near(5.25 * MINUTE_NS, n);
    let history = history(5, 1, 5.0 * MINUTE_NS);
    let played = script(own, unneeded, 300).play(history, Policy::default());
    assert_eq!(played.evidence.reason, Reason::Unclear);
    assert!(
        notes(&played.evidence.notes).unwrap().contains("`budget`"),
        "{:?}",
        played.evidence.notes
    );
}

fn process_of(measurement: fn(usize) -> Measurement, count: usize) -> Confirmation {
    let measurements = (0..count).map(measurement).collect();
    Confirmation::Measured { measurements, others_cpus: Some(0.0), elapsed: Duration::ZERO }
}
