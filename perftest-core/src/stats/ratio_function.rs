//! Ratio function: how much slower or faster, quantile by quantile.
//!
//! Definition: ratio(p) = Q(current, p) / Q(before, p), above 1 where `current` is larger. Only for
//! positive quantiles. Source: that of [`shift`](super::shift()).

use super::Quantile;
use crate::model::Sample;

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
