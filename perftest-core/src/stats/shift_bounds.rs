//! Rank bounds of the shift between two samples.
//!
//! Definition: all differences c_i - b_j, sorted; the bounds leave the margin of [`pairwise_margin`] of
//! them out on each side, and the estimate is their median. Source: Hodges and Lehmann 1963;
//! Moses' interval. Behaviour: distribution-free; assumes only that both samples have the same
//! shape. Breakdown 29%. The differences are counted and not built: a bound costs 0.5 s for a million
//! values in each sample.

use super::mann_whitney::cumulated_shares;
use super::pair_ranks::{difference_at, middle};
use super::{RankStep, pairwise_margin};
use crate::model::{Interval, Sample};
use std::cell::RefCell;

/// Bounds of the shift from one sample, which others are compared with.
///
/// It remembers the distributions for the sizes it was asked for: a decision looks at samples of few
/// sizes, each many times. The memory changes no answer.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::ShiftBounds;
/// let before = Sample::new((0..30).map(|i| 0.001 * f64::from(i)).collect()).unwrap();
/// let bounds = ShiftBounds::from_sample(before);
/// let current = Sample::new(vec![0.200, 0.201, 0.202]).unwrap();
/// let shift = bounds.both(&current, 0.001).unwrap();
/// assert!(shift.lower > 0.16 && shift.upper < 0.21);
/// assert_eq!(bounds.upper(&current, 0.001), Some(shift.upper));
/// assert!(bounds.both(&current, 1e-9).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct ShiftBounds {
    before: Sample,
    /// Cumulated shares of orderings, each with the size of the sample that is compared.
    distributions: RefCell<Vec<(usize, Vec<f64>)>>,
}

impl ShiftBounds {
    /// Bounds of shifts from `before`.
    pub fn from_sample(before: Sample) -> Self {
        Self { before, distributions: RefCell::default() }
    }

    /// What others are compared with.
    pub fn before(&self) -> &Sample {
        &self.before
    }

    /// Estimate and bounds of `current - before`, each bound missing with at most
    /// `misrate_per_side`.
    ///
    /// `None` when the samples are too small for that misrate.
    pub fn both(&self, current: &Sample, misrate_per_side: f64) -> Option<Interval> {
        let margin = self.margin(current, misrate_per_side)?;
        Some(leaving_out(margin, current, &self.before))
    }

    /// The upper one of [`both`](Self::both).
    pub fn upper(&self, current: &Sample, misrate_per_side: f64) -> Option<f64> {
        let margin = self.margin(current, misrate_per_side)?;
        let last = last_rank(current, &self.before);
        Some(difference_at(current.sorted(), self.before.sorted(), last - margin))
    }

    /// The lower one of [`both`](Self::both).
    pub fn lower(&self, current: &Sample, misrate_per_side: f64) -> Option<f64> {
        let margin = self.margin(current, misrate_per_side)?;
        Some(difference_at(current.sorted(), self.before.sorted(), margin))
    }

    fn margin(&self, current: &Sample, misrate_per_side: f64) -> Option<u64> {
        let (size, mut distributions) = (current.size(), self.distributions.borrow_mut());
        let place = distributions.iter().position(|(its, _)| *its == size).unwrap_or_else(|| {
            distributions.push((size, cumulated_shares(size, self.before.size())));
            distributions.len() - 1
        });
        let margin = RankStep::Conservative.of(&distributions[place].1, misrate_per_side)?;
        // Both sides may meet in the middle but never cross.
        Some((margin as u64).min(last_rank(current, &self.before) / 2))
    }
}

/// Estimate and bounds of `current - before`, each bound missing with `misrate_per_side`; `None`
/// when the samples are too small for that misrate.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{RankStep, shift_bounds};
/// let before = Sample::new((0..30).map(f64::from).collect()).unwrap();
/// let current = Sample::new(vec![200.0, 201.0, 202.0]).unwrap();
/// let bounds = shift_bounds(&current, &before, 0.001, RankStep::Conservative).unwrap();
/// assert_eq!(bounds.estimate, 186.5);
/// assert!(bounds.lower > 160.0 && bounds.upper < 210.0);
/// assert!(shift_bounds(&current, &before, 1e-9, RankStep::Conservative).is_none());
/// ```
pub fn shift_bounds(
    current: &Sample,
    before: &Sample,
    misrate_per_side: f64,
    step: RankStep,
) -> Option<Interval> {
    let margin = pairwise_margin(current.size(), before.size(), misrate_per_side, step)?;
    Some(leaving_out(margin.min(last_rank(current, before) / 2), current, before))
}

/// The largest rank of a difference, counted from 0.
fn last_rank(current: &Sample, before: &Sample) -> u64 {
    current.size() as u64 * before.size() as u64 - 1
}

/// The median of the differences, and the interval that leaves out `margin` of them on each side.
fn leaving_out(margin: u64, current: &Sample, before: &Sample) -> Interval {
    let last = last_rank(current, before);
    let at = |rank| difference_at(current.sorted(), before.sorted(), rank);
    Interval { estimate: middle(last, at), lower: at(margin), upper: at(last - margin) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: impl IntoIterator<Item = f64>) -> Sample {
        Sample::new(values.into_iter().collect()).unwrap()
    }

    #[test]
    fn the_bounds_are_the_ranks_of_all_sorted_differences() {
        let scattered = |seed: u64, size: u64| {
            sample((1..=size).map(|i| ((i * seed * 7_919) % 1_000) as f64 / 1_000.0))
        };
        for (now, then) in [(3, 30), (5, 41), (9, 8), (15, 200)] {
            let (current, before) = (scattered(3, now), scattered(11, then));
            let mut sorted: Vec<f64> = Vec::new();
            for now in current.values() {
                sorted.extend(before.values().iter().map(|then| now - then));
            }
            sorted.sort_unstable_by(f64::total_cmp);
            let step = RankStep::Conservative;
            let margin = pairwise_margin(now as usize, then as usize, 0.01, step).unwrap() as usize;
            let bounds = ShiftBounds::from_sample(before);
            // Twice: from a fresh memory and from a used one.
            for _ in 0..2 {
                let shift = bounds.both(&current, 0.01).unwrap();
                assert_eq!(shift.lower, sorted[margin]);
                assert_eq!(shift.upper, sorted[sorted.len() - 1 - margin]);
                assert_eq!(shift.estimate, sample(sorted.clone()).median());
                assert_eq!(bounds.lower(&current, 0.01), Some(shift.lower));
                assert_eq!(bounds.upper(&current, 0.01), Some(shift.upper));
                let once = shift_bounds(&current, bounds.before(), 0.01, RankStep::Conservative);
                assert_eq!(once, Some(shift));
            }
        }
    }

    #[test]
    fn sizes_that_are_too_small_for_the_misrate_have_no_bound() {
        let bounds = ShiftBounds::from_sample(sample([1.0, 2.0]));
        let current = sample([1.0, 2.0]);
        assert_eq!(bounds.upper(&current, 0.01), None);
        assert_eq!(bounds.lower(&current, 0.01), None);
        assert!(bounds.upper(&current, 0.2).is_some());
    }
}
