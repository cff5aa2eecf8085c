//! Change points as Apache Otava (formerly Hunter) finds them.
//!
//! Definition: windows of `window` points, each beginning half a window after the last, or at the last
//! change of the last if that is further. Inside a window the best cut of all segments (the divergence
//! Q of [`Split`]) is a weak change while Student's t of its two sides has a p of at most the first limit:
//! ten times `max_pvalue` below 0.05, twice below 0.5, itself above. The weak changes of all windows
//! are then judged between their neighbours: while the largest p is at least `max_pvalue` its
//! change is dropped, otherwise the change of the smallest magnitude while that is at most
//! `min_magnitude`; the two changes behind a dropped one are judged again, while the one before it keeps
//! what it had (so it is there, and published results depend on it). Magnitude: the larger of the
//! relative changes forth and back.
//!
//! The original algorithm instead shuffles the whole series inside its segments `permutations` times for
//! each candidate; p = shuffles with a Q at least as large / (permutations + 1).
//!
//! Source: Fleming et al., "Hunter: Using change point detection to hunt for performance
//! regressions", ICPE 2023, and Otava's code (state of April 2026), in own words. Behaviour: finds small
//! lasting changes in hundreds of points, and many more than wanted where values are not independent; a
//! single far value becomes two changes at its sides; p is too small for short segments
//! (see [`LevelSummary`]). Cost: a window costs the square of its points, the series times the window; the
//! merge the square of the weak changes ([`Otava::MOST_POINTS`]); a shuffle the square of the series.

use super::too_long::Budget;
use super::{LevelSummary, Split, TooLong};
use perftest_core::stats::Random;
use std::collections::BTreeSet;
use std::ops::Range;

/// Window and limits; the defaults are Otava's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Otava {
    /// Points that are searched at once, at least 2: 50.
    pub window: usize,
    /// The p a change has to stay below: 0.001.
    pub max_pvalue: f64,
    /// The relative change it has to be above: 0.
    pub min_magnitude: f64,
}

/// A change between the neighbouring ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtavaChange {
    /// Index of the first point after it.
    pub index: usize,
    /// The level since the change before.
    pub before: LevelSummary,
    /// The level until the next change.
    pub after: LevelSummary,
    /// The probability that both are the same.
    pub pvalue: f64,
}

impl Default for Otava {
    fn default() -> Self {
        Self { window: 50, max_pvalue: 0.001, min_magnitude: 0.0 }
    }
}

impl OtavaChange {
    /// The change of `series` at `index` between the ends of its sides.
    fn at(series: &[f64], sides: Range<usize>, index: usize) -> Self {
        let before = LevelSummary::of(&series[sides.start..index]);
        let after = LevelSummary::of(&series[index..sides.end]);
        Self { index, before, after, pvalue: before.pooled_t_pvalue(&after) }
    }

    /// The larger of the relative changes forth and back.
    pub fn magnitude(&self) -> f64 {
        self.before.magnitude(&self.after)
    }
}

impl Otava {
    /// The longest series that is searched in windows.
    pub const MOST_POINTS: usize = 100_000;
    /// The longest series that is shuffled.
    pub const MOST_SHUFFLED_POINTS: usize = 2_000;
    /// The squares of all segments that are cut, the shuffled ones included: some seconds.
    const MOST_WORK: usize = 4_000_000_000;

    /// The changes of finite values, ascending.
    ///
    /// # Errors
    ///
    /// The series has more than [`Self::MOST_POINTS`] points, a window more than
    /// [`Split::MOST_POINTS`], or all windows together take more than some seconds.
    ///
    /// ```
    /// use perftest_conformance::detect::Otava;
    /// let series = [1.02, 0.95, 0.99, 1.0, 1.12, 0.9, 0.5, 0.51, 0.48, 0.48, 0.55];
    /// let changes = Otava::default().changes(&series).unwrap();
    /// assert_eq!(changes.iter().map(|change| change.index).collect::<Vec<_>>(), [6]);
    /// ```
    pub fn changes(&self, series: &[f64]) -> Result<Vec<OtavaChange>, TooLong> {
        TooLong::check("Otava's merge", series.len(), Self::MOST_POINTS)?;
        let weak = self.weak_changes(series)?;
        Ok(self.merged(series, weak))
    }

    /// The limit of p inside a window.
    fn first_limit(&self) -> f64 {
        match self.max_pvalue {
            strict if strict < 0.05 => strict * 10.0,
            middling if middling < 0.5 => middling * 2.0,
            loose => loose,
        }
    }

