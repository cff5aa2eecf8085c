//! The newest level of a history, and its beginning.

use super::{LevelStart, Metric, MetricKind, Reason, Run, Sample};
use crate::list::IntoList;
use crate::stats::{SMALLEST_STEP, change_by_ranks, is_tight_level};

/// Runs in a row that form a level if each of them improved. A convention: two may be luck
/// (docs/reference/baseline.md).
const IMPROVED_RUNS: usize = 3;
/// Number of newest runs that are searched for a change by ranks. A convention: as many as a baseline has at most.
const SEARCHED_RUNS: usize = 30;

/// The runs of a history since its level changed for the last time.
///
/// The history is processed run by run, from the oldest. Each change is found with the runs at that
/// time, and the runs before it are dropped for good. So every later run finds the same change.
///
/// A change is what [`is_tight_level`] or [`change_by_ranks`] finds in the newest runs, as many as
/// a verdict needs. For improvements three runs suffice, if each improved, they are close together,
/// and no older run has their code: interference only makes code slower. Where each improved in pairs with the last
/// good build, they need only be faster than all older ones: both sides of a pair have the same interference.
///
/// Runs that were slower or improved do not belong to the level of their baseline. They are left
/// out of it, unless they lie among its other runs.
#[derive(Debug, Clone)]
pub struct NewestLevel<'a> {
    fewest: usize,
    /// The runs of the level, oldest first.
    entries: Vec<LevelEntry<'a>>,
    /// The costs of the members that are older than the newest runs, in ascending order.
    older: Vec<f64>,
    /// Number of entries that are older than the newest runs.
    older_entries: usize,
    /// Index of the first of these runs in the history.
    start: usize,
    began: Option<LevelStart>,
    /// Number of runs that revealed the level.
    founders: usize,
    /// The ratio of the smallest step that is another level: the tolerance of the newest run, if that is smaller than
    /// usual. Else a step between the two would be a red or an improvement for ever.
    smallest_step: f64,
}

#[derive(Debug, Clone, Copy)]
struct LevelEntry<'a> {
    run: &'a Run,
    /// Logarithm of its cost: larger is worse.
    log: f64,
    is_member: bool,
}

impl<'a> NewestLevel<'a> {
    /// Finds the newest level of `runs`, oldest first; `fewest` runs form a level. Skips runs
    /// without a measurement.
    pub fn of(runs: impl IntoIterator<Item = &'a Run>, fewest: usize) -> Self {
        let mut level = Self {
            fewest: fewest.max(1),
            entries: Vec::new(),
            older: Vec::new(),
            older_entries: 0,
            start: 0,
            began: None,
            founders: 0,
            smallest_step: SMALLEST_STEP,
        };
        for (place, run) in runs.into_iter().enumerate() {
            if let Some(log) = log_cost(run) {
                level.push(run, log);
                level.look_for_change(place + 1);
            }
        }
        level
    }

    /// Index of its first run in the history.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns its beginning; `None` if no change was found.
    pub fn began(&self) -> Option<&LevelStart> {
        self.began.as_ref()
    }

    /// Returns the number of runs that a verdict on this level needs: while it is young, the number
    /// that revealed it.
    pub fn needed(&self) -> usize {
        let is_young = self.founders > 0 && self.members().count() < self.fewest;
        if is_young { self.founders } else { self.fewest }
    }

