//! Quantile estimators.

use crate::fixture::{Case, cases, number};
use perftest_analysis::stats::{highest_density_interval, weighted_trimmed_harrell_davis};

#[test]
fn trimmed_harrell_davis_quantiles_are_the_published_ones() {
    let file = include_str!("../../../perftest-core/tests/reference/quantiles_harrell_davis.json");
    let (mut trimmed, mut intervals) = (0, 0);
    for case in cases(file, 26) {
        // Tighter than the file asks: its values are good to 1e-12 and better.
        match case.word("estimator") {
            "thd-sqrt" => {
                let sample = case.weighted();
                case.assert_quantiles(1e-7, |p| weighted_trimmed_harrell_davis(&sample, p));
                trimmed += 1;
            }
            "beta-hdi" => {
                highest_density(&case);
                intervals += 1;
            }
            // perftest-core has the others.
            _ => {}
        }
    }
    assert!(trimmed > 0 && intervals > 0, "{trimmed} {intervals}");
}

fn highest_density(case: &Case) {
    let [a, b, width] = ["a", "b", "width"].map(|key| number(case.param(key)));
    let (left, right) = highest_density_interval(a, b, width);
    case.assert_near("left", left, number(case.expected("left")), 1e-7);
    case.assert_near("right", right, number(case.expected("right")), 1e-7);
}
