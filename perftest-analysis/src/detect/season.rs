//! A daily or weekly pattern in a history, recognised and taken out.
//!
//! Definition: of the two [periods](Period) that are asked for, whichever explains more of the
//! logarithms about their level is a pattern when it is [significant](significance), its factors are 2%
//! apart at least, and each third of the history is nearer to its level without it: what began or ended on
//! the way is none. With it taken out the other one is asked. A [pattern](Pattern) is a factor for each
//! slot of the day or the week. Factors and levels are found in turn: without the factors the history is
//! divided by [`change_points`](super::change_points()), and distances from the level between two changes
//! give better factors, three times in all. So a change stays where it is, and none comes
//! from the pattern.
//!
//! Source: our own. Ratios to a moving level with a median for each slot are the classical decomposition
//! (as in X-11), made robust; that noise is what neighbouring frequencies have is from spectral analysis.
//!
//! Behaviour: a history has to cover three whole periods with 20 values, and two slots with three values
//! from three periods each. Only 24 hours and 7 days are asked for. Recognised by mistake: at most one in
//! a thousand histories without a pattern, whose values may depend on each other, drift and step. Single
//! far values neither make a pattern nor hide one. Slots are those of UTC: with local times a change
//! between summer and winter moves a daily pattern by an hour, and where half of a history is an hour off
//! the edges of its factors are blurred.
//!
//! Cost: O(n log n).

mod level;
mod pattern;
mod period;
mod season_error;
mod significance;
mod timed_values;

pub use pattern::{Pattern, Peak, Slot};
pub use period::Period;
pub use season_error::SeasonError;

use super::change_points;
use super::stretch_sums::fences;
use perftest_core::model::Sample;
use significance::{FENCES, MISRATE, Significance};
use timed_values::TimedValues;

/// Smallest relevant difference of factors: [`change_points`] does not separate closer levels.
const SMALLEST: f64 = 0.02;
/// Number of further rounds that fit factors and levels in turn. A convention.
const ROUNDS: usize = 2;

/// The patterns of a history.
///
/// ```
/// use perftest_analysis::detect::{Period, Season, change_points};
/// use perftest_core::model::Sample;
/// // Three runs a day for ten weeks from a Monday on, slower by 30% on Saturday and Sunday.
/// let times_ms: Vec<u64> = (0..210).map(|run| 1_767_571_200_000 + run * 8 * 3_600_000).collect();
/// let load = |run: u64| if run / 3 % 7 >= 5 { 1.3 } else { 1.0 };
/// let value = |run: u64| load(run) * (100.0 + (run * 7 % 11) as f64 / 10.0);
/// let history = Sample::new((0..210).map(value).collect()).unwrap();
///
/// let season = Season::recognised(&times_ms, &history).unwrap().unwrap();
/// let [weekly] = season.patterns() else { panic!("{season:?}") };
/// assert_eq!(weekly.period(), Period::Week);
/// assert!((weekly.peak().change - 0.3).abs() < 0.01);
/// let rest = season.removed_from(&times_ms, &history);
/// assert!(change_points(&rest).lasting.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    patterns: Vec<Pattern>,
    /// Logarithm of the usual factor: where it holds, values are left as they were measured.
    usual: f64,
}

