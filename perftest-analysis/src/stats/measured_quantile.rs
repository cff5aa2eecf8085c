//! Quantiles that are measured values, and the number of values they need.
//!
//! Definition: the order statistic with exactly the share p of the sample up to it (Hyndman-Fan type 1: n p
//! rounded up); the median is the middle of two where there are two. A quantile needs so many values that at
//! least five of them are expected beyond it: n (1 - p) >= 5 above the median. Source of the five: our own; the
//! place of a quantile with k values beyond is uncertain by about the root of k of them, so that with five it
//! is within a factor of two of the tail it names. Behaviour: p90 needs 50 values, p95 100, p99 500.
//! Estimators that average order statistics mix in far values: of a hundred values with one far one, p95
//! would lie in the gap before it, where nothing was measured.

use perftest_core::model::Sample;

/// Fewest values beyond a quantile.
const BEYOND: f64 = 5.0;

/// The quantile at `probability`, which is clamped to 0..=1: a value of the sample, or the median.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::measured_quantile;
/// let sample = Sample::new(vec![1.0, 2.0, 3.0, 100.0]).unwrap();
/// assert_eq!([0.0, 0.5, 0.75, 1.0].map(|p| measured_quantile(&sample, p)), [1.0, 2.5, 3.0, 100.0]);
/// ```
pub fn measured_quantile(sample: &Sample, probability: f64) -> f64 {
    if probability == 0.5 {
        return sample.median();
    }
    let (sorted, size) = (sample.sorted(), sample.size() as f64);
    let step = size * probability.clamp(0.0, 1.0);
    // A product like 100 * 0.07 is whole but for the last bits.
    let is_whole = (step - step.round()).abs() <= 4.0 * f64::EPSILON * step;
    let place = if is_whole { step.round() } else { step.ceil() };
    sorted[place.clamp(1.0, size) as usize - 1]
}

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
    let has_enough = sample.size() >= fewest_for_quantile(probability);
    has_enough.then(|| measured_quantile(sample, probability))
}

/// Returns the number of values that a quantile needs; unreachable for the probabilities 0 and 1.
///
/// ```
/// use perftest_analysis::stats::fewest_for_quantile;
/// assert_eq!([0.05, 0.5, 0.9, 0.95, 0.99].map(fewest_for_quantile), [100, 10, 50, 100, 500]);
/// assert_eq!(fewest_for_quantile(1.0), usize::MAX);
/// ```
pub fn fewest_for_quantile(probability: f64) -> usize {
    // 1 - 0.95 is a little above 0.05.
    (BEYOND / probability.min(1.0 - probability) - 1e-6).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_taken_as_the_definition_says_where_the_product_is_whole() {
        let sample = Sample::new((1..=100).map(f64::from).collect()).unwrap();
        assert_eq!([0.07, 0.071, 0.99].map(|p| measured_quantile(&sample, p)), [7.0, 8.0, 99.0]);
    }

    #[test]
    fn no_quantile_lies_in_the_gap_before_a_far_value() {
        let sample = Sample::new((1..20).map(f64::from).chain([1e6]).collect()).unwrap();
        for percent in 51..=95 {
            assert!(measured_quantile(&sample, f64::from(percent) / 100.0) <= 19.0, "{percent}");
        }
    }
}
