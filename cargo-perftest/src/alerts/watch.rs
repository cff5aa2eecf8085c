//! Applies all thresholds to all histories.

use super::watch_result::{AlertContext, LeftAlert, OtherRuns};
use super::{JudgementWriter, StoredJudgements, WatchResult};
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::history_directory::here;
use crate::record_reader::{RecordReader, course_query};
use crate::report::report_damage;
use crate::rules::{NamePattern, RulesFile};
use perftest_analysis::thresholds::{ExclusionReason, Timeline};
use perftest_core::model::{Acknowledgement, History, Run, RunId};
use perftest_store::{PlannedRead, Series};
use std::collections::{BTreeSet, HashSet};

/// The branches that are checked and shown.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Selects the branches.
    pub(crate) branch: NamePattern,
    /// The default branch; empty where unknown.
    pub(crate) default_branch: String,
    /// Branches among this many newest runs of a history are shown. All runs are checked: a rule
    /// would give another result on a part of them, and that result would be stored.
    pub(crate) limit: usize,
    /// Apply the present rules to all runs, and store nothing.
    pub(crate) reevaluate: bool,
}

/// The results.
#[derive(Debug, Default)]
pub(crate) struct Watch<'a> {
    /// The histories with runs, each with each of its thresholds; the worst first.
    pub(crate) watched: Vec<WatchResult<'a>>,
    /// Branches among the newest runs, checked or not.
    pub(crate) branches: BTreeSet<String>,
    /// Entries of these branches and histories that match no alert.
    pub(crate) idle: Vec<Acknowledgement>,
    /// Why the results are not stored, if they are not.
    pub(crate) not_kept: Option<String>,
}

impl Scope {
    /// Returns the requested branch, or else the [present](Branches::of_interest) one, or else that of the newest run.
    pub(crate) fn branch_of(
        asked: Option<&str>,
        branches: &Branches,
        all: &[Series],
        context: &CommandContext<'_>,
    ) -> Result<NamePattern> {
        if let Some(name) = asked.or(branches.of_interest()) {
            return Ok(NamePattern::new(name));
        }
        let runs = context.map_histories(all, |series, records| {
            let run = records.history(series, 1)?.runs.pop();
            Ok(run.map(|run| (run.started_ms, run.revision.branch)))
        })?;
        let newest = runs.into_iter().flatten().max();
        Ok(NamePattern::new(newest.map_or_else(String::new, |(_, branch)| branch)))
    }
}

impl<'a> Watch<'a> {
    /// Applies the rules to the histories, and stores new results.
    pub(crate) fn over(
        all: &[Series],
        rules: &'a RulesFile,
        scope: &Scope,
        context: &CommandContext<'_>,
    ) -> Result<Self> {
        let acknowledgements = acknowledgements(context)?;
        let mut keeper = JudgementWriter::new(scope, context)?;
        let mut watch = Self::default();
        let now_ms = context.now_ms();
        let judge = |series: &Series, records: &RecordReader<'_>| {
            let recorded = RecordedHistory::of(series, scope, records)?;
            let branches = recorded.recent_branches(scope.limit).into_iter();
            let branches: Vec<String> = branches.map(ToOwned::to_owned).collect();
            let judged = judged(series, &recorded, rules, scope, &acknowledgements, now_ms);
            Ok((judged, branches))
        };
        let runs = |series| PlannedRead::Runs(course_query(series, usize::MAX));
        context.announce(all.iter().flat_map(|it| [runs(it), PlannedRead::Metrics(it.clone())]));
        context.for_each_history(all, judge, |(mut judged, branches)| {
            keeper.keep(&mut judged)?;
            watch.branches.extend(branches);
            watch.watched.extend(judged);
            Ok(())
        })?;
        watch.watched.sort_by(WatchResult::worst_first);
        watch.idle = acknowledgements;
        watch.idle.retain(|it| watch.watched.iter().any(|watched| watched.leaves_idle(it)));
        watch.not_kept = keeper.not_kept;
        Ok(watch)
    }
}

/// Returns the runs that alerts by the rules of any of the files are based on which are not over, on every branch.
/// Stores nothing.
pub(crate) fn runs_of_live_alerts(
    all: &[Series],
    files: &[RulesFile],
    context: &CommandContext<'_>,
) -> Result<HashSet<RunId>> {
    let acknowledgements = acknowledgements(context)?;
    let scope = Scope {
        branch: NamePattern::all(),
        default_branch: Branches::around(&here()?).default,
        limit: usize::MAX,
        reevaluate: false,
    };
    let now_ms = context.now_ms();
    let live = |series: &Series, records: &RecordReader<'_>| {
        let recorded = RecordedHistory::of(series, &scope, records)?;
        let mut based_on = Vec::new();
        for rules in files {
            let judged = judged(series, &recorded, rules, &scope, &acknowledgements, now_ms);
            based_on.extend(judged.into_iter().flat_map(|watched| watched.based_on));
        }
        Ok(based_on)
    };
    let mut runs = HashSet::new();
    context.for_each_history(all, live, |of_history| {
        runs.extend(of_history);
        Ok(())
    })?;
    Ok(runs)
}