    fn weak_changes(&self, series: &[f64]) -> Result<BTreeSet<usize>, TooLong> {
        let limit = self.first_limit();
        let window = self.window.max(2);
        let mut budget = Budget::new("Otava's search", series.len(), Self::MOST_WORK);
        let mut weak = BTreeSet::new();
        let mut start = 0;
        while start < series.len() {
            let end = start.saturating_add(window).min(series.len());
            let found = divided(&series[start..end], &mut budget, |values, bounds, cut, _| {
                Ok(OtavaChange::at(values, enclosing(bounds, cut.tau), cut.tau).pvalue <= limit)
            })?;
            let found: Vec<usize> = found.into_iter().map(|cut| start + cut).collect();
            start = found.last().copied().unwrap_or(0).max(start + window / 2);
            weak.extend(found);
        }
        Ok(weak)
    }

    fn merged(&self, series: &[f64], weak: BTreeSet<usize>) -> Vec<OtavaChange> {
        let mut bounds: Vec<usize> = [0].into_iter().chain(weak).chain([series.len()]).collect();
        let at = |bounds: &[usize], place: usize| {
            OtavaChange::at(series, bounds[place]..bounds[place + 2], bounds[place + 1])
        };
        let mut changes: Vec<OtavaChange> =
            (0..bounds.len() - 2).map(|place| at(&bounds, place)).collect();
        while let Some(place) = self.weakest(&changes) {
            changes.remove(place);
            bounds.remove(place + 1);
            for follower in place..changes.len().min(place + 2) {
                changes[follower] = at(&bounds, follower);
            }
        }
        changes
    }

