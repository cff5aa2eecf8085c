//! Harrell-Davis quantiles of values that do not count alike.
//!
//! Definition: that of `perftest_core::stats::harrell_davis`, with the effective size as n and the share of the weights as
//! i / n. Source: Akinshin, arXiv 2304.07265.

use perftest_core::stats::{RankedValues, WeightedSample, harrell_davis_weights, weighted_mean};

/// The quantile at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_conformance::stats::weighted_harrell_davis;
/// use perftest_core::model::Sample;
/// use perftest_core::stats::WeightedSample;
/// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
/// let weighted = WeightedSample::new(&sample, &[1.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
/// assert!((weighted_harrell_davis(&weighted, 0.5) - 2.518_518_518_519).abs() < 1e-9);
/// ```
pub fn weighted_harrell_davis(sample: &WeightedSample, probability: f64) -> f64 {
    let (values, weights) = harrell_davis_weights(&RankedValues::from(sample), probability);
    weighted_mean(values, &weights)
}

/// The distance of the quantile from `origin`.
pub(super) fn distance_from(origin: f64, sample: &WeightedSample, probability: f64) -> f64 {
    let (values, weights) = harrell_davis_weights(&RankedValues::from(sample), probability);
    let distances: Vec<f64> = values.iter().map(|value| value - origin).collect();
    weighted_mean(&distances, &weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Sample;

    #[test]
    fn a_far_value_that_hardly_counts_takes_no_digit_off_the_others() {
        let sample = Sample::new(vec![-1e17, 1.0, 2.0, 3.0]).unwrap();
        let weighted = WeightedSample::new(&sample, &[1e-30, 1.0, 1.0, 1.0]).unwrap();
        let median = weighted_harrell_davis(&weighted, 0.5);
        assert!((median - 2.0).abs() < 1e-9, "{median}");
    }
}
