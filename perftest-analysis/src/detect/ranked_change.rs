//! Lasting changes in order of their significance.
//!
//! Definition: the two levels beside a change are compared quantile by quantile, from quartile to quartile, and
//! [lo, hi] is the range of their ratio function there. The key of a change is lo where that is above 1, 1 / hi where
//! hi is below 1, and 1 where a part of the values rose and another fell. The larger key comes first; of equal
//! ones that with the larger of hi and 1 / lo.
//!
//! Source: Akinshin's advice to take the end of the ratio function that is nearer to 1 for the size of
//! a change, so that one is not ranked by what a part of its values did; quantiles are trimmed
//! Harrell-Davis. The quartiles as ends are a convention: in one level of some hundred values outliers of 5% reach
//! further inwards than in the other, which made a doubled time neither slower nor faster.
//!
//! Behaviour: no luck in the noise and no far value lifts a change. Levels of fewer than 15 values show
//! little but the median, so that the range is hardly more than one number. From 0 to anything is
//! infinitely much. Values below 0 have no ratio: their changes come last, and whether they rose
//! is decided by the shift function.

use super::{ChangePoint, ChangePoints, place_of_change};
use crate::stats::{range_of, trimmed_harrell_davis};
use perftest_core::model::{Direction, Sample};
use perftest_core::named;
use perftest_core::stats::bounded_probabilities;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Probabilities of the quantiles that decide: the quartiles and those between them.
const MIDDLE: RangeInclusive<f64> = 0.25..=0.75;

/// A lasting change with its significance.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedChange {
    /// The change.
    pub change: ChangePoint,
    /// The possible places: each is a first value of the new level. Values of temporary changes
    /// between them count like others.
    pub place: RangeInclusive<usize>,
    /// Values of the level before, temporary changes left out.
    pub values_before: usize,
    /// Values of the level from the change on, likewise.
    pub values_after: usize,
    /// Range of the ratio function between the quartiles of both levels; `None` where values are below 0.
    pub ratio: Option<RangeInclusive<f64>>,
    /// The direction of these quantiles; `Equal` if they disagree.
    moved: Ordering,
}

named! {
    /// The effect of a change on the user.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Effect {
        /// All of the middle values became worse.
        Degradation = "degradation",
        /// All of them became better.
        Improvement = "improvement",
        /// A part became worse and another better.
        Mixed = "mixed",
    }
}

impl RankedChange {
    /// The change between two levels.
    fn between(
        change: ChangePoint,
        place: RangeInclusive<usize>,
        before: &Sample,
        after: &Sample,
    ) -> Self {
        let quantiles = middle_quantiles(before, after);
        let ratio = ratio_range(&quantiles);
        let (least, most, neutral) = match &ratio {
            Some(ratio) => (*ratio.start(), *ratio.end(), 1.0),
            None => {
                let shift = range_of(quantiles.iter().map(|[before, after]| after - before));
                (*shift.start(), *shift.end(), 0.0)
            }
        };
        let moved = match () {
            () if least > neutral => Ordering::Greater,
            () if most < neutral => Ordering::Less,
            () => Ordering::Equal,
        };
        let (values_before, values_after) = (before.size(), after.size());
        Self { change, place, values_before, values_after, ratio, moved }
    }

    /// Returns the smallest change of the values, as a ratio from 1 up, in either direction.
    pub fn key(&self) -> f64 {
        match (&self.ratio, self.moved) {
            (Some(ratio), Ordering::Greater) => *ratio.start(),
            (Some(ratio), Ordering::Less) => 1.0 / ratio.end(),
            _ => 1.0,
        }
    }

    /// Returns the largest change of a quantile.
    fn extent(&self) -> f64 {
        self.ratio.as_ref().map_or(1.0, |ratio| ratio.end().max(1.0 / ratio.start()))
    }

    /// Returns the effect of the change if values improve in this direction.
    pub fn effect(&self, direction: Direction) -> Effect {
        match (self.moved, direction) {
            (Ordering::Equal, _) => Effect::Mixed,
            (Ordering::Greater, Direction::Lower) | (Ordering::Less, Direction::Higher) => {
                Effect::Degradation
            }
            (Ordering::Less, Direction::Lower) | (Ordering::Greater, Direction::Higher) => {
                Effect::Improvement
            }
        }
    }

    /// Orders the most significant change first.
    pub fn by_significance(&self, other: &Self) -> Ordering {
        let keys = other.key().total_cmp(&self.key());
        keys.then_with(|| other.extent().total_cmp(&self.extent()))
    }
}

