//! Quantile estimators.

use crate::fixture::cases;
use perftest_core::stats::{
    RankedValues, harrell_davis_weights, quantile, weighted_mean, weighted_quantile,
};

#[test]
fn interpolated_quantiles_are_those_of_hyndman_and_fan() {
    let (mut plain, mut with_weights) = (0, 0);
    for case in cases(include_str!("quantiles_hyndman_fan.json"), 10) {
        // perftest-conformance has the other types.
        if case.param("type") != 7 {
            continue;
        }
        if case.input("weights").is_array() {
            let sample = case.weighted();
            case.assert_quantiles(1e-9, |p| weighted_quantile(&sample, p));
            with_weights += 1;
        } else {
            let sample = case.sample("values");
            case.assert_quantiles(1e-9, |p| quantile(&sample, p));
            plain += 1;
        }
    }
    assert!(plain > 0 && with_weights > 0, "{plain} {with_weights}");
}

#[test]
fn harrell_davis_quantiles_are_the_published_ones() {
    for case in cases(include_str!("quantiles_harrell_davis.json"), 26) {
        // Tighter than the file asks: its values are good to 1e-12 and better.
        match case.word("estimator") {
            "hd" => {
                let sample = case.weighted();
                case.assert_quantiles(1e-9, |p| {
                    let (values, weights) = harrell_davis_weights(&RankedValues::from(&sample), p);
                    weighted_mean(values, &weights)
                });
                let size = case.expected("kish_ess").as_f64().unwrap_or(sample.effective_size());
                case.assert_near("effective size", sample.effective_size(), size, 1e-9);
            }
            // perftest-analysis has the trimmed ones, perftest-conformance the standard error.
            "thd-sqrt" | "beta-hdi" | "hd-maritz-jarrett" => {}
            other => panic!("{}: unknown estimator {other}", case.name()),
        }
    }
}
