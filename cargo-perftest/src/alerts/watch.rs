//! All thresholds over all histories.

use super::watched::Known;
use super::{Keeper, Kept, Watched};
use crate::branches::Branches;
use crate::desk::{Desk, told_of_damage};
use crate::exit::Failure;
use crate::rules::{Pattern, RulesFile};
use perftest_analysis::thresholds::Timeline;
use perftest_core::model::{Acknowledgement, History};
use perftest_store::Series;
use std::collections::BTreeSet;

/// Which branches are looked at, and which of them are told.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Of the branches.
    pub(crate) branch: Pattern,
    /// The branch that others began from; empty where nobody tells it.
    pub(crate) default_branch: String,
    /// Branches are told that are among so many newest runs of a history. All runs are judged: a rule that
    /// saw a part of them would say something else, and that would be kept.
    pub(crate) limit: usize,
    /// Judge all runs by the present rules, and keep nothing.
    pub(crate) anew: bool,
}

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct Watch<'a> {
    /// The histories that have runs to look at, each under each of its thresholds; the worst first.
    pub(crate) watched: Vec<Watched<'a>>,
    /// Branches with runs among the newest, looked at or not.
    pub(crate) branches: BTreeSet<String>,
    /// Entries of these branches and histories that hold for no alert.
    pub(crate) idle: Vec<Acknowledgement>,
    /// Why what was judged is not kept, if it is not.
    pub(crate) not_kept: Option<String>,
}

impl Scope {
    /// The branch that was asked for, else the one that is checked out, else that of the newest run.
    pub(crate) fn branch_of(
        asked: Option<&str>,
        branches: &Branches,
        all: &[Series],
        desk: &Desk<'_>,
    ) -> Result<Pattern, Failure> {
        if let Some(name) = asked.or(branches.current.as_deref()) {
            return Ok(Pattern::new(name));
        }
        let mut newest: Option<(u64, String)> = None;
        for series in all {
            let run = desk.history(series, 1)?.runs.pop();
            let run = run.map(|run| (run.started_ms, run.revision.branch));
            newest = newest.max(run);
        }
        Ok(Pattern::new(newest.map_or_else(String::new, |(_, branch)| branch)))
    }
}

impl<'a> Watch<'a> {
    /// Judges the histories, and keeps what was said for the first time.
    pub(crate) fn over(
        all: &[Series],
        rules: &'a RulesFile,
        scope: &Scope,
        desk: &Desk<'_>,
    ) -> Result<Self, Failure> {
        let acknowledgements = told_of_damage(desk.acceptance_file.acknowledgements()?);
        let mut keeper = Keeper::new(scope, desk)?;
        let mut watch = Self::default();
        for series in all {
            let history = desk.history(series, usize::MAX)?;
            let kept = if scope.anew { Kept::default() } else { Kept::of(series, desk)? };
            let known = Known {
                suppressions: &rules.suppressions,
                acknowledgements: &acknowledgements,
                kept: &kept,
                now_ms: desk.now_ms(),
            };
            let judged = judged(series, &history, rules, scope, known);
            keeper.keep(&judged)?;
            let branches = recent_branches(&history, scope.limit);
            watch.branches.extend(branches.map(ToOwned::to_owned));
            watch.watched.extend(judged);
        }
        watch.watched.sort_by(Watched::worst_first);
        watch.idle = acknowledgements;
        watch.idle.retain(|it| watch.watched.iter().any(|watched| watched.leaves_idle(it)));
        watch.not_kept = keeper.not_kept;
        Ok(watch)
    }
}

/// One history under each threshold that watches it, on each branch that is looked at.
fn judged<'a>(
    series: &Series,
    history: &History,
    rules: &'a RulesFile,
    scope: &Scope,
    known: Known<'_>,
) -> Vec<Watched<'a>> {
    let branches = recent_branches(history, scope.limit);
    let mut judged = Vec::new();
    for branch in branches.filter(|branch| scope.branch.matches(branch)) {
        let thresholds = rules.thresholds.iter().filter(|it| it.watches(series, branch));
        let timeline = Timeline::of(history, branch, &scope.default_branch);
        let has_runs = !timeline.own.is_empty() || !timeline.set_aside.is_empty();
        judged.extend(thresholds.filter(|_| has_runs).map(|threshold| {
            Watched::of(threshold, (series, history), branch, timeline.clone(), known)
        }));
    }
    judged
}

/// The branches of the newest runs.
fn recent_branches(history: &History, limit: usize) -> impl Iterator<Item = &str> {
    let older = history.runs.len().saturating_sub(limit);
    let is_recent = move |branch: &&str| {
        history.runs[older..].iter().any(|run| run.revision.branch == **branch)
    };
    Timeline::branches(history).into_iter().filter(is_recent)
}
