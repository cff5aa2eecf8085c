//! How a history is divided into levels: the steps of [`change_points`](super::change_points()).

use super::level_values::{FENCES, FEWEST, LevelIndices, LevelValues};
use super::partition::partition;
use super::stretch_sums::{StretchSums, fences_of_each};
use std::ops::Range;

/// Number of values in a temporary change. A convention.
const TEMPORARY: Range<usize> = 5..31;
/// A temporary change covers at most this fraction of a stretch's values. A convention.
const LARGEST_CUT: usize = 4;
/// Support that a step needs, in units of ln n. Chosen on the series of docs/evidence/change-points.md, which has the
/// scores of 8 and 10, too.
const STEP: f64 = 9.0;
/// Support that a bump needs, in units of a step's. A convention.
const BUMP: f64 = 1.5;
/// Fences for bumps: Tukey's outer ones, because the inner ones would treat a bump's few values as
/// outliers.
const OUTER_FENCES: f64 = 3.0;
/// The most values that are divided at once. A convention: a longer history is divided in parts.
const LONGEST: usize = 1_000;
/// How often changes are moved at most. A convention.
const MOVES: usize = 3;

/// A history, ready to be divided.
pub(super) struct Division {
    /// The values divided by the unit: squares of very large or very small values would overflow or
    /// vanish.
    values: LevelValues,
    /// The power of two below the largest magnitude: dividing by it loses no digit.
    unit: f64,
}

impl Division {
    pub(super) fn new(values: &[f64]) -> Self {
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let unit = power_of_two(largest);
        let log_size = (values.len().min(LONGEST) as f64).ln();
        let values = values.iter().map(|value| value / unit).collect();
        Self { values: LevelValues { values, price: STEP * log_size }, unit }
    }

    /// Returns the known changes, and the changes after them.
    pub(super) fn continued(&self, known: &ChangePositions) -> ChangePositions {
        let size = self.values.size();
        let is_inside = |change: &&usize| (1..size).contains(*change);
        let mut found = ChangePositions {
            lasting: known.lasting.iter().filter(is_inside).copied().collect(),
            temporary: known.temporary.iter().filter(|it| it.end <= size).cloned().collect(),
        };
        found.lasting.sort_unstable();
        found.join_temporary();
        let from = found.lasting.last().copied().unwrap_or(0);
        let some =
            |found: &ChangePositions, from| found.places(from..size).take(LONGEST + 1).collect();
        let mut places: LevelIndices = some(&found, from);
        while places.len() > LONGEST {
            let next = self.add_settled(&mut found, &places[..LONGEST]);
            places = some(&found, next);
        }
        self.add(&mut found, places, size);
        self.settle_returns(&mut found);
        found
    }

    /// Removes the lasting changes from a place on that are part of a drift.
    pub(super) fn drop_drifts(&self, known: &mut ChangePositions, from: usize) {
        for index in (0..known.lasting.len()).rev() {
            let around = [index, index + 1].map(|level| self.level(known, level));
            if known.lasting[index] >= from && self.values.are_drift(&around[0], &around[1]) {
                known.lasting.remove(index);
            }
        }
    }

    /// Returns the level after this many lasting changes.
    pub(super) fn level(&self, found: &ChangePositions, index: usize) -> LevelIndices {
        let start = index.checked_sub(1).map_or(0, |before| found.lasting[before]);
        let end = found.lasting.get(index).copied().unwrap_or(self.values.size());
        found.places(start..end).collect()
    }

    /// Returns the median of values by their indices; 0 without any.
    pub(super) fn median(&self, places: &[usize]) -> f64 {
        self.unit * self.values.median(places)
    }

    /// Adds the changes in a stretch that later values cannot move; returns where to continue.
    fn add_settled(&self, found: &mut ChangePositions, stretch: &[usize]) -> usize {
        self.add(found, stretch.to_vec(), stretch[LONGEST / 4 * 3]);
        let middle = stretch[LONGEST / 2];
        let last = found.lasting.last().map_or(middle, |last| middle.max(*last));
        let around = found.temporary.iter().find(|values| values.contains(&last));
        around.map_or(last, |values| values.end)
    }

