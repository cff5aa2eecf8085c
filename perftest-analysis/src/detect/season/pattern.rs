//! A repeating pattern: a factor for each part of a day or a week.
//!
//! Definition: the period is cut into slots of so many hours; the factor of a slot is the median of its
//! values, each divided by the [level](super::level) about it. A slot has three values from three
//! different periods at least, or the factor 1. Factors are relative to the usual one, the median over
//! the values. Slots are as wide as a day of the week, or half a day, and narrower only where that
//! predicts values better from the others of their slot, by 5% of the mean distance.

use super::period::Period;
use super::significance::{FENCES, MISRATE};
use super::timed_values::TimedValues;
use crate::detect::stretch_sums::fences;
use perftest_core::model::Sample;
use std::ops::Range;

/// Fewest values in a slot, and fewest periods they are from.
const FEWEST: usize = 3;
/// Fewest slots of a pattern.
const FEWEST_SLOTS: usize = 2;
/// The largest share of the distances that narrower slots may leave.
const BETTER: f64 = 0.95;

/// A pattern of a day or a week, as factors.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    period: Period,
    /// Width of a slot in hours.
    width: u32,
    /// The logarithm of each slot's factor; `None` if too little is known.
    logs: Vec<Option<f64>>,
    probability: f64,
}

/// A part of the period, and its factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Hours since the begin of the day or, on Monday, of the week.
    pub hours: Range<u32>,
    /// The factor relative to the usual value; 1 if too little is known.
    pub factor: f64,
}

/// The times and the size of a pattern's largest deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// The change of the slots that are at least half as far as the farthest, to the same side: 0.3 is
    /// 30% more than usual.
    pub change: f64,
    /// Their hours, since the begin of the day or, on Monday, of the week. What goes over the end of the
    /// period ends beyond it.
    pub hours: Vec<Range<u32>>,
}

impl Pattern {
    /// Returns whether there are enough values in two slots, of any width.
    pub(super) fn can_be_known(period: Period, timed: &TimedValues<'_>) -> bool {
        let mut widths = period.widths().iter();
        widths.any(|width| Slots::new(period, *width, timed, &timed.logs).known() >= FEWEST_SLOTS)
    }

    /// The pattern of this period in logarithmic distances from a level, however weak it is; `None` where fewer
    /// than two slots are known.
    pub(super) fn of(period: Period, timed: &TimedValues<'_>, distances: &[f64]) -> Option<Self> {
        let [low, high] = fences(distances, FENCES);
        let farthest = high - low;
        let mut best: Option<(Slots, f64)> = None;
        for width in period.widths() {
            let mut slots = Slots::new(period, *width, timed, distances);
            if slots.known() < FEWEST_SLOTS {
                continue;
            }
            slots.sort();
            let missed = slots.missed(distances, farthest);
            if best.as_ref().is_none_or(|(_, least)| missed < BETTER * least) {
                best = Some((slots, missed));
            }
        }
        let (slots, _) = best?;
        Some(Self { period, width: slots.width, logs: slots.logs(), probability: 1.0 })
    }

    /// Returns the same slots with the factors of these distances.
    pub(super) fn about(self, timed: &TimedValues<'_>, distances: &[f64]) -> Self {
        let logs = Slots::new(self.period, self.width, timed, distances).logs();
        Self { logs, ..self }
    }

    /// Sets the probability of such a pattern by chance.
    pub(super) fn with_probability(self, probability: f64) -> Self {
        Self { probability, ..self }
    }

    /// The period of the pattern.
    pub fn period(&self) -> Period {
        self.period
    }

    /// The probability that noise alone stands out as much among its neighbouring frequencies.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Returns whether the pattern exceeds noise.
    pub fn is_significant(&self) -> bool {
        self.probability <= MISRATE
    }

    /// Returns all parts of the period, in their order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.logs.iter().zip(0..).map(|(log, slot)| Slot {
            hours: slot * self.width..(slot + 1) * self.width,
            factor: log.unwrap_or(0.0).exp(),
        })
    }

    /// Returns the logarithm of the factor of a value at this time, relative to the usual value; times are
    /// milliseconds since the Unix epoch.
    pub(super) fn log_at(&self, time_ms: u64) -> f64 {
        let slot = (self.period.hour_of(time_ms) / self.width) as usize;
        self.logs.get(slot).copied().flatten().unwrap_or(0.0)
    }

    /// Returns the largest factor over the smallest, minus 1.
    pub fn range(&self) -> f64 {
        let known = || self.logs.iter().flatten();
        let highest = known().copied().fold(0.0, f64::max);
        let lowest = known().copied().fold(0.0, f64::min);
        (highest - lowest).exp() - 1.0
    }

    /// Returns the peak of the pattern.
    pub fn peak(&self) -> Peak {
        let log = |slot: usize| self.logs[slot].unwrap_or(0.0);
        let all = 0..self.logs.len();
        let by_size = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
        let farthest = all.clone().map(log).max_by(by_size).unwrap_or(0.0);
        let is_peak = |slot: &usize| log(*slot) / farthest >= 0.5;
        let slots: Vec<usize> = all.filter(is_peak).collect();
        let sum: f64 = slots.iter().map(|slot| log(*slot)).sum();
        let mean = if slots.is_empty() { 0.0 } else { sum / slots.len() as f64 };
        Peak { change: mean.exp() - 1.0, hours: self.joined(&slots) }
    }

    /// Joins the hours of neighbouring slots.
    fn joined(&self, slots: &[usize]) -> Vec<Range<u32>> {
        let mut joined: Vec<Range<u32>> = Vec::new();
        for slot in slots {
            let start = *slot as u32 * self.width;
            match joined.last_mut() {
                Some(last) if last.end == start => last.end += self.width,
                _ => joined.push(start..start + self.width),
            }
        }
        let end = self.period.hours();
        if let [first, .., last] = joined.as_mut_slice()
            && first.start == 0
            && last.end == end
        {
            last.end += first.end;
            joined.remove(0);
        }
        joined
    }
}

