//! Pragmastat's estimators and bounds: the crate gives what its fixtures say, and our bounds
//! enclose the crate's by a step at most.

use crate::fixture::{Case, cases, number, numbers};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{
    RankStep, center_bounds, pairwise_margin, ratio_bounds, shift_bounds, signed_rank_margin,
};
use pragmastat::estimators::raw::{self, RawBounds};

fn values(case: &Case, key: &str) -> Vec<f64> {
    numbers(case.input(key))
}

fn misrate(case: &Case) -> f64 {
    number(case.param("misrate"))
}

/// Fails unless `actual` is the expected number, or an error where one is expected.
fn assert_estimate<E>(case: &Case, actual: Result<f64, E>) {
    match actual {
        Ok(actual) => case.assert_near("estimate", actual, number(case.expected("output")), 1e-9),
        Err(_) => assert!(case.expected("error").is_object(), "{}", case.name()),
    }
}

/// The same for bounds; returns those of the crate.
fn assert_bounds<E>(case: &Case, actual: Result<RawBounds, E>) -> Option<RawBounds> {
    let Ok(actual) = actual else {
        assert!(case.expected("error").is_object(), "{}", case.name());
        return None;
    };
    let expected = case.expected("output");
    case.assert_near("lower", actual.lower, number(&expected["lower"]), 1e-9);
    case.assert_near("upper", actual.upper, number(&expected["upper"]), 1e-9);
    Some(actual)
}

/// Fails unless our bounds are `theirs` by the published step, and no narrower on any side by the
/// conservative one.
fn assert_both_steps(case: &Case, ours: impl Fn(RankStep) -> Option<Interval>, theirs: &RawBounds) {
    let published = ours(RankStep::Published).unwrap();
    case.assert_near("our lower", published.lower, theirs.lower, 1e-9);
    case.assert_near("our upper", published.upper, theirs.upper, 1e-9);
    let Some(ours) = ours(RankStep::Conservative) else { return };
    let slack = 1e-9 * (ours.lower.abs() + ours.upper.abs());
    let encloses = ours.lower <= theirs.lower + slack && ours.upper >= theirs.upper - slack;
    assert!(encloses, "{}: {ours:?} is narrower than {theirs:?}", case.name());
}

#[test]
fn the_crates_estimators_are_the_published_ones() {
    for case in cases(include_str!("pragmastat_center.json"), 22) {
        assert_estimate(&case, raw::center(&values(&case, "x"), false));
    }
    for case in cases(include_str!("pragmastat_spread.json"), 16) {
        assert_estimate(&case, raw::spread(&values(&case, "x"), false));
    }
    for case in cases(include_str!("pragmastat_shift.json"), 31) {
        assert_estimate(&case, raw::shift(&values(&case, "x"), &values(&case, "y"), false));
    }
    for case in cases(include_str!("pragmastat_ratio.json"), 20) {
        assert_estimate(&case, raw::ratio(&values(&case, "x"), &values(&case, "y"), false));
    }
    for case in cases(include_str!("pragmastat_disparity.json"), 15) {
        assert_estimate(&case, raw::disparity(&values(&case, "x"), &values(&case, "y"), false));
    }
}

#[test]
fn center_bounds_enclose_the_published_ones() {
    for case in cases(include_str!("pragmastat_center_bounds.json"), 19) {
        let (x, misrate) = (values(&case, "x"), misrate(&case));
        if let Some(theirs) = assert_bounds(&case, raw::center_bounds(&x, misrate, false)) {
            let x = Sample::new(x).unwrap();
            assert_both_steps(&case, |step| center_bounds(&x, misrate / 2.0, step), &theirs);
        }
    }
}

#[test]
fn shift_and_ratio_bounds_enclose_the_published_ones() {
    for case in cases(include_str!("pragmastat_shift_bounds.json"), 32) {
        let (x, y, misrate) = (values(&case, "x"), values(&case, "y"), misrate(&case));
        if let Some(theirs) = assert_bounds(&case, raw::shift_bounds(&x, &y, misrate, false)) {
            let (x, y) = (Sample::new(x).unwrap(), Sample::new(y).unwrap());
            assert_both_steps(&case, |step| shift_bounds(&x, &y, misrate / 2.0, step), &theirs);
        }
    }
    for case in cases(include_str!("pragmastat_ratio_bounds.json"), 32) {
        let (x, y, misrate) = (values(&case, "x"), values(&case, "y"), misrate(&case));
        if let Some(theirs) = assert_bounds(&case, raw::ratio_bounds(&x, &y, misrate, false)) {
            let (x, y) = (Sample::new(x).unwrap(), Sample::new(y).unwrap());
            assert_both_steps(&case, |step| ratio_bounds(&x, &y, misrate / 2.0, step), &theirs);
        }
    }
}