    /// Adds the changes among `places` up to `limit`.
    fn add(&self, found: &mut ChangePositions, places: LevelIndices, limit: usize) {
        let (mut levels, temporary) = self.divided(places);
        for _ in 0..MOVES {
            self.values.merge(&mut levels);
            if !self.values.move_changes(&mut levels) {
                break;
            }
        }
        self.values.merge(&mut levels);
        let changes = levels.iter().skip(1).filter_map(|level| level.first().copied());
        found.lasting.extend(changes.filter(|change| *change <= limit));
        found.temporary.extend(temporary.into_iter().filter(|values| values.end <= limit));
        found.join_temporary();
    }

    /// Divides while there is enough support; returns the levels, and the values that were cut out.
    fn divided(&self, places: LevelIndices) -> (Vec<LevelIndices>, Vec<Range<usize>>) {
        let (mut levels, mut temporary) = (Vec::new(), Vec::new());
        let mut open = vec![places];
        while let Some(mut places) = open.pop() {
            match self.best_part(&places) {
                None => levels.extend(self.levels_together(places)),
                Some(part) if part.end == places.len() => {
                    let after = places.split_off(part.start);
                    open.extend([places, after]);
                }
                Some(part) => {
                    let meanwhile: LevelIndices = places.drain(part).collect();
                    if self.values.differ(&meanwhile, &places) {
                        temporary.push(meanwhile[0]..meanwhile[meanwhile.len() - 1] + 1);
                    }
                    open.push(places);
                }
            }
        }
        levels.sort_unstable();
        (levels, temporary)
    }

    /// Returns the part with the best supported level of its own: all values after a step, or a
    /// bump.
    fn best_part(&self, places: &[usize]) -> Option<Range<usize>> {
        let size = places.len();
        if size < 2 * FEWEST {
            return None;
        }
        let values = self.values.at(places);
        let [inner, outer] = fences_of_each(&values, [FENCES, OUTER_FENCES]);
        let stretch = StretchSums::within(&values, inner);
        let (step, _) = stretch.best_step(FEWEST)?;
        let stretch = self.values.around_step(stretch, &values, step);
        let support = stretch.support(stretch.explained(step..size));
        let step = (step..size, support - self.values.price);
        let stretch = StretchSums::within(&values, outer);
        let lengths = TEMPORARY.start..TEMPORARY.end.min(size / LARGEST_CUT + 1);
        let bump = stretch.best_bump(lengths, FEWEST);
        let bump = bump
            .filter(|(_, explained)| *explained > stretch.drift())
            .map(|(part, explained)| (part, stretch.support(explained) - BUMP * self.values.price));
        let best = bump.filter(|bump| bump.1 > step.1).unwrap_or(step);
        (best.1 > 0.0).then_some(best.0)
    }

    /// Returns the levels of places that no single part explains: several levels together, or one.
    fn levels_together(&self, places: LevelIndices) -> Vec<LevelIndices> {
        let mut levels = Vec::new();
        let mut rest = places;
        let found = partition(&self.values.at(&rest), FENCES, FEWEST, self.values.price);
        for cut in found.into_iter().rev() {
            levels.push(rest.split_off(cut));
        }
        levels.push(rest);
        levels
    }

    /// Converts every level that is short enough, and after which all is as before, to a temporary
    /// change.
    fn settle_returns(&self, found: &mut ChangePositions) {
        let mut index = 1;
        while index < found.lasting.len() {
            let values = found.lasting[index - 1]..found.lasting[index];
            let around = [index - 1, index + 1].map(|index| self.level(found, index));
            let is_short = values.len() < TEMPORARY.end;
            if is_short && self.values.standing(&around[0], &around[1]) <= 0.0 {
                found.lasting.drain(index - 1..=index);
                found.temporary.push(values);
                found.join_temporary();
            } else {
                index += 1;
            }
        }
    }
}

