//! Rank bounds of the ratio between two samples.
//!
//! Definition: all differences of logarithms c_i - h_j, sorted; the bounds leave the
//! [`conservative_margin`] of them out on each side. Distribution-free: assumes only that both
//! samples have the same shape. Source: Hodges and Lehmann 1963; Moses' interval.

use super::conservative_margin;
use crate::model::{Interval, Sample};

/// Estimate and bounds of `log(current / before)`, each bound missing with at most
/// `misrate_per_side`. Both samples hold logarithms.
///
/// `None` when the samples are too small for that misrate.
///
/// ```
/// use perftest_core::{model::Sample, stats::log_ratio_bounds};
/// let before = Sample::new((0..30).map(|i| 0.001 * f64::from(i)).collect()).unwrap();
/// let current = Sample::new(vec![0.200, 0.201, 0.202]).unwrap();
/// let bounds = log_ratio_bounds(&current, &before, 0.001).unwrap();
/// assert!(bounds.lower > 0.16 && bounds.upper < 0.21);
/// assert!(log_ratio_bounds(&current, &before, 1e-9).is_none());
/// ```
pub fn log_ratio_bounds(
    current: &Sample,
    before: &Sample,
    misrate_per_side: f64,
) -> Option<Interval> {
    let margin = conservative_margin(current.size(), before.size(), misrate_per_side)?;
    let mut differences: Vec<f64> = current
        .values()
        .iter()
        .flat_map(|now| before.values().iter().map(move |then| now - then))
        .collect();
    differences.sort_unstable_by(f64::total_cmp);
    let middle = differences.len() / 2;
    let estimate = if differences.len() % 2 == 1 {
        differences[middle]
    } else {
        f64::midpoint(differences[middle - 1], differences[middle])
    };
    Some(Interval {
        estimate,
        lower: differences[margin],
        upper: differences[differences.len() - 1 - margin],
    })
}