#[test]
fn the_crates_random_bounds_are_the_published_ones() {
    for case in cases(include_str!("pragmastat_spread_bounds.json"), 22) {
        let (x, seed) = (values(&case, "x"), case.word("seed"));
        assert_bounds(&case, raw::spread_bounds_with_seed(&x, misrate(&case), seed, false));
    }
    for case in cases(include_str!("pragmastat_disparity_bounds.json"), 20) {
        let (x, y, seed) = (values(&case, "x"), values(&case, "y"), case.word("seed"));
        assert_bounds(&case, raw::disparity_bounds_with_seed(&x, &y, misrate(&case), seed, false));
    }
}

/// Fails unless the published margin is the crate's on one side, and the conservative one the same
/// or one less, where that misses more often than asked.
fn assert_margins(case: &Case, ours: impl Fn(RankStep) -> Option<u64>) {
    let theirs = number(case.expected("output")) as u64 / 2;
    assert_eq!(ours(RankStep::Published), Some(theirs), "{}", case.name());
    let conservative = ours(RankStep::Conservative).map_or(0, |margin| margin + 1);
    let is_a_step_less = conservative == theirs || conservative == theirs + 1;
    assert!(is_a_step_less, "{}: {conservative} {theirs}", case.name());
}

#[test]
fn margins_are_the_published_ones_or_a_step_less() {
    for case in cases(include_str!("pragmastat_pairwise_margin.json"), 103) {
        let [n, m] = ["n", "m"].map(|key| number(case.param(key)) as usize);
        assert_margins(&case, |step| pairwise_margin(n, m, misrate(&case) / 2.0, step));
    }
    for case in cases(include_str!("pragmastat_signed_rank_margin.json"), 19) {
        let size = number(case.param("n")) as usize;
        assert_margins(&case, |step| signed_rank_margin(size, misrate(&case) / 2.0, step));
    }
}

/// Values whose pairwise differences with the others are the whole numbers from 0 up, each once.
fn counting(n: u32, m: u32) -> (Vec<f64>, Vec<f64>) {
    let x = (0..n).map(|i| f64::from(i * m)).collect();
    (x, (0..m).map(|j| -f64::from(j)).collect())
}

#[test]
fn margins_of_all_sizes_are_the_crates() {
    for (n, m) in [(1, 60), (3, 3), (2, 9), (12, 40), (70, 33), (200, 201), (20, 900)] {
        let (x, y) = counting(n, m);
        for misrate in [0.3, 0.05, 1e-2, 1e-3, 1e-5] {
            // The lower bound is its own rank.
            let theirs = raw::shift_bounds(&x, &y, misrate, false).ok();
            let theirs = theirs.map(|bounds| bounds.lower as u64);
            let ours = pairwise_margin(n as usize, m as usize, misrate / 2.0, RankStep::Published);
            // Beyond 400 values both expand, and the crate's normal distribution has nine digits.
            let slack = u64::from(n + m > 400);
            let near = ours.zip(theirs).is_some_and(|(a, b)| a.abs_diff(b) <= slack);
            assert!(near || ours == theirs, "{n} {m} {misrate}: {ours:?} {theirs:?}");
        }
    }
}

#[test]
fn center_bounds_of_many_values_are_the_crates() {
    for size in [40, 63, 64, 100, 500] {
        let x: Vec<f64> = (0..size).map(|i| f64::from((i * 7_919) % 1_009).sqrt()).collect();
        let sample = Sample::new(x.clone()).unwrap();
        for misrate in [0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5] {
            let theirs = raw::center_bounds(&x, misrate, false).unwrap();
            let ours = center_bounds(&sample, misrate / 2.0, RankStep::Published).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            let both = near(ours.lower, theirs.lower) && near(ours.upper, theirs.upper);
            assert!(both, "{size} {misrate}: {ours:?} {theirs:?}");
        }
    }
}
