//! Quantile by linear interpolation (Hyndman-Fan type 7).
//!
//! Definition: with h = (n - 1) p, the value between the order statistics at floor(h) and
//! floor(h) + 1 at the fraction of h. Source: Hyndman and Fan, "Sample quantiles in statistical
//! packages", The American Statistician 50 (1996). Default of R, NumPy and Excel.

use crate::model::Sample;

/// The quantile of `sample` at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::{model::Sample, stats::quantile};
/// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
/// assert_eq!(quantile(&sample, 0.5), 2.5);
/// ```
pub fn quantile(sample: &Sample, probability: f64) -> f64 {
    let sorted = sample.sorted();
    let place = (sorted.len() - 1) as f64 * probability.clamp(0.0, 1.0);
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}
