//! Pragmastat's estimators and bounds: the crate gives what its fixtures say, and our bounds
//! enclose the crate's by a step at most.

use crate::fixture::{Case, cases, number, numbers};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{
    RankMargins, center_bounds, disparity_bounds, ratio_bounds, shift_bounds, signed_rank_margin,
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

/// Fails if `ours` is narrower than `theirs` on any side.
fn assert_encloses(case: &Case, ours: Option<Interval>, theirs: &RawBounds) {
    let Some(ours) = ours else { return };
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
            let ours = center_bounds(&Sample::new(x).unwrap(), misrate / 2.0);
            assert_encloses(&case, ours, &theirs);
        }
    }
}

#[test]
fn shift_and_ratio_bounds_enclose_the_published_ones() {
    for case in cases(include_str!("pragmastat_shift_bounds.json"), 32) {
        let (x, y, misrate) = (values(&case, "x"), values(&case, "y"), misrate(&case));
        if let Some(theirs) = assert_bounds(&case, raw::shift_bounds(&x, &y, misrate, false)) {
            let (x, y) = (Sample::new(x).unwrap(), Sample::new(y).unwrap());
            assert_encloses(&case, shift_bounds(&x, &y, misrate / 2.0), &theirs);
        }
    }
    for case in cases(include_str!("pragmastat_ratio_bounds.json"), 32) {
        let (x, y, misrate) = (values(&case, "x"), values(&case, "y"), misrate(&case));
        if let Some(theirs) = assert_bounds(&case, raw::ratio_bounds(&x, &y, misrate, false)) {
            let (x, y) = (Sample::new(x).unwrap(), Sample::new(y).unwrap());
            assert_encloses(&case, ratio_bounds(&x, &y, misrate / 2.0), &theirs);
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
        let theirs = raw::disparity_bounds_with_seed(&x, &y, misrate(&case), seed, false);
        if assert_bounds(&case, theirs).is_none() {
            // Ours may need more values than theirs, never fewer.
            let (x, y) = (Sample::new(x).unwrap(), Sample::new(y).unwrap());
            assert_eq!(disparity_bounds(&x, &y, misrate(&case) / 2.0), None);
        }
    }
}

/// Ours is the crate's margin on one side, or one less where that misses more often than asked.
fn assert_one_step(case: &Case, ours: Option<usize>) {
    let theirs = number(case.expected("output")) as usize / 2;
    let ours = ours.map_or(0, |margin| margin + 1);
    assert!(ours == theirs || ours == theirs + 1, "{}: {ours} {theirs}", case.name());
}

#[test]
fn margins_are_the_published_ones_or_a_step_less() {
    for case in cases(include_str!("pragmastat_pairwise_margin.json"), 103) {
        let [n, m] = ["n", "m"].map(|key| number(case.param(key)) as usize);
        assert_one_step(&case, RankMargins::of(n, m).at(misrate(&case) / 2.0));
    }
    for case in cases(include_str!("pragmastat_signed_rank_margin.json"), 19) {
        let size = number(case.param("n")) as usize;
        // Beyond 63 values the crate's margin is an approximation.
        if size <= 63 {
            assert_one_step(&case, signed_rank_margin(size, misrate(&case) / 2.0));
        }
    }
}
