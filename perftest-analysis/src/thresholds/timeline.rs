//! The runs of one branch, as input of rules.
//!
//! Definition: one value a run, its median. For a branch other than the default one, the values
//! before its first run are those of the default branch: its start point, up to the commit at which
//! the branch left it, if that commit was run. If the branch was rebased, or has merged the default
//! one, its newest run defines that commit. Own runs before another run of the default branch are
//! set aside, because the difference may not be the branch's. Only runs with the configuration of
//! the newest one are compared. Runs with uncommitted changes have results, but do not count for
//! later ones. Fresh processes are parts of a run and no values of their own.
//! Retries, and runs on a machine that was unfit to measure are set aside, unless the metric does not depend on the machine.
//! Runs whose times may be those of the machine have no result and do not count for later ones. Only a value of theirs that
//! is in line counts: interference makes nothing faster.

use super::PastValue;
use crate::detect::{Period, Season, SeasonError};
use crate::verdicts::RunCode;
use perftest_core::model::{Direction, History, LimitSide, Run, RunId, Sample};
use std::collections::{BTreeMap, HashMap, HashSet};

/// One run as input of rules.
#[derive(Debug, Clone, PartialEq)]
pub struct RunValue {
    /// The run.
    pub run: RunId,
    /// Its code, and when it began.
    pub code: RunCode,
    /// Its value, in the unit of its metric.
    pub value: f64,
    /// The same, as it was recorded: with the pattern that was removed from `value`.
    pub recorded: f64,
    /// The side to which the machine may have moved the value; `None` where the value is that of the code.
    pub moved_to: Option<LimitSide>,
}

/// A run and its index in the history.
type IndexedRun<'a> = (usize, &'a Run);

/// Why a run of the branch does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExclusionReason {
    /// Its configuration is not that of the newest run.
    OtherConfiguration,
    /// Its unit or direction is not that of the newest run; the caller counts these in the other
    /// histories.
    OtherUnit,
    /// The branch then started from older runs of the default branch.
    EarlierBase,
    /// The machine was unfit to measure.
    Untrusted,
    /// Its times [may be those of the machine](Run::has_times_of_machine).
    TimesOfMachine,
    /// It repeats a run of the same session.
    Retry,
    /// It has no value.
    NoValue,
}

/// The runs of one branch, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// Runs of the default branch, if this is another branch.
    pub start_point: Vec<RunValue>,
    /// Runs of the branch itself.
    pub own: Vec<RunValue>,
    /// Number of its own runs that do not count, by reason.
    pub set_aside: BTreeMap<ExclusionReason, usize>,
    /// The pattern that was removed from all values.
    pub season: Option<Season>,
    /// Whether the values cover a day or more, but too few weeks for a weekly pattern.
    pub is_too_short_for_season: bool,
}

impl RunValue {
    /// Returns the value as part of a history.
    pub(super) fn past(&self) -> PastValue {
        PastValue { value: self.value, started_ms: self.code.started_ms }
    }

    fn of(run: &Run) -> Option<Self> {
        let value = run.center()?;
        let worse = match run.metric.direction {
            Direction::Lower => LimitSide::Upper,
            Direction::Higher => LimitSide::Lower,
        };
        let moved_to = run.has_times_of_machine().then_some(worse);
        Some(Self { run: run.id.clone(), code: RunCode::of(run), value, recorded: value, moved_to })
    }
}

impl ExclusionReason {
    /// Describes the reason, as continuation of "runs".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::OtherConfiguration => "of another configuration",
            Self::OtherUnit => "in another unit or direction, which are another history",
            Self::EarlierBase => "from before the branch was rebased or merged",
            Self::Untrusted => "on a machine in no state to measure",
            Self::TimesOfMachine => {
                "nearly all disturbed, or on a machine that was slower than before"
            }
            Self::Retry => "that repeat another one",
            Self::NoValue => "without a value",
        }
    }
}

impl Timeline {
    /// Collects the runs of `branch` in a history of one test on one testbed, by one metric.
    pub fn of(history: &History, branch: &str, default_branch: &str) -> Self {
        match newest_of_configurations(history, branch).first() {
            Some(newest) => Self::of_configuration(history, newest, default_branch),
            None => {
                let own = history.runs.iter().filter(|run| is_own(run, branch));
                Self { set_aside: counted(own), ..Self::default() }
            }
        }
    }

