//! Estimators of scale and outliers.

use crate::fixture::{Case, cases, number, numbers};
use perftest_analysis::stats::{
    Fences, optimal_absolute_deviation, quantile_absolute_deviation, standard_absolute_deviation,
};
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile, harrell_davis, quantile};

const INTERPOLATED: MedianAbsoluteDeviation = MedianAbsoluteDeviation::INTERPOLATED;
const HARRELL_DAVIS: MedianAbsoluteDeviation = MedianAbsoluteDeviation::HARRELL_DAVIS;

#[test]
fn quantile_absolute_deviations_are_the_published_ones() {
    for case in cases(include_str!("../../../perftest-core/tests/reference/mad_scale.json"), 7) {
        let deviation = quantile_absolute_deviation(&case.sample("values"), 0.5, 0.5);
        case.assert_near("deviation", deviation, number(case.expected("mad_invariant")), 1e-9);
    }
}

#[test]
fn deviations_of_values_one_apart_from_their_median_are_the_factors_of_the_published_tables() {
    let tables =
        cases(include_str!("../../../perftest-core/tests/reference/scale_factors.json"), 5);
    for (name, estimator) in [
        ("qad_standard", standard_absolute_deviation as fn(&Sample) -> f64),
        ("qad_optimal", optimal_absolute_deviation),
    ] {
        let case = tables.iter().find(|case| case.name() == name).unwrap();
        let table = case.expected("table").as_array().unwrap();
        for (size, entry) in table.iter().enumerate().take(100).skip(2) {
            let factor = number(entry);
            case.assert_near(&format!("of {size}"), estimator(&two_levels(size)), factor, 1e-9);
        }
    }
}

/// Half of the values at -1 and half at 1: all distances from the median are 1.
fn two_levels(size: usize) -> Sample {
    let level = |i| match 2 * i + 1 {
        twice if twice == size => 0.0,
        twice if twice < size => -1.0,
        _ => 1.0,
    };
    Sample::new((0..size).map(level).collect()).unwrap()
}

fn fences(case: &Case, sample: &Sample) -> Fences {
    let (quantiles, deviation): (Quantile, _) = match case.word("quantile_estimator") {
        "hf7" => (quantile, INTERPOLATED),
        "hd" => (harrell_davis, HARRELL_DAVIS),
        other => panic!("{}: unknown estimator {other}", case.name()),
    };
    match case.word("detector") {
        "tukey" => Fences::tukey(sample, quantiles),
        "mad" => Fences::mad(sample, deviation),
        "double_mad" => Fences::double_mad(sample, deviation),
        other => panic!("{}: unknown detector {other}", case.name()),
    }
}

#[test]
fn outliers_are_the_published_ones() {
    for case in cases(include_str!("outliers.json"), 63) {
        let values = numbers(case.input("values"));
        if values.is_empty() {
            // Nothing to look for outliers in: refused before any detector.
            assert!(Sample::new(values).is_err());
            continue;
        }
        let sample = Sample::new(values).unwrap();
        let fences = fences(&case, &sample);
        let expected = numbers(case.expected("outliers"));
        assert_eq!(fences.outliers(&sample), expected, "{}", case.name());
        case.assert_near("lower", fences.lower, number(case.expected("lower_fence")), 1e-9);
        case.assert_near("upper", fences.upper, number(case.expected("upper_fence")), 1e-9);
    }
}
