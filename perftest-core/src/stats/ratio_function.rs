//! Ratio function: how much slower or faster, quantile by quantile.
//!
//! Definition: ratio(p) = Q(current, p) / Q(before, p), above 1 where `current` is larger; its
//! range is that over the [`bounded_probabilities`]. Only for positive quantiles.
//!
//! Source and behaviour: those of [`shift_range`](super::shift_range). A range above 1 as a whole
//! is a slowdown of at least its lower end, one below 1 a speed-up, and between them a trade.

use super::{Quantile, bounded_probabilities};
use crate::model::Sample;
use std::ops::RangeInclusive;

/// The ratio of `current` to `before` at `probability`, which is clamped to 0..=1; `None` where
/// a quantile is not above 0.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{harrell_davis, ratio};
/// let before = Sample::new(vec![1.0, 2.0, 4.0]).unwrap();
/// let current = Sample::new(vec![4.0, 5.0, 8.0]).unwrap();
/// assert_eq!(ratio(&before, &current, harrell_davis, 1.0), Some(2.0));
/// ```
pub fn ratio(
    before: &Sample,
    current: &Sample,
    quantile: Quantile,
    probability: f64,
) -> Option<f64> {
    let (before, current) = (quantile(before, probability), quantile(current, probability));
    (before > 0.0 && current > 0.0).then(|| current / before)
}

/// The smallest and the largest ratio; `None` where one of the quantiles is not above 0: then
/// look at the [`shift_range`](super::shift_range).
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{harrell_davis, ratio_range};
/// let sample = |unit: f64| Sample::new((50..90).map(|i| unit * f64::from(i)).collect()).unwrap();
/// let range = ratio_range(&sample(1.0), &sample(1.5), harrell_davis).unwrap();
/// assert!((range.start() - 1.5).abs() < 1e-9 && (range.end() - 1.5).abs() < 1e-9);
/// ```
pub fn ratio_range(
    before: &Sample,
    current: &Sample,
    quantile: Quantile,
) -> Option<RangeInclusive<f64>> {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for probability in bounded_probabilities(before.size(), current.size()) {
        let ratio = ratio(before, current, quantile, probability)?;
        (least, most) = (least.min(ratio), most.max(ratio));
    }
    Some(least..=most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::quantile;

    #[test]
    fn quantiles_that_are_not_positive_have_no_ratio() {
        let zeros = Sample::new(vec![0.0; 20]).unwrap();
        let ones = Sample::new(vec![1.0; 20]).unwrap();
        assert_eq!(ratio_range(&zeros, &ones, quantile), None);
        assert_eq!(ratio_range(&ones, &zeros, quantile), None);
        assert_eq!(ratio_range(&ones, &ones, quantile), Some(1.0..=1.0));
    }
}
