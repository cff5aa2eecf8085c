//! Estimators of scale and outliers.

use crate::fixture::{Case, cases, number, numbers};
use perftest_core::model::Sample;
use perftest_core::stats::{
    Fences, MedianAbsoluteDeviation, Quantile, harrell_davis, optimal_absolute_deviation, quantile,
    quantile_absolute_deviation, shamos_deviation, standard_absolute_deviation,
};

const INTERPOLATED: MedianAbsoluteDeviation = MedianAbsoluteDeviation::INTERPOLATED;
const HARRELL_DAVIS: MedianAbsoluteDeviation = MedianAbsoluteDeviation::HARRELL_DAVIS;

#[test]
fn median_absolute_deviations_are_the_published_ones() {
    for case in cases(include_str!("mad_scale.json"), 7) {
        let sample = case.sample("values");
        let near = |key, deviation| {
            case.assert_near(key, deviation, number(case.expected(key)), 1e-9);
        };
        near("mad_invariant", quantile_absolute_deviation(&sample, 0.5, 0.5));
        near("mad_simple", INTERPOLATED.of(&sample));
        near("lower_mad_simple", INTERPOLATED.below(&sample));
        near("upper_mad_simple", INTERPOLATED.above(&sample));
        near("mad_hd", HARRELL_DAVIS.of(&sample));
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

#[test]
fn the_factors_are_those_of_the_published_tables() {
    for case in cases(include_str!("scale_factors.json"), 5) {
        let table = case.expected("table").as_array().unwrap();
        for (size, entry) in table.iter().enumerate().take(100).skip(2) {
            let entry = number(entry);
            let sample = two_levels(size);
            let (actual, expected) = match case.name() {
                "mad_park_bias" => {
                    (INTERPOLATED.of(&sample), 1.0 / (0.674_489_750_196_082 * (1.0 + entry)))
                }
                "mad_hd_inverse_factor" => {
                    let alone = spread_of_deviations(&sample);
                    (HARRELL_DAVIS.of(&sample) / alone, 1.0 / entry)
                }
                "qad_standard" => (standard_absolute_deviation(&sample), entry),
                "qad_optimal" => (optimal_absolute_deviation(&sample), entry),
                "shamos_bias" => {
                    let spread = pragmastat::estimators::raw::spread(sample.sorted(), true);
                    let factor = 1.0 / (0.953_872_6 * (1.0 + entry));
                    (shamos_deviation(&sample), spread.unwrap() * factor)
                }
                other => panic!("unknown table {other}"),
            };
            case.assert_near(&format!("of {size}"), actual, expected, 1e-9);
        }
    }
}

/// The Harrell-Davis median of the deviations from the Harrell-Davis median.
fn spread_of_deviations(sample: &Sample) -> f64 {
    let median = harrell_davis(sample, 0.5);
    let deviations = sample.values().iter().map(|value| (value - median).abs()).collect();
    harrell_davis(&Sample::new(deviations).unwrap(), 0.5)
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
