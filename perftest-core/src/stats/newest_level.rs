//! Where the newest level of a series begins.
//!
//! Definition: a series has a change where the two parts differ in level beyond doubt and by
//! something that matters. The place is the one with the smallest sum of absolute distances from
//! the parts' medians (the least absolute deviations of a single step). It is a change when the
//! [rank bounds](super::shift_bounds) of the newer part against the older one exclude 0 and the
//! estimated step is at least 2 %. The search goes on in the newer part until there is none.
//!
//! The misrate, 0.1 % for a whole search, is split over the places tried and the two sides. With
//! thirty values of which the newest five are all beyond the others the change is found; with ten
//! older values it takes seven newer ones.

use super::{RankStep, shift_bounds};
use crate::model::Sample;

/// Probability that one search finds a change in values that have none.
const MISRATE: f64 = 1e-3;
/// A smaller step is not a level of its own.
const SMALLEST_STEP: f64 = 1.02;

/// Index at which the newest level of `logs` begins, 0 when there was no change. `logs` are
/// logarithms, oldest first; no level is shorter than `fewest`.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::newest_level;
/// let mut logs: Vec<f64> = (0..25).map(|n| 0.001 * f64::from(n % 7)).collect();
/// logs.extend([-0.10; 5]);
/// assert_eq!(newest_level(&Sample::new(logs).unwrap(), 5), 25);
/// ```
pub fn newest_level(logs: &Sample, fewest: usize) -> usize {
    let mut start = 0;
    while let Some(place) = change(&logs.values()[start..], fewest.max(1)) {
        start += place;
    }
    start
}

/// Where these values change their level, if they do.
fn change(logs: &[f64], fewest: usize) -> Option<usize> {
    let last = logs.len().checked_sub(fewest)?;
    let places = fewest..=last;
    let tried = places.clone().count() as f64;
    let cost = |place: &usize| deviations(&logs[..*place]) + deviations(&logs[*place..]);
    let place = places.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
    let before = Sample::new(logs[..place].to_vec()).ok()?;
    let after = Sample::new(logs[place..].to_vec()).ok()?;
    let step = shift_bounds(&after, &before, MISRATE / 2.0 / tried, RankStep::Conservative)?;
    let is_certain = step.lower > 0.0 || step.upper < 0.0;
    (is_certain && step.estimate.abs() >= SMALLEST_STEP.ln()).then_some(place)
}

/// Sum of the absolute distances from the median.
fn deviations(logs: &[f64]) -> f64 {
    let median = Sample::new(logs.to_vec()).map_or(0.0, |sample| sample.median());
    logs.iter().map(|log| (log - median).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around `level`, with a spread of 1 %.
    fn around(level: f64, count: usize) -> Vec<f64> {
        (0..count).map(|n| level + 0.01 * ((n * 7 % 11) as f64 / 11.0 - 0.5)).collect()
    }

    fn begins(parts: &[Vec<f64>]) -> usize {
        newest_level(&Sample::new(parts.concat()).unwrap(), 5)
    }

    #[test]
    fn a_steady_series_is_one_level() {
        for count in 1..60 {
            assert_eq!(begins(&[around(3.0, count)]), 0);
        }
    }

    #[test]
    fn five_values_at_another_level_are_one_and_four_are_not() {
        for level in [0.1, -0.1] {
            assert_eq!(begins(&[around(0.0, 25), around(level, 5)]), 25);
            assert_eq!(begins(&[around(0.0, 25), around(level, 4)]), 0);
        }
    }

    #[test]
    fn a_short_history_needs_more_of_the_new_level() {
        assert_eq!(begins(&[around(0.0, 10), around(0.1, 6)]), 0);
        assert_eq!(begins(&[around(0.0, 10), around(0.1, 7)]), 10);
    }

    #[test]
    fn the_newest_of_several_changes_counts() {
        let parts = [around(0.0, 25), around(0.2, 20), around(0.1, 10)];
        assert_eq!(begins(&parts), 45);
    }

    #[test]
    fn a_step_below_two_percent_is_no_new_level() {
        assert_eq!(begins(&[vec![0.0; 20], vec![0.018; 20]]), 0);
        assert_eq!(begins(&[vec![0.0; 20], vec![0.021; 20]]), 20);
    }

    #[test]
    fn single_slow_values_neither_make_a_change_nor_hide_one() {
        let mut old = around(0.0, 24);
        (old[3], old[20]) = (0.4, 0.5);
        assert_eq!(begins(&[old.clone(), around(0.0, 5)]), 0);
        assert_eq!(begins(&[old, around(0.2, 10)]), 24);
    }
}
