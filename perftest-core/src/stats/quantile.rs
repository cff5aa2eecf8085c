//! Quantiles interpolated between two order statistics (Hyndman-Fan type 7).
//!
//! Definition: with x(1) to x(n) ascending, the quantile is x(f) + (h - f)(x(f+1) - x(f)), f the
//! whole part of the place h = (n - 1) p + 1. With weights n is the effective size, and a value counts
//! with the part of the interval from (h - 1) / n to h / n that its share of the weights covers.
//!
//! Source: Hyndman and Fan, "Sample quantiles in statistical packages", The American
//! Statistician 50 (1996); for the weights Akinshin, "Weighted quantile estimators",
//! arXiv 2304.07265. Behaviour: the default of R, NumPy and Excel; as robust as the two order
//! statistics, which alone count.

use super::{WeightedSample, weighted_mean};
use crate::list::IntoList;
use crate::model::Sample;

/// The quantile at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::quantile;
/// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
/// assert_eq!(quantile(&sample, 0.5), 2.5);
/// ```
pub fn quantile(sample: &Sample, probability: f64) -> f64 {
    let (sorted, size) = (sample.sorted(), sample.size() as f64);
    let place = place(size, probability);
    let below = place.floor();
    let lower = sorted[below as usize - 1];
    let upper = sorted[place.ceil() as usize - 1];
    lower + (place - below) * (upper - lower)
}

/// The quantile of values that do not count alike, at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{WeightedSample, weighted_quantile};
/// let sample = Sample::new(vec![1.0, 2.0, 3.0]).unwrap();
/// let weighted = WeightedSample::new(&sample, &[0.0, 1.0, 1.0]).unwrap();
/// assert_eq!(weighted_quantile(&weighted, 0.5), 2.5);
/// ```
pub fn weighted_quantile(sample: &WeightedSample, probability: f64) -> f64 {
    let size = sample.effective_size();
    let place = place(size, probability);
    let covered = |share: f64| (share * size - (place - 1.0)).clamp(0.0, 1.0);
    let shares = sample.cumulative_shares();
    let below = |rank: usize| rank.checked_sub(1).map_or(0.0, |before| covered(shares[before]));
    let weight = |rank: usize| covered(shares[rank]) - below(rank);
    let weights: Vec<f64> = (0..shares.len()).map(weight).into_list();
    weighted_mean(sample.sorted(), &weights)
}

/// The place of the quantile among the order statistics of `n` values, counted from 1.
fn place(n: f64, probability: f64) -> f64 {
    ((n - 1.0) * probability.clamp(0.0, 1.0) + 1.0).clamp(1.0, n.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_quantile_leaves_the_range_of_the_sample() {
        let sample = Sample::new(vec![2.0, 5.0, 9.0]).unwrap();
        let all = [-3.0, 0.0, 1.0, 4.0].map(|p| quantile(&sample, p));
        assert_eq!(all, [2.0, 2.0, 9.0, 9.0]);
    }

    #[test]
    fn a_far_value_that_hardly_counts_takes_no_digit_off_the_others() {
        let sample = Sample::new(vec![-1e17, 1.0, 2.0, 3.0]).unwrap();
        let weighted = WeightedSample::new(&sample, &[1e-30, 1.0, 1.0, 1.0]).unwrap();
        let median = weighted_quantile(&weighted, 0.5);
        assert!((median - 2.0).abs() < 1e-9, "{median}");
    }

    #[test]
    fn equal_weights_change_nothing() {
        let sample = Sample::new(vec![4.0, 1.0, 3.0, 2.0, 8.0]).unwrap();
        let weighted = WeightedSample::from(&sample);
        for p in [0.0, 0.1, 0.33, 0.5, 0.95, 1.0] {
            let difference = weighted_quantile(&weighted, p) - quantile(&sample, p);
            assert!(difference.abs() < 1e-12, "{p}");
        }
    }
}