/// Every acknowledged alert, under the name by which its testbed is read.
pub(crate) fn acknowledgements(context: &CommandContext<'_>) -> Result<Vec<Acknowledgement>> {
    let testbeds = report_damage(context.store.decisions()?).testbeds;
    let mut all = report_damage(context.acceptance_file.acknowledgements()?);
    all.iter_mut().for_each(|it| it.testbed = testbeds.name_of(&it.testbed));
    Ok(all)
}

/// The records of one history.
struct RecordedHistory {
    history: History,
    /// The same history in other units and directions, which are not comparable.
    others: Vec<(Series, History)>,
    kept: StoredJudgements,
}

/// Runs that the newest ones are not comparable with, and their timeline.
type Other<'a> = (OtherRuns, &'a Series, &'a History, Timeline);

impl RecordedHistory {
    fn of(series: &Series, scope: &Scope, records: &RecordReader<'_>) -> Result<Self> {
        let history = records.course(series, usize::MAX)?;
        let others = records.in_other_units(series)?;
        let kept = if scope.reevaluate {
            StoredJudgements::default()
        } else {
            StoredJudgements::of(series, &history, records)?
        };
        Ok(Self { history, others, kept })
    }

    /// The branches of the newest runs.
    fn recent_branches(&self, limit: usize) -> BTreeSet<&str> {
        let others = self.others.iter().map(|(_, history)| history);
        let histories = others.chain([&self.history]);
        histories.flat_map(|history| recent_branches(history, limit)).collect()
    }

    /// Returns the timeline of a branch for the rules.
    fn timeline(&self, branch: &str, default_branch: &str) -> Timeline {
        let mut timeline = Timeline::of(&self.history, branch, default_branch);
        let is_own = |run: &&Run| run.revision.branch == branch && !run.is_fresh_process();
        let others = self.others.iter().flat_map(|(_, history)| &history.runs);
        let count = others.filter(is_own).count();
        timeline.set_aside.extend((count > 0).then_some((ExclusionReason::OtherUnit, count)));
        timeline.without_season()
    }

    /// Returns the timelines in other configurations, and those in other units or directions.
    fn others<'a>(
        &'a self,
        series: &'a Series,
        branch: &str,
        default_branch: &str,
    ) -> Vec<Other<'a>> {
        let history = &self.history;
        let configurations =
            Timeline::of_other_configurations(history, branch, default_branch).into_iter();
        let configurations = configurations
            .map(|it| (OtherRuns::Configuration, series, history, it.without_season()));
        let units = self.others.iter().map(|(series, history)| {
            let timeline = Timeline::of(history, branch, default_branch).without_season();
            (OtherRuns::Metric(series.metric.clone()), series, history, timeline)
        });
        configurations.chain(units).collect()
    }
}

/// Applies each matching threshold to one history, on each selected branch.
fn judged<'a>(
    series: &Series,
    recorded: &RecordedHistory,
    rules: &'a RulesFile,
    scope: &Scope,
    acknowledgements: &[Acknowledgement],
    now_ms: u64,
) -> Vec<WatchResult<'a>> {
    let RecordedHistory { history, kept, .. } = recorded;
    let suppressions = &rules.suppressions;
    let known = AlertContext { suppressions, acknowledgements, kept, now_ms };
    let branches = recorded.recent_branches(scope.limit).into_iter();
    let mut judged = Vec::new();
    for branch in branches.filter(|branch| scope.branch.matches(branch)) {
        let thresholds = rules.thresholds.iter().filter(|it| it.watches(series, branch));
        let timeline = recorded.timeline(branch, &scope.default_branch);
        let has_runs = !timeline.own.is_empty() || !timeline.set_aside.is_empty();
        let others = recorded.others(series, branch, &scope.default_branch);
        judged.extend(thresholds.filter(|_| has_runs).map(|threshold| {
            let mut watched =
                WatchResult::of(threshold, (series, history), branch, &timeline, known);
            for (runs, series, history, timeline) in &others {
                let then = WatchResult::of(threshold, (series, history), branch, timeline, known);
                watched.based_on.extend(then.based_on.iter().cloned());
                if then.is_live() {
                    watched.left_live.push(LeftAlert { runs: runs.clone(), result: then });
                }
            }
            watched
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