/// Returns the lasting changes of a history, the most significant first, and the older of equal
/// ones.
///
/// ```
/// use perftest_analysis::detect::{Effect, change_points, ranked_changes};
/// use perftest_core::model::{Direction, Sample};
/// let level = |n: usize| if n < 40 { 1.0 } else if n < 80 { 1.1 } else { 0.9 };
/// let value = |n: usize| level(n) * (100.0 + (n * 7 % 11) as f64 / 10.0);
/// let history = Sample::new((0..120).map(value).collect()).unwrap();
/// let ranked = ranked_changes(&history, &change_points(&history));
/// assert_eq!(ranked[0].change.index, 80);
/// assert_eq!(ranked[0].effect(Direction::Lower), Effect::Improvement);
/// assert!((ranked[0].key() - 1.1 / 0.9).abs() < 0.02);
/// assert_eq!((ranked[1].change.index, ranked[1].values_after), (40, 40));
/// ```
pub fn ranked_changes(history: &Sample, found: &ChangePoints) -> Vec<RankedChange> {
    let places = found.levels(history.size());
    let of_level = |places: &Vec<usize>| {
        let values = places.iter().map(|place| history.values()[*place]).collect();
        Sample::new(values).ok()
    };
    let levels: Vec<Option<Sample>> = places.iter().map(of_level).collect();
    let between = |(nth, change): (usize, &ChangePoint)| match &levels[nth..nth + 2] {
        [Some(before), Some(after)] => {
            let place = place(history, &places[nth], &places[nth + 1]);
            Some(RankedChange::between(*change, place, before, after))
        }
        _ => None,
    };
    let mut ranked: Vec<RankedChange> =
        found.lasting.iter().enumerate().filter_map(between).collect();
    ranked.sort_by(RankedChange::by_significance);
    ranked
}

/// Returns the possible places of the change between two levels with these indices.
fn place(history: &Sample, before: &[usize], after: &[usize]) -> RangeInclusive<usize> {
    let places = [before, after].concat();
    let values: Vec<f64> = places.iter().map(|place| history.values()[*place]).collect();
    let known = place_of_change(&values, before.len());
    places[*known.start()]..=places[(*known.end()).min(places.len() - 1)]
}

/// Returns the quantiles of both levels from quartile to quartile, as far as both sizes allow.
fn middle_quantiles(before: &Sample, after: &Sample) -> Vec<[f64; 2]> {
    let mut probabilities = bounded_probabilities(before.size(), after.size());
    probabilities.retain(|probability| MIDDLE.contains(probability));
    let quantiles =
        |probability: f64| [before, after].map(|level| trimmed_harrell_davis(level, probability));
    probabilities.into_iter().map(quantiles).collect()
}

