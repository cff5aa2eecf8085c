//! How well a history knows the place of a change: an interval of places, by ranks.
//!
//! Definition: of the levels beside a change the nearest values are taken, as many of the one as of the
//! other, 10 at least and 50 at most where there are so many. Their ranks r, equal values at their mean
//! rank, are divided at each place t into a part before it and a part from it on; SSR(t) is the sum of the
//! squared distances of the ranks from the mean of their part. With m ranks, the interval reaches from the
//! first to the last place at which m ln(SSR(t) / SSR(best)) is at most 10.6, and includes the place that was
//! found. One value proves nothing by its rank, so it is one place wider on each side. Values decide by
//! themselves where they are usual on one level (at most 1.5 distances of the quartiles beyond them, as Tukey's
//! fences) and foreign to the other: one that is more than 6 distances beyond its quartiles, or two in a row
//! that are more than 3. No place in the interval puts these on that other level. The distance is that of the
//! level with the larger one.
//!
//! Source: the likelihood-ratio set of places of Siegmund, *Confidence sets in change-point problems*
//! (International Statistical Review 56, 1988), applied to ranks as the estimator of Gombay and Hušková
//! (*Rank based estimators of the change-point*, Journal of Statistical Planning and Inference 67, 1998).
//! In the limit P(ratio > x) = 1 - (1 - exp(-x / 2))², and x = 10.6 is 99%.
//!
//! Behaviour: the true place is in the interval in 99% of the steps of three deviations and more that
//! [`change_points`](super::change_points()) finds, in 96% where one value of ten is four times as far out.
//! Beside a step that is beyond all doubt it is one place.
//!
//! Cost: O(m log m).

use crate::thresholds::Quartiles;
use std::ops::RangeInclusive;

/// The largest difference to the best place, as twice the log-likelihood. Source: the limit of 99% of Siegmund 1988,
/// as above.
const LACKING: f64 = 10.6;
/// A value within this many interquartile ranges is usual. Source: Tukey's fences (1977).
const USUAL: f64 = 1.5;
/// A value beyond this many belongs to the other level by itself. A convention: twice the outer fences.
const FOREIGN_ALONE: f64 = 6.0;
/// A value beyond this many does so together with a neighbour. Source: Tukey's outer fences (1977).
const FOREIGN_TOGETHER: f64 = 3.0;
/// Fewest values of each level that are used, if there are enough. A convention: a level has as many.
const FEWEST: usize = 10;
/// Most values of each level that are used. A convention: more cost time.
const MOST: usize = 50;

/// Returns the possible places of the change that was found at `found`: each is a first value of
/// the new level. `values` are those of both levels, in their order.
///
/// ```
/// use perftest_analysis::detect::place_of_change;
/// let noise = |n: usize| (n * 7 % 11) as f64;
/// let step = |size: f64| (0..60).map(|n| noise(n) + if n < 40 { 0.0 } else { size }).collect();
/// let [small, large]: [Vec<f64>; 2] = [5.0, 50.0].map(step);
/// assert_eq!(place_of_change(&large, 40), 40..=40);
/// let wide = place_of_change(&small, 40);
/// assert!(wide.contains(&40) && wide.count() > 3);
/// ```
///
/// # Panics
///
/// `found` is not inside the values.
pub fn place_of_change(values: &[f64], found: usize) -> RangeInclusive<usize> {
    let after = values.len().checked_sub(found).expect("a change is inside its values");
    let reach = found.min(after).clamp(FEWEST, MOST);
    let first = found.saturating_sub(reach);
    let nearest = &values[first..values.len().min(found + reach)];
    let lacking = lacking(nearest);
    let is_possible = |place: &usize| {
        let index = place - first;
        *place == found || (1..nearest.len()).contains(&index) && lacking[index - 1] <= LACKING
    };
    let places = || first..=first + nearest.len();
    let earliest = places().find(is_possible).unwrap_or(found);
    let latest = places().rev().find(is_possible).unwrap_or(found);
    let earliest = earliest.saturating_sub(1).max(first + 1).min(earliest);
    let latest = (latest + 1).min(first + nearest.len() - 1).max(latest);
    let (before, after) = nearest.split_at(found - first);
    let levels = Levels::of(before, after);
    let earliest = levels.newest_before().map_or(earliest, |index| earliest.max(first + index + 1));
    let latest = levels.oldest_after().map_or(latest, |index| latest.min(found + index));
    earliest..=latest
}

/// The values beside a change.
struct Levels<'a> {
    values: [&'a [f64]; 2],
    quartiles: [Option<Quartiles>; 2],
    /// The larger interquartile range of the two levels.
    distance: f64,
}

impl<'a> Levels<'a> {
    fn of(before: &'a [f64], after: &'a [f64]) -> Self {
        let quartiles = [before, after].map(Quartiles::of);
        let distance = quartiles.iter().flatten().map(Quartiles::range).fold(0.0, f64::max);
        Self { values: [before, after], quartiles, distance }
    }

    fn is_within(&self, value: f64, level: usize, distances: f64) -> bool {
        let margin = distances * self.distance;
        self.quartiles[level]
            .is_some_and(|it| (it.first - margin..=it.third + margin).contains(&value))
    }