/// Distances grouped by slot.
struct Slots {
    width: u32,
    /// The slot of each value.
    of_value: Vec<usize>,
    /// The distances of each slot.
    distances: Vec<Vec<f64>>,
    /// Number of periods in each slot.
    cycles: Vec<usize>,
}

impl Slots {
    fn new(period: Period, width: u32, timed: &TimedValues<'_>, distances: &[f64]) -> Self {
        let count = (period.hours() / width) as usize;
        let mut it = Self {
            width,
            of_value: Vec::with_capacity(distances.len()),
            distances: vec![Vec::new(); count],
            cycles: vec![0; count],
        };
        let mut newest = vec![None; count];
        for (time_ms, distance) in timed.times_ms.iter().zip(distances) {
            let slot = (period.hour_of(*time_ms) / width) as usize;
            let cycle = Some(period.cycle_of(*time_ms));
            it.cycles[slot] += usize::from(newest[slot] != cycle);
            newest[slot] = cycle;
            it.of_value.push(slot);
            it.distances[slot].push(*distance);
        }
        it
    }

    fn sort(&mut self) {
        self.distances.iter_mut().for_each(|slot| slot.sort_unstable_by(f64::total_cmp));
    }

    fn is_known(&self, slot: usize) -> bool {
        self.distances[slot].len() >= FEWEST && self.cycles[slot] >= FEWEST
    }

    fn known(&self) -> usize {
        (0..self.cycles.len()).filter(|slot| self.is_known(*slot)).count()
    }

    /// Returns the mean distance of the values from the median of the others in their slot, each at
    /// most `farthest`; slots are sorted.
    fn missed(&self, distances: &[f64], farthest: f64) -> f64 {
        let usual = Sample::median_of(distances).unwrap_or(0.0);
        let missed = |(slot, distance): (&usize, &f64)| {
            let expected = match self.is_known(*slot) {
                true => median_without(&self.distances[*slot], *distance),
                false => usual,
            };
            (distance - expected).abs().min(farthest)
        };
        let sum: f64 = self.of_value.iter().zip(distances).map(missed).sum();
        sum / distances.len() as f64
    }

    /// Returns the medians of the slots, relative to the usual one.
    fn logs(&self) -> Vec<Option<f64>> {
        let median =
            |slot: usize| Sample::median_of(&self.distances[slot]).filter(|_| self.is_known(slot));
        let medians: Vec<Option<f64>> = (0..self.cycles.len()).map(median).collect();
        let of_values: Vec<f64> = self.of_value.iter().filter_map(|slot| medians[*slot]).collect();
        let usual = Sample::median_of(&of_values).unwrap_or(0.0);
        medians.iter().map(|median| median.map(|median| median - usual)).collect()
    }
}

/// Returns the median of ascending values without one of them.
fn median_without(sorted: &[f64], value: f64) -> f64 {
    let left_out = sorted.partition_point(|other| *other < value);
    let at = |index: usize| sorted[index + usize::from(index >= left_out)];
    let rest = sorted.len() - 1;
    (at((rest - 1) / 2) + at(rest / 2)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(period: Period, width: u32, logs: &[f64]) -> Pattern {
        let logs = logs.iter().map(|log| Some(*log)).collect();
        Pattern { period, width, logs, probability: 0.0 }
    }

    #[test]
    fn a_value_says_nothing_of_itself() {
        assert_eq!(median_without(&[1.0, 2.0, 4.0], 1.0), 3.0);
        assert_eq!(median_without(&[1.0, 2.0, 4.0], 4.0), 1.5);
        assert_eq!(median_without(&[1.0, 2.0, 2.0, 9.0], 2.0), 2.0);
        assert_eq!(median_without(&[1.0, 2.0], 2.0), 1.0);
    }

    #[test]
    fn the_peak_is_what_is_half_as_far_as_the_farthest() {
        let weekend = pattern(Period::Week, 24, &[0.0, 0.0, 0.0, 0.01, 0.0, 0.3, 0.2]);
        let peak = weekend.peak();
        assert_eq!((peak.hours.len(), &peak.hours[0]), (1, &(120..168)));
        assert!((peak.change - (0.25_f64.exp() - 1.0)).abs() < 1e-12);
        let night = pattern(Period::Day, 6, &[-0.2, 0.0, 0.0, -0.2]);
        assert_eq!((night.peak().hours.len(), &night.peak().hours[0]), (1, &(18..30)));
        assert!(night.peak().change < -0.15 && (night.range() - 0.221).abs() < 1e-3);
        let none = pattern(Period::Day, 12, &[0.0, 0.0]).peak();
        assert_eq!((none.change, none.hours.len()), (0.0, 0));
    }
}