/// Returns the range of the ratio function, in which 0 to 0 is no change; `None` with a quantile
/// below 0.
fn ratio_range(quantiles: &[[f64; 2]]) -> Option<RangeInclusive<f64>> {
    let ratio = |quantiles: &[f64; 2]| match *quantiles {
        [before, after] if before < 0.0 || after < 0.0 => None,
        [0.0, 0.0] => Some(1.0),
        [before, after] => Some(after / before),
    };
    let ratios: Option<Vec<f64>> = quantiles.iter().map(ratio).collect();
    ratios.map(range_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns levels of ten values with these medians, and the changes between them.
    fn ranked(levels: &[f64]) -> Vec<RankedChange> {
        let values: Vec<f64> = levels.iter().flat_map(|level| [*level; 10]).collect();
        let lasting = levels.windows(2).zip(1..).map(|(pair, nth)| ChangePoint {
            index: 10 * nth,
            before: pair[0],
            after: pair[1],
        });
        let found = ChangePoints { lasting: lasting.collect(), temporary: Vec::new() };
        ranked_changes(&Sample::new(values).unwrap(), &found)
    }

    fn between(
        before: impl Iterator<Item = f64>,
        after: impl Iterator<Item = f64>,
    ) -> RankedChange {
        let [before, after] =
            [before.collect(), after.collect()].map(|it| Sample::new(it).unwrap());
        let change = ChangePoint { index: 1, before: before.median(), after: after.median() };
        RankedChange::between(change, 1..=1, &before, &after)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_largest_ratio_comes_first_whichever_way_it_went() {
        // Ratios 1.1, 0.5 and 1.25: keys 1.1, 2 and 1.25.
        let ranked = ranked(&[100.0, 110.0, 55.0, 68.75]);
        let places: Vec<usize> = ranked.iter().map(|it| it.change.index).collect();
        assert_eq!(places, [20, 30, 10]);
        let keys: Vec<f64> = ranked.iter().map(RankedChange::key).collect();
        assert!(std::iter::zip(keys, [2.0, 1.25, 1.1]).all(|(a, b)| near(a, b)));
        let effects = |direction| ranked.iter().map(|it| it.effect(direction)).collect::<Vec<_>>();
        use Effect::{Degradation, Improvement};
        assert_eq!(effects(Direction::Lower), [Improvement, Degradation, Degradation]);
        assert_eq!(effects(Direction::Higher), [Degradation, Improvement, Improvement]);
    }

    #[test]
    fn the_key_is_the_end_of_the_range_that_is_nearer_to_one() {
        // Each quantile of 100 + 0 to 100 + 39 grows by 10: by 110 / 100 at most.
        let base = || (0..40).map(|i| 100.0 + f64::from(i));
        let up = between(base(), base().map(|it| it + 10.0));
        let ratio = up.ratio.clone().unwrap();
        assert!(*ratio.start() > 1.0 && ratio.start() < ratio.end() && *ratio.end() < 1.1);
        assert_eq!(up.key(), *ratio.start());
        let down = between(base().map(|it| it + 10.0), base());
        assert!(near(down.key(), up.key()));
        assert!(near(down.extent(), up.extent()) && up.extent() > up.key());
    }

    #[test]
    fn equal_keys_are_ordered_by_the_other_end_and_mixed_ones_have_the_key_1() {
        let steady = || (0..40).map(|i| 100.0 + f64::from(i % 2));
        let wider = between(steady(), (0..40).map(|i| if i < 20 { 50.0 } else { 200.0 }));
        let wide = between(steady(), (0..40).map(|i| if i < 20 { 80.0 } else { 125.0 }));
        assert_eq!([wider.key(), wide.key()], [1.0, 1.0]);
        assert_eq!(wide.effect(Direction::Lower), Effect::Mixed);
        assert_eq!(wider.by_significance(&wide), Ordering::Less);
        assert_eq!(wide.by_significance(&wide.clone()), Ordering::Equal);
    }

    #[test]
    fn outliers_on_both_sides_do_not_make_a_doubled_time_mixed() {
        let level = |usual: f64, outliers: usize| {
            (0..75).map(move |i| if i < outliers { 4.0 * usual } else { usual + 0.01 * i as f64 })
        };
        let doubled = between(level(100.0, 9), level(200.0, 3));
        assert_eq!(doubled.effect(Direction::Lower), Effect::Degradation);
        assert!(doubled.key() > 1.9, "{doubled:?}");
        let back = between(level(200.0, 3), level(100.0, 9));
        assert_eq!(back.effect(Direction::Lower), Effect::Improvement);
    }

    #[test]
    fn one_mode_slower_and_one_faster_is_mixed_where_each_is_more_than_a_quarter() {
        let modes = |low: f64, high: f64, of_low: usize| {
            (0..100).map(move |i| if i < of_low { low } else { high } + 0.01 * i as f64)
        };
        for of_low in [35, 50, 65] {
            let mixed = between(modes(100.0, 200.0, of_low), modes(80.0, 260.0, of_low));
            assert_eq!(mixed.effect(Direction::Lower), Effect::Mixed, "{of_low}");
        }
    }

    #[test]
    fn from_nothing_to_anything_is_infinitely_much_and_nothing_stays_nothing() {
        let ranked = ranked(&[0.0, 3.0, 0.0]);
        assert!(ranked.iter().all(|it| it.key() == f64::INFINITY));
        let effects: Vec<Effect> = ranked.iter().map(|it| it.effect(Direction::Lower)).collect();
        assert_eq!(effects, [Effect::Degradation, Effect::Improvement]);
        let zeros = || std::iter::repeat_n(0.0, 12);
        let none = between(zeros(), zeros());
        assert_eq!(
            (none.ratio.clone(), none.effect(Direction::Lower)),
            (Some(1.0..=1.0), Effect::Mixed)
        );
    }

    #[test]
    fn below_zero_there_is_a_direction_and_no_ratio() {
        let ranked = ranked(&[-5.0, -3.0, 10.0, 11.0]);
        assert_eq!(ranked[0].change.index, 30, "the only one with a ratio");
        assert!(ranked[1..].iter().all(|it| it.ratio.is_none() && it.key() == 1.0));
        assert!(ranked.iter().all(|it| it.effect(Direction::Higher) == Effect::Improvement));
    }

    #[test]
    fn temporary_changes_are_in_no_level() {
        let value = |n: usize| match n {
            12..18 => 500.0,
            n if n < 30 => 100.0,
            _ => 110.0,
        };
        let history = Sample::new((0..60).map(value).collect()).unwrap();
        let usual =
            crate::detect::TemporaryChange { values: 12..18, usual: 100.0, meanwhile: 500.0 };
        let lasting = ChangePoint { index: 30, before: 100.0, after: 110.0 };
        let found = ChangePoints { lasting: vec![lasting], temporary: vec![usual] };
        let ranked = ranked_changes(&history, &found);
        assert_eq!((ranked[0].values_before, ranked[0].values_after), (24, 30));
        assert_eq!(ranked[0].ratio, Some(1.1..=1.1));
    }
}