    /// Returns whether all of these values are of one level, because they are so foreign to the
    /// other.
    fn are_of(&self, level: usize, values: &[f64], foreign: f64) -> bool {
        values.iter().all(|value| {
            self.is_within(*value, level, USUAL) && !self.is_within(*value, 1 - level, foreign)
        })
    }

    /// Returns the newest value that must be before the change, by its own value.
    fn newest_before(&self) -> Option<usize> {
        let values = self.values[0];
        (0..values.len()).rev().find(|index| {
            self.are_of(0, &values[*index..=*index], FOREIGN_ALONE)
                || values
                    .get(*index..index + 2)
                    .is_some_and(|pair| self.are_of(0, pair, FOREIGN_TOGETHER))
        })
    }

    /// Returns the oldest value that must be after the change, by its own value.
    fn oldest_after(&self) -> Option<usize> {
        let values = self.values[1];
        (0..values.len()).find(|index| {
            let pair = index.saturating_sub(1)..=*index;
            self.are_of(1, &values[*index..=*index], FOREIGN_ALONE)
                || *index > 0 && self.are_of(1, &values[pair], FOREIGN_TOGETHER)
        })
    }
}

/// Returns the log-likelihood difference of each place, from the second value on, to the best one.
fn lacking(values: &[f64]) -> Vec<f64> {
    let size = values.len() as f64;
    let mean = (size + 1.0) / 2.0;
    let distances: Vec<f64> = mid_ranks(values).into_iter().map(|rank| rank - mean).collect();
    let total: f64 = distances.iter().map(|distance| distance * distance).sum();
    let mut sum = 0.0;
    let rests: Vec<f64> = (1..values.len())
        .map(|place| {
            sum += distances[place - 1];
            let before = place as f64;
            // A residual of zero would leave only one place, however few the values are.
            (total - sum * sum * size / (before * (size - before))).max(1e-9 * total)
        })
        .collect();
    let best = rests.iter().copied().fold(f64::INFINITY, f64::min);
    rests
        .into_iter()
        .map(|rest| if total > 0.0 { size * (rest / best).ln() } else { 0.0 })
        .collect()
}

/// Returns ranks from 1 on; equal values get their mean rank.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = below as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|index| ranks[*index] = rank);
        below += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::super::change_points;
    use super::*;
    use crate::noise::normal;
    use perftest_core::model::Sample;
    use perftest_core::stats::Random;

    /// Returns values with a deviation of 1 that rise by `size` at `place`; one of ten is four
    /// times as far out if `is_heavy`.
    fn stepped(random: &mut Random, counts: [usize; 2], size: f64, is_heavy: bool) -> Vec<f64> {
        let mut noise = || {
            let noise = normal(random);
            let is_far = is_heavy && random.between(0.0, 1.0) < 0.1;
            if is_far { 4.0 * noise } else { noise }
        };
        let [before, after] = counts;
        (0..before + after).map(|n| noise() + if n < before { 0.0 } else { size }).collect()
    }

    /// Returns how often the true place is missed, in a thousand steps that are found.
    fn missed(counts: [usize; 2], size: f64, is_heavy: bool) -> f64 {
        let mut random = Random::new(7);
        let (mut found, mut missed) = (0, 0);
        for _ in 0..400 {
            let values = stepped(&mut random, counts, size, is_heavy);
            let sample = Sample::new(values.iter().map(|it| 100.0 + it).collect()).unwrap();
            if let [change] = change_points(&sample).lasting[..] {
                found += 1;
                missed += u32::from(!place_of_change(&values, change.index).contains(&counts[0]));
            }
        }
        assert!(found > 50, "{counts:?} {size}: only {found}");
        1_000.0 * f64::from(missed) / f64::from(found)
    }

    #[test]
    fn the_true_place_is_in_the_interval() {
        for counts in [[60, 60], [30, 10], [100, 10]] {
            for size in [3.0, 5.0, 50.0] {
                let missed = missed(counts, size, false);
                assert!(missed <= 10.0, "{counts:?} {size}: {missed}");
            }
            let missed = missed(counts, 5.0, true);
            assert!(missed <= 40.0, "{counts:?}: {missed}");
        }
    }

    #[test]
    fn a_value_of_neither_level_beside_the_place_leaves_it_open() {
        let mut values: Vec<f64> = (0..40).map(|n| f64::from(n % 5)).collect();
        values[20..].iter_mut().for_each(|value| *value += 100.0);
        assert_eq!(place_of_change(&values, 20), 20..=20);
        values[19] = 50.0;
        for found in [19, 20] {
            let place = place_of_change(&values, found);
            assert!(place.contains(&19) && place.contains(&20), "{place:?}");
        }
    }

    #[test]
    fn few_or_equal_values_leave_every_place_open() {
        assert_eq!(place_of_change(&[1.0; 12], 6), 1..=11);
        assert_eq!(place_of_change(&[1.0, 2.0], 1), 1..=1);
        assert_eq!(place_of_change(&[1.0, 1.0, 2.0], 3), 3..=3);
        assert_eq!(place_of_change(&[3.0], 0), 0..=0);
    }
}
