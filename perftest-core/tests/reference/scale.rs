//! Estimators of scale.

use crate::fixture::{cases, number};
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, harrell_davis, shamos_deviation};

const INTERPOLATED: MedianAbsoluteDeviation = MedianAbsoluteDeviation::INTERPOLATED;
const HARRELL_DAVIS: MedianAbsoluteDeviation = MedianAbsoluteDeviation::HARRELL_DAVIS;

#[test]
fn median_absolute_deviations_are_the_published_ones() {
    for case in cases(include_str!("mad_scale.json"), 7) {
        let sample = case.sample("values");
        let near = |key, deviation| {
            case.assert_near(key, deviation, number(case.expected(key)), 1e-9);
        };
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
                // The judge does without: those of `perftest-analysis` prove them.
                "qad_standard" | "qad_optimal" => continue,
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