/// Returns the power of two below a magnitude; dividing by it neither overflows nor vanishes.
fn power_of_two(magnitude: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(magnitude.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// The positions of changes, ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ChangePositions {
    /// The first values of new levels.
    pub(super) lasting: Vec<usize>,
    /// The values that differ for a while only, without overlaps.
    pub(super) temporary: Vec<Range<usize>>,
}

impl ChangePositions {
    /// Returns the indices in a range that are not part of a temporary change.
    pub(super) fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let first = self.temporary.partition_point(|values| values.end <= range.start);
        let mut cuts = self.temporary[first..].iter().peekable();
        range.filter(move |place| {
            while cuts.next_if(|values| values.end <= *place).is_some() {}
            cuts.peek().is_none_or(|values| !values.contains(place))
        })
    }

    /// Sorts temporary changes; joins those that overlap or touch.
    pub(super) fn join_temporary(&mut self) {
        self.temporary.sort_unstable_by_key(|values| values.start);
        self.temporary.dedup_by(|later, before| {
            let overlaps = later.start <= before.end;
            if overlaps {
                before.end = before.end.max(later.end);
            }
            overlaps
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::normal;
    use perftest_core::stats::Random;

    /// Returns values around 100 with a deviation of 1%, times a factor for each position.
    fn history(size: usize, factor: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = Random::new(size as u64);
        (0..size).map(|index| factor(index) * (100.0 + normal(&mut random))).collect()
    }

    fn found(values: &[f64]) -> ChangePositions {
        Division::new(values).continued(&ChangePositions::default())
    }

    fn steps(places: &[(usize, f64)]) -> impl Fn(usize) -> f64 {
        move |index| {
            let reached = places.iter().rev().find(|(place, _)| *place <= index);
            reached.map_or(1.0, |(_, factor)| *factor)
        }
    }

    #[test]
    fn steps_are_found_where_they_are() {
        for places in [
            vec![(50, 1.1)],
            vec![(90, 0.9)],
            vec![(30, 1.1), (60, 1.3)],
            vec![(40, 1.1), (80, 1.0)],
            vec![(20, 1.1), (40, 1.2), (60, 1.3), (80, 1.4)],
        ] {
            let found = found(&history(100, steps(&places)));
            let expected: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
            let offs = found.lasting.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b));
            assert!(offs.max() <= Some(1), "{places:?}: {found:?}");
            assert_eq!(found.lasting.len(), expected.len(), "{places:?}: {found:?}");
        }
    }

    #[test]
    fn a_steady_history_has_no_change() {
        for size in [1, 2, 19, 20, 100, 500, 999, 3_000] {
            assert_eq!(found(&history(size, |_| 1.0)), ChangePositions::default(), "{size}");
            assert_eq!(found(&vec![5.0; size]), ChangePositions::default(), "{size}");
            assert_eq!(found(&vec![0.0; size]), ChangePositions::default(), "{size}");
        }
    }

    /// The medians of a real test in nanoseconds: a revert makes it twice as fast.
    const REVERTED: [f64; 27] = [
        98462.6, 97501.3, 97631.2, 97550.6, 99102.7, 99996.6, 106623.0, 100036.0, 102759.0,
        101964.0, 104540.0, 125606.0, 124617.0, 120076.0, 132320.5, 132003.0, 125064.0, 59405.8,
        63582.0, 63187.65, 114444.0, 62775.55, 62820.7, 66508.55, 72068.7, 66184.05, 61922.15,
    ];

    #[test]
    fn one_value_of_ten_at_the_old_level_hides_no_step() {
        assert_eq!(found(&REVERTED).lasting, [17]);
        let older = history(40, |_| 0.95);
        for before in [10, 20, 40] {
            let values = [&older[..before], &REVERTED.map(|it| it / 1_000.0)].concat();
            assert_eq!(found(&values).lasting.last(), Some(&(before + 17)), "{before}");
        }
        for (old, new) in [(1.0, 0.5), (1.0, 1.2), (0.8, 1.0)] {
            for before in [17, 30, 60] {
                let is_old = |index: usize| index < before || index == before + 3;
                let step = |index: usize| if is_old(index) { old } else { new };
                let found = found(&history(before + 10, step)).lasting;
                let [change] = found[..] else { panic!("{old} {new} {before}: {found:?}") };
                assert!(change.abs_diff(before) <= 1, "{old} {new} {before}: {change}");
            }
        }
    }

    #[test]
    fn values_in_no_order_have_hardly_ever_a_step_whatever_their_distribution() {
        let tail = |random: &mut Random| -(1.0 - random.between(0.0, 1.0)).ln();
        let two_modes =
            |random: &mut Random| 8.0 * f64::from(random.below(2) as u32) + normal(random);
        let three_modes =
            |random: &mut Random| 8.0 * f64::from(random.below(3) as u32) + normal(random);
        let heavy = |random: &mut Random| normal(random) / tail(random).sqrt();
        let noises: [&dyn Fn(&mut Random) -> f64; 5] =
            [&normal, &tail, &two_modes, &three_modes, &heavy];
        for (which, noise) in noises.iter().enumerate() {
            let has_step = |seed: &u64| {
                let mut random = Random::new(*seed);
                let size = [22, 27, 50, 120][*seed as usize % 4];
                let values: Vec<f64> = (0..size).map(|_| 100.0 + noise(&mut random)).collect();
                !found(&values).lasting.is_empty()
            };
            let steps = (0..1_000).filter(has_step).count();
            assert!(steps <= 3, "noise {which}: {steps} of 1,000");
        }
    }

    #[test]
    fn a_drift_is_no_step() {
        for slope in [0.001, 0.01, -0.002] {
            let drifting = history(300, |index| 1.0 + slope * index as f64);
            assert_eq!(found(&drifting).lasting, [0; 0], "{slope}");
        }
    }

    #[test]
    fn a_step_on_constant_values_needs_no_noise() {
        let values: Vec<f64> = (0..40).map(|i| if i < 30 { 100.0 } else { 103.0 }).collect();
        assert_eq!(found(&values).lasting, [30]);
    }

    #[test]
    fn what_differs_by_less_than_two_percent_does_not() {
        let quiet = |factor: f64| {
            let values = history(100, steps(&[(50, factor)]));
            values.into_iter().map(|value| (10.0 * value).round() / 10.0).collect::<Vec<_>>()
        };
        assert_eq!(found(&quiet(1.012)).lasting, [0; 0]);
        assert_eq!(found(&quiet(1.03)).lasting.len(), 1);
    }

    #[test]
    fn what_goes_back_is_temporary_and_the_step_beside_it_lasts() {
        let bump = |from: usize, to: usize| {
            move |index: usize| if (from..to).contains(&index) { 1.2 } else { 1.0 }
        };
        for (from, to) in [(60, 66), (60, 80), (40, 70)] {
            let found = found(&history(130, bump(from, to)));
            assert_eq!(found.lasting, [0; 0], "{from}..{to}");
            let [values] = &found.temporary[..] else { panic!("{from}..{to}: {found:?}") };
            assert!(values.start.abs_diff(from) <= 1 && values.end.abs_diff(to) <= 1, "{values:?}");
        }
        let stays = |index: usize| if index < 60 { 1.0 } else { 1.1 };
        let both = found(&history(130, |index| stays(index) * bump(60, 66)(index)));
        assert_eq!(both.lasting.len(), 1, "{both:?}");
    }

    #[test]
    fn levels_that_go_up_and_down_are_found_together() {
        for levels in [5, 12] {
            for (low, high) in [(1.0, 1.1), (1.0, 0.9)] {
                let factor = |index: usize| if (index / 50).is_multiple_of(2) { low } else { high };
                let lasting = found(&history(50 * levels, factor)).lasting;
                let expected: Vec<usize> = (1..levels).map(|level| 50 * level).collect();
                assert_eq!(lasting.len(), expected.len(), "{lasting:?}");
                assert!(lasting.iter().zip(&expected).all(|(a, b)| a.abs_diff(*b) <= 1));
            }
        }
    }

    #[test]
    fn steps_are_found_whatever_the_magnitude() {
        let values = history(60, steps(&[(30, 1.5)]));
        let median = Division::new(&values).median(&[0, 1, 2, 3]);
        for power in [-1_015, -600, 0, 600, 1_015] {
            let unit = 2_f64.powi(power);
            let moved: Vec<f64> = values.iter().map(|value| value * unit).collect();
            assert_eq!(found(&moved), found(&values), "2^{power}");
            assert_eq!(Division::new(&moved).median(&[0, 1, 2, 3]), median * unit, "2^{power}");
        }
        assert_eq!(found(&values).lasting, [30]);
        let least: Vec<f64> = (0..60).map(|i| f64::from(1 + i / 30) * f64::from_bits(1)).collect();
        assert_eq!(found(&least).lasting, [30]);
    }

    #[test]
    fn extreme_values_are_no_change() {
        let mut values = history(100, |_| 1.0);
        for place in [10, 50, 51, 97] {
            values[place] = 1e6;
        }
        assert_eq!(found(&values), ChangePositions::default());
    }

    #[test]
    fn a_new_step_is_seen_with_ten_values_behind_it_however_long_the_history() {
        for before in [30, 200, 5_000] {
            let values = history(before + 10, steps(&[(before, 1.2)]));
            assert_eq!(found(&values).lasting, [before], "{before}");
        }
    }

    #[test]
    fn a_long_history_is_divided_as_a_short_one() {
        let square = history(7_000, |index| if index / 350 % 2 == 0 { 1.0 } else { 1.2 });
        let lasting = found(&square).lasting;
        let expected: Vec<usize> = (1..20).map(|level| 350 * level).collect();
        assert!(lasting.iter().zip(&expected).all(|(a, b)| a.abs_diff(*b) <= 1), "{lasting:?}");
        assert_eq!(lasting.len(), expected.len());
        let passing = |index: usize| index % 640 < 12 && index > 300;
        let bumps = history(7_000, |index| if passing(index) { 1.3 } else { 1.0 });
        let found = found(&bumps);
        assert_eq!((found.lasting.len(), found.temporary.len()), (0, 10), "{found:?}");
    }

    #[test]
    fn what_is_known_stays_where_it_is() {
        let values = history(400, steps(&[(60, 1.1), (150, 1.2), (300, 1.0)]));
        let mut known = ChangePositions::default();
        for size in 1..=values.len() {
            let now = Division::new(&values[..size]).continued(&known);
            assert!(now.lasting.starts_with(&known.lasting), "{size}: {known:?} {now:?}");
            known = now;
        }
        assert_eq!(known.lasting.len(), 3, "{known:?}");
    }

    #[test]
    fn what_turns_out_to_be_a_drift_is_left_out_unless_it_is_old() {
        let drift = history(120, |index| 1.0 + 0.003 * index as f64);
        let step = history(120, steps(&[(60, 1.1)]));
        for (values, from, expected) in
            [(&drift, 0, vec![]), (&drift, 61, vec![60]), (&step, 0, vec![60])]
        {
            let mut known = ChangePositions { lasting: vec![60], temporary: Vec::new() };
            Division::new(values).drop_drifts(&mut known, from);
            assert_eq!(known.lasting, expected, "from {from}");
        }
    }

    #[test]
    fn what_is_known_may_be_nonsense() {
        let values = history(50, |_| 1.0);
        let ranges = vec![40..60, Range { start: 30, end: 20 }, 10..10, 5..9, 7..12];
        let known = ChangePositions { lasting: vec![70, 20, 20, 0, 50], temporary: ranges };
        let found = Division::new(&values).continued(&known);
        assert!(found.lasting.iter().all(|change| *change == 20), "{found:?}");
    }
}
