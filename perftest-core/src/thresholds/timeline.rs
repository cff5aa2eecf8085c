//! The runs of one branch, as rules look at them.
//!
//! Definition: one value a run, its median. Of a branch beside the default one, what came before its first
//! run is what the default branch had then: its start point, up to the commit that the branch left it at
//! where that was run. Only runs of the configuration of the newest one are compared. Runs with changes
//! that are not committed are judged and judge nothing. Set aside are fresh processes of a confirmation,
//! retries, and runs on a machine in no state to measure, unless the metric does not mind.

use super::PastValue;
use crate::model::{History, Run, RunId};
use std::collections::BTreeMap;

/// One run as rules look at it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunValue {
    /// The run.
    pub run: RunId,
    /// Its commit; empty when not known.
    pub commit: String,
    /// Tracked files differed from the commit.
    pub dirty: bool,
    /// What it measured, in the unit of its metric.
    pub value: f64,
    /// When it began, milliseconds since the Unix epoch.
    pub started_ms: u64,
}

/// Why a run of the branch takes no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetAside {
    /// It has another configuration than the newest.
    OtherConfiguration,
    /// The machine was in no state to measure.
    Untrusted,
    /// It repeats a run of the same session.
    Retry,
    /// It measured nothing.
    NoValue,
}

/// The runs of one branch, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// Runs of the default branch, where this is another one.
    pub start_point: Vec<RunValue>,
    /// Its own.
    pub own: Vec<RunValue>,
    /// How many of its own take no part, and why.
    pub set_aside: BTreeMap<SetAside, usize>,
}

impl RunValue {
    /// The commit, with a `+` behind it where files differed; empty when not known.
    pub fn label(&self) -> String {
        let mark = if self.dirty && !self.commit.is_empty() { "+" } else { "" };
        format!("{}{mark}", self.commit)
    }

    /// As one of a history.
    pub(super) fn past(&self) -> PastValue {
        PastValue { value: self.value, started_ms: self.started_ms }
    }

    fn of(run: &Run) -> Option<Self> {
        Some(Self {
            run: run.id.clone(),
            commit: run.revision.commit.clone(),
            dirty: run.revision.dirty,
            value: run.center()?,
            started_ms: run.started_ms,
        })
    }
}

impl SetAside {
    /// What follows on "runs", in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::OtherConfiguration => "of another configuration",
            Self::Untrusted => "on a machine in no state to measure",
            Self::Retry => "that repeat another one",
            Self::NoValue => "without a value",
        }
    }
}

impl Timeline {
    /// The runs of `branch` in a history of one test on one testbed, seen through one metric.
    pub fn of(history: &History, branch: &str, default_branch: &str) -> Self {
        let runs = &history.runs;
        let is_own = |run: &&Run| run.revision.branch == branch && !is_confirmation(run);
        let Some(newest) = runs.iter().rev().filter(is_own).find(|run| why_not(run).is_none())
        else {
            return Self { set_aside: counted(runs.iter().filter(is_own)), ..Self::default() };
        };
        let is_like = |run: &&Run| run.config == newest.config;
        let own: Vec<&Run> = runs.iter().filter(is_own).collect();
        let (like, unlike): (Vec<&Run>, Vec<&Run>) = own.into_iter().partition(is_like);
        let mut set_aside = counted(like.iter().copied());
        if !unlike.is_empty() {
            set_aside.insert(SetAside::OtherConfiguration, unlike.len());
        }
        let is_beside = !default_branch.is_empty() && branch != default_branch;
        let begins = || runs.iter().position(|run| is_own(&run) && is_like(&run));
        let before = begins().filter(|_| is_beside).map_or(&runs[..0], |place| &runs[..place]);
        let is_of_default = |run: &&Run| run.revision.branch == default_branch;
        let default = before.iter().filter(is_of_default).filter(is_like);
        let base = like.first().map_or("", |run| &run.revision.base);
        let start_point = values(default.filter(|run| !run.revision.dirty));
        Self { start_point: up_to(start_point, base), own: values(like.into_iter()), set_aside }
    }

    /// The branches that runs of a history are of, in the order of their names.
    pub fn branches(history: &History) -> Vec<&str> {
        let mut names: Vec<&str> =
            history.runs.iter().map(|run| run.revision.branch.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A fresh process belongs to the run that asked for it.
fn is_confirmation(run: &Run) -> bool {
    run.flags.iter().any(|flag| flag == Run::CONFIRMING)
}

/// Why a run takes no part whatever the others are.
fn why_not(run: &Run) -> Option<SetAside> {
    if run.attempt > 1 {
        Some(SetAside::Retry)
    } else if run.center().is_none() {
        Some(SetAside::NoValue)
    } else if run.environment.is_untrusted() && !run.metric.is_deterministic() {
        Some(SetAside::Untrusted)
    } else {
        None
    }
}

fn counted<'a>(runs: impl Iterator<Item = &'a Run>) -> BTreeMap<SetAside, usize> {
    let mut counts = BTreeMap::new();
    runs.filter_map(why_not).for_each(|why| *counts.entry(why).or_insert(0) += 1);
    counts
}

fn values<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<RunValue> {
    runs.filter(|run| why_not(run).is_none() && !is_confirmation(run))
        .filter_map(RunValue::of)
        .collect()
}

/// Those up to the last one of a commit; all where it is not among them.
fn up_to(mut runs: Vec<RunValue>, commit: &str) -> Vec<RunValue> {
    let last = runs.iter().rposition(|run| !commit.is_empty() && run.commit == commit);
    runs.truncate(last.map_or(runs.len(), |last| last + 1));
    runs
}
