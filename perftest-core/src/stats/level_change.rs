//! Where a series changes its level.
//!
//! Two rules find a change of the level. Both compare newer values with older ones of one level, and
//! ask for a step of a smallest size, such as [2%](SMALLEST_STEP).
//!
//! * *A tight level*: the newest values lie close together and apart from all older ones. The gap
//!   between them and the older values is at least twice their own width, and twice the median step
//!   from one older value to the next. The slowest or fastest tenth of the older values, on the
//!   side of the newer ones, is left out. How many older values there are, and how many levels they
//!   are of, does not matter.
//! * *By ranks*, for values that scatter more: the place is the one with the smallest sum of absolute
//!   distances from the parts' medians (the least absolute deviations of a single step). It is a
//!   change when the [rank bounds](super::shift_bounds) of the newer part against the older one
//!   exclude 0. The misrate, 0.1% for a search, is split over the places tried and the two sides.
//!   With thirty values of which the newest five are all beyond the others the change is found;
//!   with ten older values it takes seven newer ones.
//!
//! In histories of 60 normal values without a change, judged value by value, the first rule finds
//! one in 0.5% (3,000 histories), nearly always behind one or two older values.

use super::{RankStep, shift_bounds};
use crate::list::IntoList;
use crate::model::Sample;
use crate::order::sort_numbers;

/// Probability that one search finds a change in values that have none.
const MISRATE: f64 = 1e-3;
/// The ratio of a step that is usually the smallest: a smaller one is not a level of its own.
pub const SMALLEST_STEP: f64 = 1.02;
/// The gap of a tight level from older values, in widths of the level.
const GAP_IN_WIDTHS: f64 = 2.0;
/// One older value in this many may be an outlier.
const OLDER_AN_OUTLIER: usize = 10;

/// Whether `newest` values are a tight level of their own, apart from all `older` ones by at least the ratio
/// `smallest_step`. Logarithms, each in the order of the record.
///
/// ```
/// use perftest_core::stats::is_tight_level;
/// let older = [8.30, 8.29, 8.30, 7.60, 7.61];
/// assert!(is_tight_level(&older, &[6.90, 6.91, 6.90], 1.02));
/// assert!(!is_tight_level(&older, &[7.55, 7.70, 7.50], 1.02));
/// ```
pub fn is_tight_level(older: &[f64], newest: &[f64], smallest_step: f64) -> bool {
    let (Some(gap), Some((low, high))) = (gap(older, newest), range(newest)) else {
        return false;
    };
    let scatter = (high - low).max(median_step(older));
    gap >= smallest_step.ln() && gap >= GAP_IN_WIDTHS * scatter
}

/// Returns the gap between the newest values and the older ones; negative where they overlap.
fn gap(older: &[f64], newest: &[f64]) -> Option<f64> {
    let (low, high) = range(newest)?;
    let mut sorted = older.to_vec();
    sort_numbers(&mut sorted);
    let outliers = sorted.len() / OLDER_AN_OUTLIER;
    let (below, above) = (sorted.get(outliers)?, sorted.get(sorted.len() - 1 - outliers)?);
    Some((low - above).max(below - high))
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let low = values.iter().copied().min_by(f64::total_cmp)?;
    let high = values.iter().copied().max_by(f64::total_cmp)?;
    Some((low, high))
}

/// Median of the steps from one value to the next: few of them lead to another level.
fn median_step(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).into_list();
    Sample::median_of(&steps).unwrap_or(0.0)
}

/// Finds where the level of `logs` changes by ranks, by at least the ratio `smallest_step`. No part is shorter than
/// `fewest`.
///
/// ```
/// use perftest_core::stats::change_by_ranks;
/// let mut logs: Vec<f64> = (0..25).map(|n| 0.001 * f64::from(n % 7)).collect();
/// logs.extend([-0.10; 5]);
/// assert_eq!(change_by_ranks(&logs, 5, 1.02), Some(25));
/// ```
pub fn change_by_ranks(logs: &[f64], fewest: usize, smallest_step: f64) -> Option<usize> {
    let last = logs.len().checked_sub(fewest)?;
    let places = fewest..=last;
    let tried = places.clone().count() as f64;
    let [mut before, mut after] = [&logs[..fewest], &logs[fewest..]].map(<[f64]>::to_vec);
    [&mut before, &mut after].into_iter().for_each(|part| sort_numbers(part));
    let mut best: Option<(usize, f64)> = None;
    for place in places {
        if place > fewest {
            let log = logs[place - 1];
            after.remove(place_among(&after, log));
            before.insert(place_among(&before, log), log);
        }
        let cost = deviations(&logs[..place], &before) + deviations(&logs[place..], &after);
        if best.is_none_or(|(_, least)| cost < least) {
            best = Some((place, cost));
        }
    }
    let (place, _) = best?;
    let before = Sample::new(logs[..place].to_vec()).ok()?;
    let after = Sample::new(logs[place..].to_vec()).ok()?;
    let step = shift_bounds(&after, &before, MISRATE / 2.0 / tried, RankStep::Conservative)?;
    let is_certain = step.lower > 0.0 || step.upper < 0.0;
    (is_certain && step.estimate.abs() >= smallest_step.ln()).then_some(place)
}