impl Season {
    /// The significant patterns of values and their times in milliseconds since the Unix epoch, oldest
    /// first; `None` where there is none. A period of which the history is too short is not asked for.
    ///
    /// # Errors
    ///
    /// No period can be asked for.
    pub fn recognised(times_ms: &[u64], values: &Sample) -> Result<Option<Self>, SeasonError> {
        let timed = TimedValues::new(times_ms, values)?;
        let mut open = Vec::new();
        let mut refused = None;
        for period in Period::ALL {
            match can_show(&timed, period) {
                Ok(()) => open.push(period),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if let Some(error) = refused.filter(|_| open.is_empty()) {
            return Err(error);
        }
        let mut patterns: Vec<Pattern> = Vec::new();
        while let Some(pattern) = most_significant(&timed, &open, &patterns) {
            open.retain(|period| *period != pattern.period());
            patterns.push(pattern);
        }
        Ok((!patterns.is_empty()).then(|| Self::with(patterns, times_ms)))
    }

    /// The pattern of one period, significant or not.
    ///
    /// # Errors
    ///
    /// The history is too short for it, or there is something else it does not show it by.
    pub fn of(period: Period, times_ms: &[u64], values: &Sample) -> Result<Self, SeasonError> {
        let timed = TimedValues::new(times_ms, values)?;
        can_show(&timed, period)?;
        let significance = Significance::of(period, &timed, &timed.logs);
        let pattern = fitted(period, &timed, &[]).ok_or(SeasonError::Hidden { period })?;
        let pattern = pattern.with_probability(significance.probability);
        Ok(Self::with(vec![pattern], times_ms))
    }

    fn with(patterns: Vec<Pattern>, times_ms: &[u64]) -> Self {
        let mut it = Self { patterns, usual: 0.0 };
        let logs: Vec<f64> = times_ms.iter().map(|time_ms| it.log_at(*time_ms)).collect();
        it.usual = Sample::median_of(&logs).unwrap_or_default();
        it
    }

    fn log_at(&self, time_ms: u64) -> f64 {
        self.patterns.iter().map(|pattern| pattern.log_at(time_ms)).sum()
    }

    /// The patterns, the one that explained most first; at least one.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The values without the patterns: as they would be at the usual times, whose own values stay as
    /// they are but for the small differences between usual times. Values without a time stay.
    pub fn removed_from(&self, times_ms: &[u64], values: &Sample) -> Sample {
        let without = |(value, time_ms): (&f64, &u64)| {
            // A value near the largest number stays one.
            (value * (self.usual - self.log_at(*time_ms)).exp()).clamp(f64::MIN, f64::MAX)
        };
        let untimed = values.values().iter().skip(times_ms.len());
        let rest = values.values().iter().zip(times_ms).map(without).chain(untimed.copied());
        Sample::new(rest.collect()).unwrap_or_else(|_| values.clone())
    }
}

impl Period {
    /// Whether a history can show a pattern of this period.
    ///
    /// # Errors
    ///
    /// It cannot, or is no history.
    pub fn can_be_seen_in(self, times_ms: &[u64], values: &Sample) -> Result<(), SeasonError> {
        can_show(&TimedValues::new(times_ms, values)?, self)
    }
}

fn can_show(timed: &TimedValues<'_>, period: Period) -> Result<(), SeasonError> {
    timed.is_enough_for(period)?;
    match Pattern::can_be_known(period, timed) {
        true => Ok(()),
        false => Err(SeasonError::Hidden { period }),
    }
}

/// The pattern that explains most beside the known ones, of those that are significant and matter.
fn most_significant(
    timed: &TimedValues<'_>,
    open: &[Period],
    known: &[Pattern],
) -> Option<Pattern> {
    let rest = without(&timed.logs, timed, known);
    let asked =
        |period: &Period| Some((*period, Significance::up_to(MISRATE, *period, timed, &rest)?));
    let mut found: Vec<_> = open.iter().filter_map(asked).collect();
    found.sort_by(|a, b| b.1.share.total_cmp(&a.1.share));
    found.into_iter().find_map(|(period, significance)| {
        let pattern = fitted(period, timed, known)?;
        let matters = pattern.range() >= SMALLEST && lasts(&pattern, timed, known);
        matters.then(|| pattern.with_probability(significance.probability))
    })
}

/// The pattern of a period beside the known ones.
fn fitted(period: Period, timed: &TimedValues<'_>, known: &[Pattern]) -> Option<Pattern> {
    let rest = without(&timed.logs, timed, known);
    let distances =
        |of_level: &[f64], ends: &[usize]| timed.distances(period, &rest, of_level, ends);
    let mut pattern = Pattern::of(period, timed, &distances(&rest, &[0, timed.size()]))?;
    for _ in 0..ROUNDS {
        let calm = without(&rest, timed, std::slice::from_ref(&pattern));
        pattern = pattern.about(timed, &distances(&calm, &changes(&calm)));
    }
    Some(pattern)
}

/// Whether each third of the values is nearer to its level without the pattern than with it.
fn lasts(pattern: &Pattern, timed: &TimedValues<'_>, known: &[Pattern]) -> bool {
    let rest = without(&timed.logs, timed, known);
    let calm = without(&rest, timed, std::slice::from_ref(pattern));
    let ends = changes(&calm);
    let distances = [&rest, &calm].map(|logs| timed.distances(pattern.period(), logs, logs, &ends));
    let [low, high] = fences(&distances[0], FENCES);
    let third = timed.size().div_ceil(3);
    let sums = distances.each_ref().map(|distances| {
        let sum = |values: &[f64]| values.iter().map(|it| it.clamp(low, high).abs()).sum::<f64>();
        distances.chunks(third).map(sum).collect::<Vec<f64>>()
    });
    sums[0].iter().zip(&sums[1]).all(|(with, without)| without < with)
}

/// The logarithms without patterns.
fn without(logs: &[f64], timed: &TimedValues<'_>, patterns: &[Pattern]) -> Vec<f64> {
    let of_patterns =
        |time_ms: &u64| patterns.iter().map(|pattern| pattern.log_at(*time_ms)).sum::<f64>();
    logs.iter().zip(timed.times_ms).map(|(log, time_ms)| log - of_patterns(time_ms)).collect()
}

/// Where the level changed, with both ends.
fn changes(logs: &[f64]) -> Vec<usize> {
    let values = logs.iter().map(|log| log.exp().min(f64::MAX)).collect();
    let found = Sample::new(values).map(|values| change_points(&values)).unwrap_or_default();
    let changes = found.lasting.iter().map(|change| change.index);
    std::iter::once(0).chain(changes).chain([logs.len()]).collect()
}
