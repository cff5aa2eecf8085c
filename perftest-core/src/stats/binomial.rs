//! Exact bounds of a share.
//!
//! Definition: Clopper and Pearson (1934). With `k` of `n`, the lower bound is the share at which
//! `k` or more occur with probability `alpha / 2`, the upper one that at which `k` or fewer do:
//! quantiles of the beta distributions `B(k, n - k + 1)` and `B(k + 1, n - k)`. The coverage is at
//! least the nominal one, also near 0.

use super::incomplete_beta;
use crate::model::Interval;

/// Halvings of the unit interval down to the precision of `f64`.
const HALVINGS: usize = 60;

/// Returns the share `hits` of `trials` with bounds that miss the true share with probability `misrate`
/// at most, half of it on each side. Without trials the bounds are 0 and 1.
///
/// ```
/// use perftest_core::stats::binomial_interval;
/// let none_of_thousand = binomial_interval(0, 1_000, 0.05);
/// assert_eq!(none_of_thousand.lower, 0.0);
/// assert!((none_of_thousand.upper - 0.003_682).abs() < 1e-6);
/// ```
///
/// # Panics
/// When there are more hits than trials.
#[inline]
pub fn binomial_interval(hits: u64, trials: u64, misrate: f64) -> Interval {
    assert!(hits <= trials, "{hits} hits of {trials} trials");
    let (hit, missed) = (hits as f64, (trials - hits) as f64);
    let tail = misrate / 2.0;
    Interval {
        estimate: if trials == 0 { 0.5 } else { hit / trials as f64 },
        lower: if hits == 0 { 0.0 } else { beta_quantile(hit, missed + 1.0, tail) },
        upper: if hits == trials { 1.0 } else { beta_quantile(hit + 1.0, missed, 1.0 - tail) },
    }
}

/// Returns the probability of at least `hits` in `trials` with this `probability` each.
///
/// ```
/// use perftest_core::stats::binomial_at_least;
/// assert!((binomial_at_least(3, 5, 0.5) - 0.5).abs() < 1e-12);
/// assert_eq!(binomial_at_least(0, 5, 0.1), 1.0);
/// assert_eq!(binomial_at_least(6, 5, 0.1), 0.0);
/// ```
pub fn binomial_at_least(hits: u64, trials: u64, probability: f64) -> f64 {
    match hits {
        0 => 1.0,
        _ if hits > trials => 0.0,
        _ => incomplete_beta(hits as f64, (trials - hits + 1) as f64, probability),
    }
}

fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    let (mut lower, mut upper) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (lower + upper) / 2.0;
        if incomplete_beta(a, b, middle) < probability {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    (lower + upper) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_agree_with_published_ones() {
        // 8 of 20 at 95%: 0.1912 to 0.6395, the textbook case.
        let interval = binomial_interval(8, 20, 0.05);
        assert!((interval.lower - 0.1912).abs() < 5e-5, "{interval:?}");
        assert!((interval.upper - 0.6395).abs() < 5e-5, "{interval:?}");
    }

    #[test]
    fn the_ends_are_the_ends() {
        assert_eq!(binomial_interval(5, 5, 0.05).upper, 1.0);
        assert_eq!(binomial_interval(0, 5, 0.05).lower, 0.0);
        let nothing = binomial_interval(0, 0, 0.05);
        assert_eq!((nothing.lower, nothing.upper), (0.0, 1.0));
    }
}
