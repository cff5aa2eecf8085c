//! Rank bounds of the shift between two samples.
//!
//! Definition: all differences c_i - b_j, sorted; the bounds leave the [`conservative_margin`] of
//! them out on each side, and the estimate is their median. Source: Hodges and Lehmann 1963;
//! Moses' interval. Behaviour: distribution-free; assumes only that both samples have the same
//! shape. Breakdown 29 %. Cost: sorts n m differences.

use super::conservative_margin;
use super::rank_bounds::rank_interval;
use crate::model::{Interval, Sample};

/// Estimate and bounds of `current - before`, each bound missing with at most
/// `misrate_per_side`; `None` when the samples are too small for that misrate.
///
/// ```
/// use perftest_core::{model::Sample, stats::shift_bounds};
/// let before = Sample::new((0..30).map(f64::from).collect()).unwrap();
/// let current = Sample::new(vec![200.0, 201.0, 202.0]).unwrap();
/// let bounds = shift_bounds(&current, &before, 0.001).unwrap();
/// assert_eq!(bounds.estimate, 186.5);
/// assert!(bounds.lower > 160.0 && bounds.upper < 210.0);
/// assert!(shift_bounds(&current, &before, 1e-9).is_none());
/// ```
pub fn shift_bounds(current: &Sample, before: &Sample, misrate_per_side: f64) -> Option<Interval> {
    let margin = conservative_margin(current.size(), before.size(), misrate_per_side)?;
    let differences = current
        .values()
        .iter()
        .flat_map(|now| before.values().iter().map(move |then| now - then))
        .collect();
    Some(rank_interval(differences, margin))
}
