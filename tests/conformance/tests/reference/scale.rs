//! Estimators of scale.

use crate::fixture::{cases, number};
use perftest_conformance::stats::{
    optimal_absolute_deviation, quantile_absolute_deviation, standard_absolute_deviation,
};
use perftest_core::model::Sample;

#[test]
fn quantile_absolute_deviations_are_the_published_ones() {
    for case in cases(include_str!("../../../../perftest-core/tests/reference/mad_scale.json"), 7) {
        let deviation = quantile_absolute_deviation(&case.sample("values"), 0.5, 0.5);
        case.assert_near("deviation", deviation, number(case.expected("mad_invariant")), 1e-9);
    }
}

#[test]
fn deviations_of_values_one_apart_from_their_median_are_the_factors_of_the_published_tables() {
    let tables =
        cases(include_str!("../../../../perftest-core/tests/reference/scale_factors.json"), 5);
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