/// The first place in the ascending order at which a value is or would be.
fn place_among(sorted: &[f64], value: f64) -> usize {
    sorted.partition_point(|it| it.total_cmp(&value).is_lt())
}

/// Sum of the absolute distances from the median; `sorted` are the same values in ascending order.
fn deviations(logs: &[f64], sorted: &[f64]) -> f64 {
    let median = Sample::median_of_sorted(sorted).unwrap_or(0.0);
    logs.iter().map(|log| (log - median).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around `level`, with a spread of 1%.
    fn around(level: f64, count: usize) -> Vec<f64> {
        (0..count).map(|n| level + 0.01 * ((n * 7 % 11) as f64 / 11.0 - 0.5)).collect()
    }

    fn by_ranks(parts: &[Vec<f64>]) -> Option<usize> {
        change_by_ranks(&parts.concat(), 5, SMALLEST_STEP)
    }

    #[test]
    fn a_steady_series_does_not_change_by_ranks() {
        for count in 1..60 {
            assert_eq!(by_ranks(&[around(3.0, count)]), None);
        }
    }

    #[test]
    fn by_ranks_five_values_at_another_level_are_one_and_four_are_not() {
        for level in [0.1, -0.1] {
            assert_eq!(by_ranks(&[around(0.0, 25), around(level, 5)]), Some(25));
            assert_eq!(by_ranks(&[around(0.0, 25), around(level, 4)]), None);
        }
    }

    #[test]
    fn by_ranks_a_short_history_needs_more_of_the_new_level() {
        assert_eq!(by_ranks(&[around(0.0, 10), around(0.1, 6)]), None);
        assert_eq!(by_ranks(&[around(0.0, 10), around(0.1, 7)]), Some(10));
    }

    #[test]
    fn a_step_below_two_percent_is_no_change() {
        assert_eq!(by_ranks(&[vec![0.0; 20], vec![0.018; 20]]), None);
        assert_eq!(by_ranks(&[vec![0.0; 20], vec![0.021; 20]]), Some(20));
        assert!(!is_tight_level(&[0.0; 20], &[0.018; 5], SMALLEST_STEP));
        assert!(is_tight_level(&[0.0; 20], &[0.021; 5], SMALLEST_STEP));
    }

    #[test]
    fn single_slow_values_neither_make_a_change_by_ranks_nor_hide_one() {
        let mut old = around(0.0, 24);
        (old[3], old[20]) = (0.4, 0.5);
        assert_eq!(by_ranks(&[old.clone(), around(0.0, 5)]), None);
        assert_eq!(by_ranks(&[old, around(0.2, 10)]), Some(24));
    }

    #[test]
    fn a_tight_level_needs_no_length_of_what_was_before() {
        for older in 1..40 {
            for level in [0.1, -0.1] {
                assert!(
                    is_tight_level(&around(0.0, older), &around(level, 5), SMALLEST_STEP),
                    "{older} {level}"
                );
            }
        }
        assert!(!is_tight_level(&[], &around(0.0, 5), SMALLEST_STEP));
        assert!(!is_tight_level(&around(0.0, 5), &[], SMALLEST_STEP));
    }

    #[test]
    fn what_was_before_may_be_of_several_levels() {
        let older = [around(1.4, 5), around(0.7, 3)].concat();
        assert!(is_tight_level(&older, &around(0.0, 5), SMALLEST_STEP));
        assert!(!is_tight_level(&older, &around(1.0, 5), SMALLEST_STEP), "between the two");
    }

    #[test]
    fn values_that_scatter_as_far_as_they_lie_apart_are_no_tight_level() {
        assert!(!is_tight_level(&around(0.0, 10), &[0.04, 0.06, 0.05, 0.04, 0.07], SMALLEST_STEP));
        let restless: Vec<f64> = (0..10).map(|n| 0.05 * f64::from(n % 2)).collect();
        assert!(!is_tight_level(&restless, &around(0.12, 5), SMALLEST_STEP));
    }

    #[test]
    fn one_older_value_in_ten_may_lie_anywhere() {
        let mut older = around(0.0, 10);
        older[4] = 0.3;
        assert!(is_tight_level(&older, &around(0.1, 5), SMALLEST_STEP));
        assert!(!is_tight_level(&older[1..], &around(0.1, 5), SMALLEST_STEP));
    }

    #[test]
    fn unchanged_values_hardly_ever_look_like_a_tight_level() {
        let mut random = pragmastat::Rng::from_seed(7);
        let mut normal = || (0..12).map(|_| random.uniform_f64()).sum::<f64>() - 6.0;
        let found = (0..1000)
            .filter(|_| {
                let values: Vec<f64> = (0..40).map(|_| 0.03 * normal()).collect();
                (10..40).any(|end| {
                    is_tight_level(&values[..end - 5], &values[end - 5..end], SMALLEST_STEP)
                })
            })
            .count();
        assert!(found <= 2, "{found} of 1000 histories");
    }
}
