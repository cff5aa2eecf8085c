//! A history with its times, checked.

use super::SeasonError;
use super::level::{levels, window};
use super::period::Period;
use perftest_core::model::Sample;

const HOUR_MS: f64 = 3_600_000.0;
/// Fewest values that show a pattern.
const FEWEST: usize = 20;
/// Fewest periods that show a pattern.
const CYCLES: f64 = 3.0;
/// The history may be this share of a period shorter than three: times may be rounded.
const ROUNDING: f64 = 1e-3;

/// Values above 0 and when they were measured, oldest first.
pub(super) struct TimedValues<'a> {
    pub(super) times_ms: &'a [u64],
    /// Hours since the first.
    pub(super) hours: Vec<f64>,
    /// Logarithms of the values.
    pub(super) logs: Vec<f64>,
}

impl<'a> TimedValues<'a> {
    pub(super) fn new(times_ms: &'a [u64], values: &Sample) -> Result<Self, SeasonError> {
        let values = values.values();
        if times_ms.len() != values.len() {
            return Err(SeasonError::Unpaired { times: times_ms.len(), values: values.len() });
        }
        if let Some(index) = times_ms.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(SeasonError::Unsorted { index: index + 1 });
        }
        if let Some(index) = values.iter().position(|value| *value <= 0.0) {
            return Err(SeasonError::NotPositive { index, value: values[index] });
        }
        let first = times_ms.first().copied().unwrap_or(0);
        Ok(Self {
            times_ms,
            hours: times_ms.iter().map(|time| (time - first) as f64 / HOUR_MS).collect(),
            logs: values.iter().map(|value| value.ln()).collect(),
        })
    }

    pub(super) fn size(&self) -> usize {
        self.logs.len()
    }

    /// The distances of logarithms at these times from the level of others, between the `ends` of parts, in which a
    /// pattern of this period cannot be seen.
    pub(super) fn distances(
        &self,
        period: Period,
        logs: &[f64],
        of_level: &[f64],
        ends: &[usize],
    ) -> Vec<f64> {
        let window = window(f64::from(period.hours()), self.spacing());
        let levels = levels(&self.hours, of_level, ends, window);
        logs.iter().zip(levels).map(|(log, level)| log - level).collect()
    }

    /// Average hours between values.
    fn spacing(&self) -> f64 {
        self.hours.last().unwrap_or(&0.0) / (self.size() - 1).max(1) as f64
    }

    /// Returns the hours with values: a pause counts as one period. The last value counts for the
    /// average distance.
    pub(super) fn covered(&self, period: Period) -> f64 {
        let longest = f64::from(period.hours());
        let gaps = self.hours.windows(2).map(|pair| (pair[1] - pair[0]).min(longest));
        let covered: f64 = gaps.sum();
        covered * self.size() as f64 / (self.size() - 1).max(1) as f64
    }

    /// Checks whether there are enough values and periods for a pattern, apart from its slots.
    pub(super) fn is_enough_for(&self, period: Period) -> Result<(), SeasonError> {
        if self.size() < FEWEST {
            return Err(SeasonError::TooFew { values: self.size(), needed: FEWEST });
        }
        let covered = self.covered(period);
        if covered < (CYCLES - ROUNDING) * f64::from(period.hours()) {
            return Err(SeasonError::TooShort { period, hours: covered });
        }
        Ok(())
    }
}