    /// Place of the change that is to be dropped next.
    fn weakest(&self, changes: &[OtavaChange]) -> Option<usize> {
        let first_most = |weakness: &dyn Fn(&OtavaChange) -> f64| {
            let places = changes.iter().map(weakness).enumerate().rev();
            places.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let (place, pvalue) = first_most(&|change| change.pvalue)?;
        if pvalue >= self.max_pvalue {
            return Some(place);
        }
        let (place, smallness) = first_most(&|change| -change.magnitude())?;
        (-smallness <= self.min_magnitude).then_some(place)
    }

    /// The changes of the original algorithm, as indices of the first point after each.
    ///
    /// # Errors
    ///
    /// There are more than [`Self::MOST_SHUFFLED_POINTS`] points, or the search takes more than some
    /// seconds.
    ///
    /// ```
    /// use perftest_conformance::detect::Otava;
    /// use perftest_core::stats::Random;
    /// let series: Vec<f64> = (0..30_i32).map(|i| f64::from(i % 3 + i / 18 * 9)).collect();
    /// let changes = Otava::shuffled_changes(&series, 0.01, 100, &mut Random::new(1));
    /// assert_eq!(changes, Ok(vec![18]));
    /// ```
    pub fn shuffled_changes(
        series: &[f64],
        max_pvalue: f64,
        permutations: usize,
        random: &mut Random,
    ) -> Result<Vec<usize>, TooLong> {
        TooLong::check("E-divisive's shuffling", series.len(), Self::MOST_SHUFFLED_POINTS)?;
        let mut budget = Budget::new("E-divisive's shuffling", series.len(), Self::MOST_WORK);
        let mut shuffled = series.to_vec();
        divided(series, &mut budget, |values, bounds, candidate, budget| {
            let mut as_good = 0;
            shuffled.copy_from_slice(values);
            for _ in 0..permutations {
                let mut best = f64::NEG_INFINITY;
                for sides in bounds.windows(2) {
                    let segment = &mut shuffled[sides[0]..sides[1]];
                    budget.spend(segment.len() * segment.len())?;
                    random.shuffle(segment);
                    best = best.max(Split::best(segment, 1.0)?.map_or(best, |cut| cut.qhat));
                }
                as_good += usize::from(best >= candidate.qhat);
                if as_good as f64 / (permutations + 1) as f64 > max_pvalue {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Values with each missing one replaced by the last before it, at the beginning by the first
    /// that is known.
    ///
    /// ```
    /// use perftest_conformance::detect::Otava;
    /// let values = [None, Some(1.0), None, Some(3.0)];
    /// assert_eq!(Otava::filled(&values), [Some(1.0), Some(1.0), Some(1.0), Some(3.0)]);
    /// ```
    pub fn filled(values: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut last = values.iter().flatten().next().copied();
        values
            .iter()
            .map(|value| {
                last = value.or(last);
                last
            })
            .collect()
    }

    /// The points around `index` between the changes at these indices, of `count` points.
    ///
    /// ```
    /// use perftest_conformance::detect::Otava;
    /// assert_eq!(Otava::stable_range(&[4, 9], 5, 20), 4..9);
    /// ```
    pub fn stable_range(changes: &[usize], index: usize, count: usize) -> Range<usize> {
        let upto = changes.partition_point(|change| *change <= index);
        let begin = upto.checked_sub(1).map_or(0, |last| changes[last]);
        begin..changes.get(upto).copied().unwrap_or(count)
    }
}

/// Cuts the values at the best place of all segments, again and again, while `is_change` holds for
/// the values, the ends of all segments (0 and the last included) and the cut.
fn divided(
    values: &[f64],
    budget: &mut Budget,
    mut is_change: impl FnMut(&[f64], &[usize], Split, &mut Budget) -> Result<bool, TooLong>,
) -> Result<Vec<usize>, TooLong> {
    let best = |sides: Range<usize>, budget: &mut Budget| -> Result<Option<Split>, TooLong> {
        budget.spend(sides.len() * sides.len())?;
        let start = sides.start;
        let moved = |cut: Split| Split { tau: start + cut.tau, kappa: start + cut.kappa, ..cut };
        Ok(Split::best(&values[sides], 1.0)?.map(moved))
    };
    let mut bounds = Vec::from([0, values.len()]);
    let mut cuts: Vec<Option<Split>> = Vec::from([best(0..values.len(), budget)?]);
    loop {
        let candidates = cuts.iter().enumerate().rev();
        let candidates = candidates.filter_map(|(place, cut)| Some((place, (*cut)?)));
        let best_cut = candidates.max_by(|a, b| a.1.qhat.total_cmp(&b.1.qhat));
        let Some((place, cut)) = best_cut else {
            break;
        };
        if !is_change(values, &bounds, cut, budget)? {
            break;
        }
        let parts =
            [best(bounds[place]..cut.tau, budget)?, best(cut.tau..bounds[place + 1], budget)?];
        cuts.splice(place..=place, parts);
        bounds.insert(place + 1, cut.tau);
    }
    Ok(bounds[1..bounds.len() - 1].to_vec())
}

/// The ends of the segment in which an index lies; the first and the last end are outside all.
fn enclosing(bounds: &[usize], index: usize) -> Range<usize> {
    let next = bounds.partition_point(|end| *end <= index).clamp(1, bounds.len() - 1);
    bounds[next - 1]..bounds[next]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::scattered::scattered;

    fn noisy(levels: &[(usize, f64)]) -> Vec<f64> {
        scattered(levels, 1.0, 4)
    }

    fn indices(rule: Otava, series: &[f64]) -> Vec<usize> {
        rule.changes(series).unwrap().iter().map(|change| change.index).collect()
    }

    #[test]
    fn steps_over_many_windows_are_found_once_each() {
        let series = noisy(&[(130, 100.0), (90, 103.0), (140, 98.0)]);
        assert_eq!(indices(Otava::default(), &series), [130, 220]);
    }

    #[test]
    fn changes_that_are_too_small_are_dropped() {
        let series = noisy(&[(130, 100.0), (90, 103.0), (140, 80.0)]);
        let large = Otava { min_magnitude: 0.05, ..Otava::default() };
        assert_eq!(indices(large, &series), [220]);
    }

    #[test]
    fn nothing_one_point_and_constants_have_no_change() {
        for series in [vec![], vec![4.0], vec![4.0, 4.0], vec![4.0; 200]] {
            assert!(indices(Otava::default(), &series).is_empty());
            let original = Otava::shuffled_changes(&series, 0.05, 20, &mut Random::new(1));
            assert_eq!(original, Ok(vec![]));
        }
    }

    #[test]
    fn a_step_without_noise_is_a_change() {
        let series = [[1.0; 9], [2.0; 9]].concat();
        assert_eq!(indices(Otava::default(), &series), [9]);
    }

    #[test]
    fn absurd_windows_neither_panic_nor_hang() {
        let series = noisy(&[(60, 100.0), (60, 110.0)]);
        for window in [0, 1, 2, 3, usize::MAX] {
            indices(Otava { window, ..Otava::default() }, &series);
        }
        assert!(Otava::default().changes(&vec![0.0; 100_001]).is_err());
        assert!(Otava::shuffled_changes(&vec![0.0; 5_000], 0.1, 100, &mut Random::new(1)).is_err());
        let loose = Otava { window: 60, max_pvalue: 1.0, min_magnitude: 0.0 };
        let all = indices(loose, &series);
        assert!(all.len() > 30 && all.is_sorted(), "{all:?}");
    }

    #[test]
    fn what_is_missing_everywhere_stays_missing() {
        assert_eq!(Otava::filled(&[None, None]), [None, None]);
        assert!(Otava::filled(&[]).is_empty());
    }

    #[test]
    fn a_stable_range_is_everything_without_changes() {
        assert_eq!(Otava::stable_range(&[], 3, 8), 0..8);
        assert_eq!(Otava::stable_range(&[3], 3, 8), 3..8);
        assert_eq!(Otava::stable_range(&[3], 2, 8), 0..3);
    }
}