    /// Returns its runs, oldest first. Includes those that were left out while there are too few
    /// others.
    pub fn runs(&self) -> Vec<&'a Run> {
        let members = self.members().map(|entry| entry.run).into_list();
        if members.len() >= self.needed() {
            return members;
        }
        self.entries.iter().map(|entry| entry.run).into_list()
    }

    fn members(&self) -> impl Iterator<Item = &LevelEntry<'a>> {
        self.entries.iter().filter(|entry| entry.is_member)
    }

    fn push(&mut self, run: &'a Run, log: f64) {
        let is_usual = !is_slower(run) && !is_improved(run);
        let is_member = is_usual || self.is_among_members(log);
        self.entries.push(LevelEntry { run, log, is_member });
        let tolerated = run.evidence.as_ref().map(|evidence| evidence.tolerance.ratio());
        self.smallest_step = tolerated.map_or(SMALLEST_STEP, |ratio| ratio.min(SMALLEST_STEP));
    }

    fn is_among_members(&self, log: f64) -> bool {
        self.members().any(|it| it.log <= log) && self.members().any(|it| it.log >= log)
    }

    /// Begins a new level if the newest runs form one; `end` is the index after them.
    fn look_for_change(&mut self, end: usize) {
        self.add_older();
        let place = self.improvement().or_else(|| self.change());
        let Some(place) = place else {
            return;
        };
        let older = self.costs_before(place);
        let mut newer = self.entries.split_off(place);
        newer.iter_mut().for_each(|entry| entry.is_member = true);
        let logs: Vec<f64> = newer.iter().map(|entry| entry.log).into_list();
        let middle = |logs: &[f64]| Sample::median_of(logs).unwrap_or_default();
        let commit = |entry: Option<&LevelEntry<'_>>| {
            entry.map_or_else(String::new, |entry| entry.run.revision.commit.clone())
        };
        self.began = Some(LevelStart {
            commit_before: commit(self.entries.last()),
            commit: commit(newer.first()),
            ratio: (middle(&logs) - middle(&older)).exp(),
        });
        self.start = end - newer.len();
        self.founders = newer.len();
        self.entries = newer;
        self.older.clear();
        self.older_entries = 0;
    }

    /// Adds the members that newer runs have made older.
    fn add_older(&mut self) {
        let count = self.entries.len().saturating_sub(self.fewest);
        for entry in &self.entries[self.older_entries..count] {
            if entry.is_member {
                let place = self.older.partition_point(|log| log.total_cmp(&entry.log).is_le());
                self.older.insert(place, entry.log);
            }
        }
        self.older_entries = count;
    }

    /// Returns the costs of the members before `place`.
    fn costs_before(&self, place: usize) -> Vec<f64> {
        let older = self.entries[..place].iter().filter(|entry| entry.is_member);
        older.map(|entry| entry.log).into_list()
    }

    /// Returns the beginning of an improvement, which needs fewer runs than another change.
    fn improvement(&self) -> Option<usize> {
        let place = self.entries.len().checked_sub(IMPROVED_RUNS.min(self.fewest))?;
        let newest = &self.entries[place..];
        let are_improved = newest.iter().all(|entry| is_improved(entry.run));
        if !are_improved || self.is_old_code_since(place) {
            return None;
        }
        let logs: Vec<f64> = newest.iter().map(|entry| entry.log).into_list();
        let older = self.costs_before(place);
        let is_below =
            || !older.is_empty() && logs.iter().all(|log| older.iter().all(|it| log < it));
        let is_level = is_tight_level(&older, &logs, self.smallest_step)
            || newest.iter().all(|entry| is_paired(entry.run)) && is_below();
        is_level.then_some(place)
    }

    /// Returns whether a run since `place` has the code of an earlier one: then the code did not become faster.
    fn is_old_code_since(&self, place: usize) -> bool {
        let (older, newest) = self.entries.split_at(place);
        newest.iter().any(|entry| older.iter().any(|it| it.run.code.is_same_code(&entry.run.code)))
    }

    /// Returns the beginning of another change, if the newest runs all lie on one side of the older
    /// ones.
    fn change(&self) -> Option<usize> {
        let place = self.entries.len().checked_sub(self.fewest)?;
        let newest: Vec<f64> = self.entries[place..].iter().map(|entry| entry.log).into_list();
        if !are_apart(&self.older, &newest) {
            return None;
        }
        let older = self.costs_before(place);
        // Code that is sometimes faster and sometimes slower has modes, and no new level.
        let verdicts = &self.entries[place..];
        let is_found = verdicts.iter().all(|entry| is_slower(entry.run) || is_improved(entry.run));
        let is_tight = is_tight_level(&older, &newest, self.smallest_step)
            && (is_found || !self.is_old_code_since(place));
        let place = if is_tight { place } else { self.change_by_ranks()? };
        let newer: Vec<f64> = self.entries[place..].iter().map(|entry| entry.log).into_list();
        is_one_level(&older, &newer, self.smallest_step).then_some(place)
    }

    fn change_by_ranks(&self) -> Option<usize> {
        let first = self.entries.len().saturating_sub(SEARCHED_RUNS);
        let searched: Vec<f64> = self.entries[first..].iter().map(|entry| entry.log).into_list();
        Some(first + change_by_ranks(&searched, self.fewest, self.smallest_step)?)
    }
}