    /// Collects the runs of `branch` in each configuration but that of its newest run: alerts on them are not over.
    pub fn of_other_configurations(
        history: &History,
        branch: &str,
        default_branch: &str,
    ) -> Vec<Self> {
        let newest = newest_of_configurations(history, branch).into_iter().skip(1);
        newest.map(|newest| Self::of_configuration(history, newest, default_branch)).collect()
    }

    /// Collects the runs of the branch and configuration of `newest`, its newest one.
    fn of_configuration(history: &History, newest: &Run, default_branch: &str) -> Self {
        let (runs, branch) = (&history.runs, newest.revision.branch.as_str());
        let is_like = |(_, run): &IndexedRun<'_>| run.config == newest.config;
        let placed = || runs.iter().enumerate();
        let (like, unlike): (Vec<IndexedRun<'_>>, Vec<IndexedRun<'_>>) =
            placed().filter(|(_, run)| is_own(run, branch)).partition(is_like);
        let is_beside = !default_branch.is_empty() && branch != default_branch;
        let is_of_default = |(_, run): &IndexedRun<'_>| {
            is_beside && run.revision.branch == default_branch && !run.revision.dirty
        };
        let default: Vec<IndexedRun<'_>> = placed()
            .filter(is_of_default)
            .filter(is_like)
            .filter(|(_, run)| takes_part(run))
            .collect();
        let base = newest.revision.base.as_str();
        let starts = Starts::of(&default, &like);
        let start = starts.of_base(base);
        let (own, earlier) = since(&starts, base, like);
        let mut set_aside = counted(own.iter().map(|(_, run)| *run));
        set_aside.insert(ExclusionReason::OtherConfiguration, unlike.len());
        set_aside.insert(ExclusionReason::EarlierBase, earlier.len());
        set_aside.retain(|_, count| *count > 0);
        let (start_point, own) = (values(&default[..start]), values(&own));
        let of_machine = own.iter().filter(|run| run.moved_to.is_some()).count();
        set_aside.extend((of_machine > 0).then_some((ExclusionReason::TimesOfMachine, of_machine)));
        Self { start_point, own, set_aside, ..Self::default() }
    }

    /// Removes the daily or weekly pattern of the values, if one is recognised: a load that recurs
    /// every week is no change.
    ///
    /// ```
    /// use perftest_analysis::thresholds::{RunValue, Timeline};
    /// use perftest_analysis::verdicts::RunCode;
    /// use perftest_core::model::RunId;
    /// // Daily runs for ten weeks from a Monday on, slower by 20% on Saturday and Sunday.
    /// let value = |day| if day % 7 >= 5 { 120.0 } else { 100.0 } + (day * 7 % 11) as f64 / 10.0;
    /// let run = |day: u64| RunValue {
    ///     run: RunId::from_recorded(day.to_string()),
    ///     code: RunCode { started_ms: 1_767_571_200_000 + day * 86_400_000, ..RunCode::default() },
    ///     value: value(day),
    ///     recorded: value(day),
    ///     moved_to: None,
    /// };
    /// let timeline = Timeline { own: (0..70).map(run).collect(), ..Timeline::default() };
    /// let without = timeline.without_season();
    /// assert!(without.season.is_some());
    /// assert!(without.own.iter().all(|run| run.value < 102.0));
    /// assert!(without.own.iter().zip(0..).all(|(run, day)| run.recorded == value(day)));
    /// ```
    pub fn without_season(mut self) -> Self {
        let mut by_time: Vec<&mut RunValue> =
            self.start_point.iter_mut().chain(&mut self.own).collect();
        by_time.sort_by_key(|run| run.code.started_ms);
        let times_ms: Vec<u64> = by_time.iter().map(|run| run.code.started_ms).collect();
        let Ok(values) = Sample::new(by_time.iter().map(|run| run.value).collect()) else {
            return self;
        };
        let season = Season::recognised(&times_ms, &values).unwrap_or_default();
        let is_too_short_for_season = covers_a_day(&times_ms) && is_too_short(&times_ms, &values);
        if let Some(season) = &season {
            let rest = season.removed_from(&times_ms, &values);
            by_time.iter_mut().zip(rest.values()).for_each(|(run, value)| run.value = *value);
        }
        Self { season, is_too_short_for_season, ..self }
    }

    /// Returns the branches with runs in a history, in order of their names.
    pub fn branches(history: &History) -> Vec<&str> {
        let mut names: Vec<&str> =
            history.runs.iter().map(|run| run.revision.branch.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn is_own(run: &Run, branch: &str) -> bool {
    run.revision.branch == branch && !run.is_fresh_process()
}

/// Returns the newest run of a branch in each configuration, the newest first.
fn newest_of_configurations<'a>(history: &'a History, branch: &str) -> Vec<&'a Run> {
    let own = history.runs.iter().rev().filter(|run| is_own(run, branch));
    let mut known = HashSet::new();
    own.filter(|run| why_not(run).is_none() && known.insert(&run.config)).collect()
}

