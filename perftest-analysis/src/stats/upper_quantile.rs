//! Upper quantiles that enough values tell.
//!
//! Definition: the order statistic with exactly the share p of the sample up to it (Hyndman-Fan type 1: n p
//! rounded up), reported only where at least five of the n values are expected beyond it: n (1 - p) >= 5. Source of the
//! five: our own; the place of a quantile with k values beyond is uncertain by about the root of k of
//! them, so that with five it is within a factor of two of the tail it names. Behaviour: p90 needs 50
//! values, p95 100, p99 500. An upper quantile is always a value that was measured: estimators that average
//! order statistics mix in far values, and one far value of a hundred would move p95 a long way.

use perftest_core::model::Sample;
use perftest_core::stats::HyndmanFan;

/// The fewest values beyond a reported quantile.
const BEYOND: f64 = 5.0;

/// The quantile at `probability`; `None` where too few values are beyond it.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::upper_quantile;
/// let one_is_far = (1..100).map(f64::from).chain([1e9]).collect();
/// let sample = Sample::new(one_is_far).unwrap();
/// assert_eq!(upper_quantile(&sample, 0.95), Some(95.0));
/// assert_eq!(upper_quantile(&sample, 0.99), None);
/// ```
pub fn upper_quantile(sample: &Sample, probability: f64) -> Option<f64> {
    let has_enough_values = sample.size() >= fewest_for_upper_quantile(probability);
    has_enough_values.then(|| HyndmanFan::Type1.quantile(sample, probability))
}

/// Values that a quantile needs; more than there can be for the probability 1.
///
/// ```
/// use perftest_analysis::stats::fewest_for_upper_quantile;
/// assert_eq!([0.9, 0.95, 0.99].map(fewest_for_upper_quantile), [50, 100, 500]);
/// ```
pub fn fewest_for_upper_quantile(probability: f64) -> usize {
    // 1 - 0.95 is a little above 0.05.
    (BEYOND / (1.0 - probability) - 1e-6).ceil() as usize
}