/// Returns whether all `newest` values lie on one side of the median of the `older` ones, which are in ascending
/// order.
fn are_apart(older: &[f64], newest: &[f64]) -> bool {
    Sample::median_of_sorted(older).is_some_and(|middle| {
        newest.iter().all(|log| *log < middle) || newest.iter().all(|log| *log > middle)
    })
}

/// Returns whether `newer` values are one level, and not two of which the last has only begun: no
/// newest ones of them, at least two, differ from the others by 16%, or by a large part of the
/// whole step from `older` ones.
fn is_one_level(older: &[f64], newer: &[f64], smallest_step: f64) -> bool {
    // Conventions: a quarter of the step, and a logarithm of 0.15, which is 16%.
    const GOOD_PART: f64 = 0.25;
    const MOST: f64 = 0.15;
    let middle = |logs: &[f64]| Sample::median_of(logs).unwrap_or_default();
    let step = |from: &[f64], to: &[f64]| (middle(to) - middle(from)).abs();
    let least = MOST.min(GOOD_PART * step(older, newer));
    (1..newer.len().saturating_sub(1)).all(|place| {
        let (first, last) = newer.split_at(place);
        step(first, last) < least || !is_tight_level(first, last, smallest_step)
    })
}

/// Returns the logarithm of the run's cost, for either direction; `None` without a measurement.
fn log_cost(run: &Run) -> Option<f64> {
    let value = run.center()?.max(least_value(&run.metric));
    Some(run.metric.direction.degradation(value).ln())
}

/// Returns the smallest value that counts: a value of zero has no logarithm.
fn least_value(metric: &Metric) -> f64 {
    match metric.kind() {
        MetricKind::Time => 1.0,
        MetricKind::Count | MetricKind::CountByPlace => 0.5,
        MetricKind::Number => 1e-9,
    }
}

/// Returns whether the run was slower than its baseline, because of its code or its machine.
fn is_slower(run: &Run) -> bool {
    matches!(run.reason(), Some(Reason::Red | Reason::MachineSlower)) || run.was_slow_throughout()
}

fn is_paired(run: &Run) -> bool {
    run.evidence.as_ref().is_some_and(|evidence| evidence.paired_result.is_some())
}

fn is_improved(run: &Run) -> bool {
    run.reason() == Some(Reason::Improved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BenchmarkId, Measurement, RunId};

    #[test]
    fn values_are_apart_exactly_if_the_median_of_the_older_ones_is_beside_them() {
        let value = |index: u64| (index * 7_919 % 23) as f64;
        for size in 0..30 {
            let older: Vec<f64> = (0..size).map(value).collect();
            for start in 0..23 {
                let newest: Vec<f64> =
                    (0..3).map(|index| f64::midpoint(start as f64, value(start + index))).collect();
                let expected = Sample::median_of(&older).is_some_and(|middle| {
                    newest.iter().all(|it| *it < middle) || newest.iter().all(|it| *it > middle)
                });
                let mut older = older.clone();
                older.sort_by(f64::total_cmp);
                assert_eq!(are_apart(&older, &newest), expected, "{older:?} {newest:?}");
            }
        }
    }

    #[test]
    fn the_older_costs_are_those_of_the_members_before_the_newest_runs() {
        let level = |place: u64| if place < 40 { 100.0 } else { 130.0 };
        let value = |place: u64| level(place) + (place * 7 % 11) as f64 / 10.0;
        let run = |place: u64| {
            let id = RunId::new(place, 1);
            let run = Run::blank(id, BenchmarkId::from_recorded("test"), Metric::wall());
            Run { measurements: vec![Measurement::of_value(value(place))], ..run }
        };
        let runs: Vec<Run> = (0..80).map(run).collect();
        for count in 0..=runs.len() {
            let level = NewestLevel::of(&runs[..count], 5);
            assert_eq!(level.start() > 0, count > 44, "{count}");
            let newest = level.entries.len().saturating_sub(5);
            // Behind a change nothing was searched yet.
            if level.older_entries == newest {
                let mut expected = level.costs_before(newest);
                expected.sort_by(f64::total_cmp);
                assert_eq!(level.older, expected, "{count}");
            }
        }
    }
}
