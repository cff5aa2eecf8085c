//! Harrell-Davis quantiles.
//!
//! Definition: the mean of all values, the i-th smallest with the weight
//! `I_(i/n)(a, b) - I_((i-1)/n)(a, b)`, where a = (n + 1) p and b = (n + 1)(1 - p): the expected
//! place of the quantile among the order statistics. With weights, n is the effective size and
//! i / n the share of the weights. At p = 0 and p = 1 it is the smallest and the largest value.
//!
//! Source: Harrell and Davis, "A new distribution-free quantile estimator", Biometrika 69 (1982);
//! for the weights Akinshin, arXiv 2304.07265. Behaviour: more precise than a quantile from two
//! order statistics for light tails; every value has a weight, so that a single far one moves it
//! (breakdown 0; with two values the median is their mean):
//! `trimmed_harrell_davis` of `perftest-analysis` does not. One incomplete beta function a value: 70 us
//! for 300 values; in large samples only for those whose weights are above 1e-14.

use super::harrell_davis_grid::reach;
use super::{BetaDistribution, RankedValues};
use crate::list::IntoList;
use crate::model::Sample;

/// The quantile of `sample` at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::harrell_davis;
/// let sample = Sample::new(vec![0.0, 25.0, 50.0, 75.0, 100.0]).unwrap();
/// assert!((harrell_davis(&sample, 0.9) - 95.187_090_529).abs() < 1e-9);
/// ```
#[inline]
pub fn harrell_davis(sample: &Sample, probability: f64) -> f64 {
    let (values, weights) = harrell_davis_weights(&RankedValues::from(sample), probability);
    weighted_mean(values, &weights)
}

/// The mean of `sorted` with `weights` that sum to 1.
pub fn weighted_mean(sorted: &[f64], weights: &[f64]) -> f64 {
    // Deviations from the value that counts most: equal values have exactly that value, and one that hardly
    // counts takes no digit off it, however far away it is.
    let heaviest = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
    let middle = sorted[heaviest.unwrap_or(0)];
    let away = |(value, weight): (&f64, &f64)| (value - middle) * weight;
    middle + sorted.iter().zip(weights).map(away).sum::<f64>()
}

/// The values that count for the quantile at `probability`, at least one, with their weights.
#[inline]
pub fn harrell_davis_weights<'a>(
    ranked: &RankedValues<'a>,
    probability: f64,
) -> (&'a [f64], Vec<f64>) {
    if probability <= 0.0 || probability >= 1.0 {
        return (ranked.end(probability), vec![1.0]);
    }
    let size = ranked.size;
    let (a, b) = ((size + 1.0) * probability, (size + 1.0) * (1.0 - probability));
    let distribution = BetaDistribution::new(a, b);
    let reach = reach(size, probability);
    let ranks = ranked.between(probability - reach, probability + reach);
    let mut below = 0.0;
    let weight = |rank: usize| {
        let upto = distribution.below(ranked.share(rank));
        upto - std::mem::replace(&mut below, upto)
    };
    (&ranked.sorted[ranks.clone()], ranks.map(weight).into_list())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_the_smallest_and_the_largest_value() {
        let sample = Sample::new(vec![7.0, 3.0, 4.0]).unwrap();
        assert_eq!(harrell_davis(&sample, 0.0), 3.0);
        assert_eq!(harrell_davis(&sample, 1.0), 7.0);
        assert_eq!(harrell_davis(&sample, 2.0), 7.0);
    }

    #[test]
    fn values_that_agree_are_their_own_quantiles() {
        let sample = Sample::new(vec![0.1; 7]).unwrap();
        assert_eq!(harrell_davis(&sample, 0.3), 0.1);
    }
}
