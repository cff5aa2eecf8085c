//! Quantile estimators.

use crate::fixture::{Case, cases, number, numbers};
use perftest_core::stats::{
    HyndmanFan, WeightedSample, harrell_davis_interval, weighted_harrell_davis,
};

fn weighted(case: &Case) -> WeightedSample {
    let sample = case.sample("values");
    match case.input("weights") {
        weights if weights.is_array() => WeightedSample::new(&sample, &numbers(weights)).unwrap(),
        _ => WeightedSample::from(&sample),
    }
}

#[test]
fn hyndman_fan_quantiles_are_the_published_ones() {
    for case in cases(include_str!("quantiles_hyndman_fan.json"), 10) {
        let kind = HyndmanFan::ALL[case.param("type").as_u64().unwrap() as usize - 1];
        if case.input("weights").is_array() {
            let sample = weighted(&case);
            case.assert_quantiles(1e-9, |p| kind.weighted_quantile(&sample, p).unwrap());
        } else {
            let sample = case.sample("values");
            case.assert_quantiles(1e-9, |p| kind.quantile(&sample, p));
        }
    }
}

#[test]
fn harrell_davis_quantiles_are_the_published_ones() {
    for case in cases(include_str!("quantiles_harrell_davis.json"), 26) {
        // Tighter than the file asks: its values are good to 1e-12 and better.
        match case.word("estimator") {
            "hd" => {
                let sample = weighted(&case);
                case.assert_quantiles(1e-9, |p| weighted_harrell_davis(&sample, p));
                let size = case.expected("kish_ess").as_f64().unwrap_or(sample.effective_size());
                case.assert_near("effective size", sample.effective_size(), size, 1e-9);
            }
            "hd-maritz-jarrett" => interval(&case),
            // perftest-analysis has these.
            "thd-sqrt" | "beta-hdi" => {}
            other => panic!("{}: unknown estimator {other}", case.name()),
        }
    }
}

fn interval(case: &Case) {
    let [p, level] = ["probability", "confidence_level"].map(|key| number(case.param(key)));
    let interval = harrell_davis_interval(&weighted(case), p, level).unwrap();
    case.assert_near("estimate", interval.estimate, number(case.expected("estimate")), 1e-9);
    case.assert_near("lower", interval.lower, number(case.expected("lower")), 1e-5);
    case.assert_near("upper", interval.upper, number(case.expected("upper")), 1e-5);
}