fn covers_a_day(times_ms: &[u64]) -> bool {
    let ends = times_ms.first().zip(times_ms.last());
    ends.is_some_and(|(first, last)| last - first >= u64::from(Period::Day.hours()) * 3_600_000)
}

/// Returns whether a weekly pattern cannot be recognised yet.
fn is_too_short(times_ms: &[u64], values: &Sample) -> bool {
    let error = Period::Week.can_be_seen_in(times_ms, values).err();
    matches!(error, Some(SeasonError::TooFew { .. } | SeasonError::TooShort { .. }))
}

/// Returns why a run does not count, whatever the others are.
fn why_not(run: &Run) -> Option<ExclusionReason> {
    if run.attempt > 1 {
        Some(ExclusionReason::Retry)
    } else if run.measurements.is_empty() {
        Some(ExclusionReason::NoValue)
    } else if !run.is_fit() {
        Some(ExclusionReason::Untrusted)
    } else {
        None
    }
}

fn counted<'a>(runs: impl Iterator<Item = &'a Run>) -> BTreeMap<ExclusionReason, usize> {
    let mut counts = BTreeMap::new();
    runs.filter_map(why_not).for_each(|why| *counts.entry(why).or_insert(0) += 1);
    counts
}

/// Returns whether a run counts.
fn takes_part(run: &Run) -> bool {
    why_not(run).is_none() && !run.is_fresh_process()
}

fn values(placed: &[IndexedRun<'_>]) -> Vec<RunValue> {
    placed
        .iter()
        .filter(|(_, run)| takes_part(run))
        .filter_map(|(_, run)| RunValue::of(run))
        .collect()
}

/// The starts of own runs on the default branch, found without visiting all runs for each of them.
struct Starts<'a> {
    default: &'a [IndexedRun<'a>],
    /// The index in the history of the first own run with each base.
    first: HashMap<&'a str, usize>,
    /// The default branch's runs of each commit, ascending.
    of_commit: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Starts<'a> {
    fn of(default: &'a [IndexedRun<'a>], own: &[IndexedRun<'a>]) -> Self {
        let mut first = HashMap::new();
        for (place, run) in own {
            first.entry(run.revision.base.as_str()).or_insert(*place);
        }
        let mut of_commit: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, (_, run)) in default.iter().enumerate() {
            of_commit.entry(run.revision.commit.as_str()).or_default().push(index);
        }
        Self { default, first, of_commit }
    }

    /// Returns the number of default-branch runs before the first own one with this base: up to the
    /// base, if that was run.
    fn of_base(&self, base: &str) -> usize {
        let first = self.first.get(base);
        let before =
            self.default.partition_point(|(place, _)| first.is_some_and(|first| place < first));
        let of_commit = self.of_commit.get(base).filter(|_| !base.is_empty());
        let of_commit = of_commit.map_or(&[][..], Vec::as_slice);
        let upto = of_commit.partition_point(|index| *index < before);
        of_commit[..upto].last().map_or(before, |last| last + 1)
    }
}

/// Splits the own runs into those that start where the newest base does, and the others.
fn since<'a>(
    starts: &Starts<'_>,
    base: &str,
    own: Vec<IndexedRun<'a>>,
) -> (Vec<IndexedRun<'a>>, Vec<IndexedRun<'a>>) {
    let begun = starts.of_base(base);
    let mut bases: HashSet<&str> = own.iter().map(|(_, run)| run.revision.base.as_str()).collect();
    // Unknown bases are not separated.
    bases.retain(|it| base.is_empty() || it.is_empty() || starts.of_base(it) == begun);
    own.iter().partition(|(_, run)| bases.contains(run.revision.base.as_str()))
}
