//! Quantile estimators.

use crate::fixture::{Case, cases, number};
use perftest_conformance::stats::{HyndmanFan, harrell_davis_interval, weighted_harrell_davis};

#[test]
fn hyndman_fan_quantiles_are_the_published_ones() {
    let file = include_str!("../../../../perftest-core/tests/reference/quantiles_hyndman_fan.json");
    for case in cases(file, 10) {
        let kind = HyndmanFan::ALL[case.param("type").as_u64().unwrap() as usize - 1];
        if case.input("weights").is_array() {
            let sample = case.weighted();
            case.assert_quantiles(1e-9, |p| kind.weighted_quantile(&sample, p).unwrap());
        } else {
            let sample = case.sample("values");
            case.assert_quantiles(1e-9, |p| kind.quantile(&sample, p));
        }
    }
}

#[test]
fn harrell_davis_quantiles_and_their_intervals_are_the_published_ones() {
    let file =
        include_str!("../../../../perftest-core/tests/reference/quantiles_harrell_davis.json");
    let (mut quantiles, mut intervals) = (0, 0);
    for case in cases(file, 26) {
        match case.word("estimator") {
            "hd" => {
                let sample = case.weighted();
                case.assert_quantiles(1e-9, |p| weighted_harrell_davis(&sample, p));
                quantiles += 1;
            }
            "hd-maritz-jarrett" => {
                interval(&case);
                intervals += 1;
            }
            // perftest-analysis has the others.
            _ => {}
        }
    }
    assert!(quantiles > 0 && intervals > 0, "{quantiles} {intervals}");
}

fn interval(case: &Case) {
    let [p, level] = ["probability", "confidence_level"].map(|key| number(case.param(key)));
    let interval = harrell_davis_interval(&case.weighted(), p, level).unwrap();
    case.assert_near("estimate", interval.estimate, number(case.expected("estimate")), 1e-9);
    case.assert_near("lower", interval.lower, number(case.expected("lower")), 1e-5);
    case.assert_near("upper", interval.upper, number(case.expected("upper")), 1e-5);
}
