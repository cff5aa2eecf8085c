//! Tests whose own noise stands in the way of a verdict, driven by scripted answers.

use crate::script::*;
use perftest_core::judge::{Confirmation, Policy, Power};
use perftest_core::model::{Baseline, BaselineRule, Direction, Measurement, Observation, Reason};
use std::time::Duration;

#[test]
fn wide_noise_gets_the_measurements_that_settle_it_when_there_is_time() {
    let wide = |index: usize| Measurement::of_value(100_000.0 * (0.9 + 0.2 * wobble(index)));
    let history = Baseline {
        centers: vec![Observation::from(100_000.0); 30],
        sequences: (0..30)
            .map(|run| (0..15).map(|n| (&wide(15 * run + n)).into()).collect())
            .collect(),
        ..Baseline::empty(&BaselineRule::default())
    };
    let own = |index: usize| Measurement::of_value(102_000.0 * (0.9 + 0.2 * wobble(index)));
    let script = Script { own, fresh: unneeded, each: QUICK };
    let evidence = script.play(history.clone(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Green, "{evidence:?}");
    assert!(evidence.measurements > 60 && evidence.measurements < 2_000);

    let short = Policy { budget_ns: 40_000_000, ..Policy::default() };
    let evidence = script.play(history, short).evidence;
    assert_eq!(evidence.reason, Reason::Unclear);
    assert!(evidence.needed_measurements.is_some_and(|needed| needed > 15));
}

#[test]
fn what_a_history_finds_is_reported_and_grows_with_it() {
    let evidence = |runs| {
        let script = Script { own: |n| near(100_000.0, n), fresh: unneeded, each: QUICK };
        script.play(quiet(runs), Policy::default()).evidence
    };
    let (few, many) = (evidence(5), evidence(30));
    assert!(few.smallest_detectable > many.smallest_detectable, "{few:?} {many:?}");
    assert!(many.smallest_detectable.is_some_and(|share| share > 0.05 && share < 0.10), "{many:?}");
    assert!(many.false_alarm_rate.is_some_and(|rate| rate < 1e-6));
}

#[test]
fn an_unstable_test_is_never_green_and_red_only_far_beyond_its_own_noise() {
    let noisy = || baseline((0..30).map(|run| 90_000.0 + 20_000.0 * wobble(run)));
    let same = Script { own: |n| near(98_000.0, n), fresh: unneeded, each: QUICK };
    let evidence = same.play(noisy(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unstable);
    assert!(evidence.noise.is_some_and(|noise| noise > 0.05));

    let slower = |n| near(115_000.0, n);
    let script = Script { own: slower, fresh: |_| process_near(115_000.0), each: QUICK };
    assert_eq!(script.play(noisy(), Policy::default()).evidence.reason, Reason::Unstable);

    let much =
        Script { own: |n| near(300_000.0, n), fresh: |_| process_near(300_000.0), each: QUICK };
    assert_eq!(much.play(noisy(), Policy::default()).evidence.reason, Reason::Red);
}

#[test]
fn a_history_with_two_modes_does_not_convict_its_slower_one() {
    let modes = || baseline((0..30).map(|run| if run % 5 == 0 { 115_000.0 } else { 100_000.0 }));
    let slower = |n| near(115_500.0, n);
    let script = Script { own: slower, fresh: |_| process_near(115_500.0), each: QUICK };
    assert_eq!(script.play(modes(), Policy::default()).evidence.reason, Reason::Unstable);
}

/// Each second run is 1.6 times as slow as the others.
fn alternating() -> Baseline {
    baseline((0..30).map(|run| if run % 2 == 0 { 160_000.0 } else { 100_000.0 }))
}

#[test]
fn what_lies_beyond_every_mode_is_red_however_far_apart_they_lie() {
    let slow = |n| near(210_000.0, n);
    let script = Script { own: slow, fresh: |_| process_near(210_000.0), each: QUICK };
    let evidence = script.play(alternating(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Red, "{evidence:?}");
    assert!(evidence.degradation.is_some_and(|it| it.lower > 1.25), "{evidence:?}");

    let of_slow_mode = Script { own: |n| near(161_000.0, n), fresh: unneeded, each: QUICK };
    let evidence = of_slow_mode.play(alternating(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unstable, "{evidence:?}");
}

#[test]
fn what_lies_beyond_every_mode_in_one_process_alone_is_not_red() {
    let script =
        Script { own: |n| near(210_000.0, n), fresh: |_| process_near(160_000.0), each: QUICK };
    let evidence = script.play(alternating(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unstable, "{evidence:?}");
    assert_eq!((evidence.slow_processes, evidence.processes > 3), (1, true));
}

#[test]
fn few_scattered_runs_are_no_modes_and_may_be_followed_by_a_slower_one() {
    let scattered = || baseline([100_000.0, 110_000.0, 125_000.0, 150_000.0, 160_000.0]);
    let played = |own: fn(usize) -> Measurement, fresh: fn(u32) -> Confirmation| {
        let script = Script { own, fresh, each: QUICK };
        script.play(scattered(), Policy::default()).evidence.reason
    };
    assert_eq!(played(|n| near(175_000.0, n), unneeded), Reason::Unstable);
    assert_eq!(played(|n| near(220_000.0, n), |_| process_near(220_000.0)), Reason::Red);
}

#[test]
fn power_predicts_what_is_beyond_every_mode() {
    let power = Power::of(&alternating(), Direction::Lower, &Policy::default()).unwrap();
    assert!(power.is_unstable() && power.smallest_detectable < 1.0, "{power:?}");
}

#[test]
fn slow_runs_that_no_process_would_be_suspected_for_foretell_no_red() {
    let modes = baseline((0..30).map(|run| if run % 5 == 0 { 115_000.0 } else { 100_000.0 }));
    let power = Power::of(&modes, Direction::Lower, &Policy::default()).unwrap();
    assert!(power.false_alarm_rate < 1e-3, "{power:?}");
}

/// Thirty runs of fifteen values, half of which are twice as slow.
fn two_modes() -> Baseline {
    let sequences: Vec<Vec<Observation>> = (0..30)
        .map(|run| (0..15).map(|index| of_two_modes(100_000.0, 15 * run + index).into()).collect())
        .collect();
    Baseline {
        centers: sequences.iter().filter_map(|run| Observation::center(run)).collect(),
        sequences,
        ..Baseline::empty(&BaselineRule::default())
    }
}

fn of_two_modes(fast_ns: f64, index: usize) -> f64 {
    let mode = if wobble(7 * index) < 0.5 { 1.0 } else { 2.0 };
    mode * near(fast_ns, index).value
}

#[test]
fn a_history_of_two_modes_is_judged_mode_by_mode() {
    let judged = |own: fn(usize) -> Measurement, fresh: fn(u32) -> Confirmation| {
        Script { own, fresh, each: QUICK }.play(two_modes(), Policy::default()).evidence
    };
    let same = judged(|n| Measurement::of_value(of_two_modes(100_000.0, n)), unneeded);
    assert_eq!(same.reason, Reason::Green, "{same:?}");

    let slower = judged(
        |n| Measurement::of_value(of_two_modes(115_000.0, n)),
        |_| Confirmation::Measured {
            measurements: (0..30)
                .map(|n| Measurement::of_value(of_two_modes(115_000.0, n)))
                .collect(),
            others_cpus: Some(0.0),
            elapsed: Duration::ZERO,
        },
    );
    assert_eq!(slower.reason, Reason::Red, "{slower:?}");
}

#[test]
fn a_slow_mode_that_comes_more_often_is_red_though_no_mode_is_slower() {
    let script =
        Script { own: |n| near(200_000.0, n), fresh: |_| process_near(200_000.0), each: QUICK };
    let evidence = script.play(two_modes(), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Red, "{evidence:?}");
    assert!(evidence.degradation.is_some_and(|it| it.estimate > 1.3), "{evidence:?}");
}

#[test]
fn no_more_measurements_are_advised_than_were_taken() {
    // So clear in the first process that few would settle it; the fresh ones are neither slow nor fast.
    fn around(middle: f64, index: usize) -> Measurement {
        Measurement::of_value(middle * (0.9 + 0.2 * wobble(index)))
    }
    let own = |index| around(200_000.0, index);
    let fresh = |_| Confirmation::Measured {
        measurements: (0..30).map(|index| around(106_000.0, index)).collect(),
        others_cpus: Some(0.0),
        elapsed: Duration::ZERO,
    };
    let script = Script { own, fresh, each: QUICK };
    let evidence = script.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unclear, "{evidence:?}");
    let taken = evidence.measurements - 30 * (evidence.processes - 1);
    assert!(evidence.needed_measurements.is_none_or(|needed| needed > taken), "{evidence:?}");
}
