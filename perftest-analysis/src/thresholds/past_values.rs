//! The values before a run, with statistics of all of them.
//!
//! Behaviour: adding a value does not visit the others. Mean and deviation are running ones, and
//! values and changes between neighbours are kept sorted, so that each run of a history can be
//! judged by all before it.

use super::history_summary::{HistorySummary, LogSummary, deviation};
use super::quartiles::change;
use super::{Compat, Quartiles};
use crate::stats::Moments;

/// The values before, one a run.
///
/// ```
/// use perftest_analysis::thresholds::{PastValues, PastValue};
/// let mut past = PastValues::default();
/// past.push(PastValue { value: 7.0, started_ms: 0 });
/// past.push(PastValue { value: 8.0, started_ms: 1 });
/// assert_eq!(past.values().len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PastValues {
    values: Vec<PastValue>,
    sorted: Vec<f64>,
    sorted_changes: Vec<f64>,
    moments: Moments,
    log_moments: Moments,
    earliest_ms: Option<u64>,
}

impl PastValues {
    /// Adds a newer value.
    pub fn push(&mut self, newest: PastValue) {
        let PastValue { value, started_ms } = newest;
        if let Some(before) = self.values.last() {
            insert(&mut self.sorted_changes, change(value, before.value));
        }
        insert(&mut self.sorted, value);
        self.moments.add(value);
        self.log_moments.add(value.ln());
        self.earliest_ms = self.earliest_ms.into_iter().chain([started_ms]).min();
        self.values.push(newest);
    }

    /// The values, oldest first.
    pub fn values(&self) -> &[PastValue] {
        &self.values
    }

    /// Returns the newest values, `count` or all, oldest first.
    pub(super) fn newest(&self, count: usize) -> &[PastValue] {
        &self.values[self.values.len().saturating_sub(count)..]
    }

    /// Returns the median of all; `None` without values, or with one that is no number.
    pub(super) fn median(&self) -> Option<f64> {
        let ends = [self.sorted.first()?, self.sorted.last()?];
        let are_numbers = ends.iter().all(|end| end.is_finite());
        Quartiles::of_sorted(&self.sorted).filter(|_| are_numbers).map(|it| it.second)
    }

    /// Returns the value that all have; `None` without one.
    pub(super) fn agreed(&self) -> Option<f64> {
        let (least, greatest) = (self.sorted.first()?, self.sorted.last()?);
        (least == greatest && least.is_finite()).then_some(*least)
    }

    /// Returns the figures of all values.
    pub(super) fn summary(&self, compat: Compat) -> HistorySummary {
        HistorySummary {
            mean: self.moments.mean(),
            deviation: deviation(&self.moments, compat),
            size: Some(self.values.len()),
            quartiles: Quartiles::of_sorted(&self.sorted),
            change_quartiles: Quartiles::of_sorted(&self.sorted_changes),
            log: LogSummary::from_moments(&self.log_moments, compat),
        }
    }

    /// Returns whether no value is older than this time.
    pub(super) fn is_since(&self, since_ms: u64) -> bool {
        self.earliest_ms.is_none_or(|earliest_ms| earliest_ms >= since_ms)
    }
}

impl FromIterator<PastValue> for PastValues {
    fn from_iter<I: IntoIterator<Item = PastValue>>(oldest_first: I) -> Self {
        let mut past = Self::default();
        oldest_first.into_iter().for_each(|value| past.push(value));
        past
    }
}

fn insert(sorted: &mut Vec<f64>, value: f64) {
    let place = sorted.partition_point(|it| it.total_cmp(&value).is_le());
    sorted.insert(place, value);
}

/// One value of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastValue {
    /// The value.
    pub value: f64,
    /// When it was measured, milliseconds since the Unix epoch.
    pub started_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PastValues {
        /// Values of one time.
        pub(in crate::thresholds) fn of(values: &[f64]) -> Self {
            values.iter().map(|value| PastValue { value: *value, started_ms: 0 }).collect()
        }
    }

    #[test]
    fn what_runs_along_is_what_is_computed_of_all_at_once() {
        let values: Vec<f64> =
            (0..200_u32).map(|run| 1e6 + f64::from(run * 7919 % 101) / 8.0).collect();
        for count in [0, 1, 2, 3, 50, 200] {
            for compat in [Compat::Present, Compat::Bencher062] {
                let newest_first: Vec<f64> = values[..count].iter().rev().copied().collect();
                let running = PastValues::of(&values[..count]).summary(compat);
                let at_once = HistorySummary::of(&newest_first, compat);
                assert_eq!(running.size, at_once.size);
                assert_eq!(running.quartiles, at_once.quartiles);
                assert_eq!(running.change_quartiles, at_once.change_quartiles);
                let is_near = |one: Option<f64>, other: Option<f64>| match (one, other) {
                    (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * other.abs(),
                    (one, other) => one == other,
                };
                assert!(is_near(running.mean, at_once.mean));
                assert!(is_near(running.deviation, at_once.deviation), "{count}");
                let [running, at_once] = [running, at_once].map(|it| it.log.map(|it| it.scale));
                assert!(is_near(running, at_once), "{count}");
            }
        }
    }

    #[test]
    fn the_median_is_that_of_numbers_alone() {
        let median = |values: &[f64]| PastValues::of(values).median();
        assert_eq!(median(&[3.0, 1.0, 2.0, 9.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, 2.0, f64::NAN]), None);
        assert_eq!(median(&[f64::NEG_INFINITY, 1.0, 2.0]), None);
    }
}
