//! Outliers.

use crate::fixture::{Case, cases, number, numbers};
use perftest_conformance::stats::Fences;
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile, harrell_davis, quantile};

const INTERPOLATED: MedianAbsoluteDeviation = MedianAbsoluteDeviation::INTERPOLATED;
const HARRELL_DAVIS: MedianAbsoluteDeviation = MedianAbsoluteDeviation::HARRELL_DAVIS;

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
        assert_eq!(fences.outliers(sample.values()), expected, "{}", case.name());
        case.assert_near("lower", fences.lower, number(case.expected("lower_fence")), 1e-9);
        case.assert_near("upper", fences.upper, number(case.expected("upper_fence")), 1e-9);
    }
}
