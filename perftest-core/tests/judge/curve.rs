//! What the author's own curve changes in a trial.

use crate::play::{self, PlayResult, near, wobble};
use perftest_core::judge::{Curve, Policy};
use perftest_core::model::{Baseline, BaselineRule, Measurement, Observation, Reason};
use perftest_core::words::notes;
use std::time::Duration;

const LEVEL_NS: f64 = 100_000.0;

fn measured(ratio: f64, index: usize) -> Measurement {
    near(LEVEL_NS * ratio, index)
}

/// Runs between 0.99 and 1.01 of the level, as a quiet machine gives them.
fn quiet(runs: usize) -> Baseline {
    let centers = (0..runs).map(|run| 0.99 + 0.02 * wobble(run));
    let sequence = |center| (0..10).map(|it| Observation::from(&measured(center, it))).collect();
    Baseline {
        sequences: centers.clone().map(sequence).collect(),
        centers: centers.map(|center| Observation::from(LEVEL_NS * center)).collect(),
        ..Baseline::empty(&BaselineRule::default())
    }
}

fn along(points: &[(u32, f64)]) -> Policy {
    Policy::default().along(Curve::of_points(points.to_vec()).expect("points that lead down"))
}

/// Code that is `ratio` times as slow in this process and `fresh` times in others.
fn play(baseline: Baseline, policy: Policy, ratio: f64, fresh: f64) -> PlayResult {
    play::play(baseline, policy, |n| measured(ratio, n), |n| measured(fresh, n))
}

#[test]
fn the_slower_the_code_the_earlier_it_is_looked_into() {
    let curve = along(&[(2, 4.0), (9, 2.0), (30, 1.25)]);
    for (ratio, expected) in [(4.5, 2), (2.5, 9), (1.4, 30)] {
        let PlayResult { evidence, own, .. } = play(quiet(30), curve.clone(), ratio, ratio);
        assert_eq!((evidence.reason, own), (Reason::Red, expected), "{ratio}");
    }
}

#[test]
fn what_lies_below_the_last_point_is_never_red() {
    let below = play(quiet(30), along(&[(2, 4.0), (30, 1.5)]), 1.4, 1.4);
    assert_eq!((below.evidence.reason, below.evidence.processes), (Reason::Unclear, 1));
    assert_eq!(play(quiet(30), Policy::default(), 1.4, 1.4).evidence.reason, Reason::Red);
}

#[test]
fn a_curve_makes_no_green_dearer_or_easier() {
    let curve = along(&[(2, 4.0), (30, 1.5)]);
    let green = play(quiet(30), curve.clone(), 1.0, 1.0);
    assert_eq!((green.evidence.reason, green.own), (Reason::Green, 3));
    assert_ne!(play(quiet(30), curve, 1.2, 1.2).evidence.reason, Reason::Green);
}

#[test]
fn fresh_processes_have_to_reach_the_curve_too() {
    let acquitted = play(quiet(30), along(&[(2, 4.0), (30, 1.5)]), 4.5, 1.3);
    assert_eq!((acquitted.evidence.reason, acquitted.own), (Reason::Unclear, 2));
    assert!(notes(&acquitted.evidence.notes).unwrap().contains("less than a red needs"));
    let convicted = play(quiet(30), along(&[(2, 4.0), (30, 1.5)]), 4.5, 1.7);
    assert_eq!(convicted.evidence.reason, Reason::Red);
}

#[test]
fn before_the_first_point_there_is_no_red_and_the_rounds_reach_it() {
    let late = play(quiet(30), along(&[(100, 1.2)]), 3.0, 3.0);
    assert_eq!((late.evidence.reason, late.own), (Reason::Red, 100));
    assert!(late.longest_wait < Duration::from_secs(1), "{:?}", late.longest_wait);
}

#[test]
fn a_budget_that_ends_before_the_curve_does_is_reported() {
    let short = Policy { budget_ns: 20_000_000, ..along(&[(100, 1.2)]) };
    let PlayResult { evidence, own, .. } = play(quiet(30), short, 3.0, 3.0);
    assert_eq!(evidence.reason, Reason::Unclear);
    assert!(own < 100, "{own}");
    assert!(notes(&evidence.notes).unwrap().contains("curve"), "{:?}", evidence.notes);
}

#[test]
fn a_history_too_short_for_a_proof_at_a_point_waits_for_the_next() {
    let curve = along(&[(2, 4.0), (9, 2.0), (30, 1.25)]);
    let PlayResult { evidence, own, .. } = play(quiet(5), curve, 4.5, 4.5);
    assert_eq!((evidence.reason, own), (Reason::Red, 9));
}

#[test]
fn a_test_sees_no_less_than_its_curve_convicts() {
    let smallest_detectable =
        |policy| play(quiet(30), policy, 1.0, 1.0).evidence.smallest_detectable.unwrap();
    assert!(smallest_detectable(Policy::default()) < 0.2);
    assert!((smallest_detectable(along(&[(30, 1.5)])) - 0.5).abs() < 1e-12);
}
