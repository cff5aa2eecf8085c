//! One threshold on one history, on one branch.

use super::{AlertStatus, StatusReason, StoredJudgements};
use crate::rules::{Suppression, ThresholdRule, is_worse};
use perftest_analysis::detect::Season;
use perftest_analysis::thresholds::{
    Alert, AlertLife, AlertReplay, AlertState, ExclusionReason, IgnoredName, JudgedRun, RunValue,
    Timeline,
};
use perftest_analysis::verdicts::Suspects;
use perftest_core::model::{
    Acknowledgement, History, Judgement, LimitSide, Metric, RuleResult, Run, RunId,
};
use perftest_store::Series;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::iter;

/// The result of a threshold on a history. It keeps only the runs that are shown, because a check
/// covers thousands of histories.
#[derive(Debug, Clone)]
pub(crate) struct WatchResult<'a> {
    pub(crate) threshold: &'a ThresholdRule,
    pub(crate) series: Series,
    pub(crate) branch: String,
    /// Number of runs of the branch that count.
    pub(crate) runs: usize,
    /// Whether there are runs that count, and none is of committed code.
    pub(crate) is_uncommitted: bool,
    /// Number of runs of the branch that are set aside, by reason.
    pub(crate) set_aside: BTreeMap<ExclusionReason, usize>,
    /// The newest run that counts, with or without a result.
    pub(crate) newest: Option<RunValue>,
    /// The run that opened the alert, or reopened it.
    pub(crate) opened_by: Option<RunValue>,
    /// The id of the entry that acknowledges the alert.
    pub(crate) acknowledged_by: Option<String>,
    /// The ids of all entries that acknowledged the alert since it was opened.
    ever_acknowledged_by: Vec<String>,
    /// The commits that may have caused the alert.
    pub(crate) suspects: Option<Suspects>,
    /// The commits that may have caused the further step that reopened it.
    pub(crate) further: Option<Suspects>,
    /// The first commit with values back at their level.
    pub(crate) resolved_since: Option<String>,
    /// The pattern that was removed from the values.
    pub(crate) season: Option<Season>,
    /// The runs cover too few weeks for a weekly pattern.
    pub(crate) is_too_short_for_season: bool,
    /// The result for the newest run.
    pub(crate) newest_judged: Option<JudgedRun>,
    /// Number of runs with an earlier, stored result.
    pub(crate) judged_before: usize,
    /// The runs that an alert is based on which is not over.
    pub(super) based_on: Vec<RunId>,
    /// New results, to be stored.
    pub(super) new_judgements: Vec<Judgement>,
    life: AlertLife,
    pub(crate) status: AlertStatus,
    /// Why it is acknowledged, suppressed or unjudged.
    pub(crate) reason: Option<StatusReason>,
    /// Whether the result of the newest run is from an earlier version of the rule.
    pub(crate) is_by_earlier_rule: bool,
    /// Live alerts of runs that the newest ones are not comparable with.
    pub(super) left_live: Vec<LeftAlert<'a>>,
    /// Whether the newest run of the branch is an imported one.
    pub(crate) is_imported: bool,
}

/// A live alert that the newest runs do not continue, because they are not comparable with its runs.
#[derive(Debug, Clone)]
pub(super) struct LeftAlert<'a> {
    pub(super) runs: OtherRuns,
    pub(super) result: WatchResult<'a>,
}

/// Runs that the newest ones are not comparable with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OtherRuns {
    /// Those of another configuration.
    Configuration,
    /// Those in the unit and direction of this metric.
    Metric(Metric),
}

/// Facts about alerts besides the rules.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlertContext<'a> {
    pub suppressions: &'a [Suppression],
    pub acknowledgements: &'a [Acknowledgement],
    pub kept: &'a StoredJudgements,
    pub now_ms: u64,
}

impl<'a> WatchResult<'a> {
    pub(super) fn of(
        threshold: &'a ThresholdRule,
        (series, history): (&Series, &History),
        branch: &str,
        timeline: &Timeline,
        known: AlertContext<'_>,
    ) -> Self {
        let is_meant = |it: &&Acknowledgement| is_of(it, threshold, series, branch);
        let acknowledgements: Vec<&Acknowledgement> =
            known.acknowledgements.iter().filter(is_meant).collect();
        let course = AlertReplay::of(
            timeline,
            &threshold.rule,
            life(threshold, series),
            &known.kept.findings(&threshold.name),
            &acknowledgements,
        );
        let present = threshold.model(known.now_ms).version;
        let version = |run: &RunValue| known.kept.version(&threshold.name, &run.run);
        let own = &timeline.own;
        let counting = || own.iter().filter(|run| run.moved_to.is_none());
        let newest = counting().next_back();
        let is_by_earlier_rule = newest.and_then(version).is_some_and(|version| version != present);
        let mut watched = Self {
            is_by_earlier_rule,
            threshold,
            series: series.clone(),
            branch: branch.to_owned(),
            runs: counting().count(),
            is_uncommitted: newest.is_some() && counting().all(|run| run.code.is_dirty),
            set_aside: timeline.set_aside.clone(),
            newest: newest.cloned(),
            opened_by: course.opened_by.map(|place| own[place].clone()),
            judged_before: course.judged.iter().filter(|it| it.is_kept).count(),
            new_judgements: new_judgements(&course, timeline, threshold, series, known.now_ms),
            newest_judged: course.judged.into_iter().next_back(),
            acknowledged_by: course.acknowledged_by,
            ever_acknowledged_by: course.ever_acknowledged_by,
            based_on: course.based_on,
            suspects: course.suspects,
            further: course.further,
            resolved_since: course.resolved_since,
            is_too_short_for_season: timeline.is_too_short_for_season,
            season: timeline.season.clone(),
            life: course.life,
            status: AlertStatus::Quiet,
            reason: None,
            left_live: Vec::new(),
            is_imported: newest_of(history, branch).is_some_and(Run::is_imported),
        };
        (watched.status, watched.reason) = watched.status(watched.suppressed(history, known));
        watched
    }

    pub(crate) fn is_open(&self) -> bool {
        self.status == AlertStatus::Open
    }

    /// Whether there is an alert that is not over, also where it is acknowledged or suppressed.
    pub(super) fn is_live(&self) -> bool {
        self.alert().is_some_and(Alert::is_live)
    }

    /// The runs of the first alert that is left open.
    pub(crate) fn left_open(&self) -> Option<&OtherRuns> {
        self.left_live.iter().find(|it| it.result.is_open()).map(|it| &it.runs)
    }

    /// This result and those of alerts that are left open, without those that are not open.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Self> {
        self.with_left().filter(|it| it.is_open())
    }

    fn with_left(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(self.left_live.iter().map(|it| &it.result))
    }

    /// The alert, open or resolved.
    pub(crate) fn alert(&self) -> Option<&Alert> {
        self.life.alert()
    }

    /// How many times worse the newest value is than the level before the alert; below 1 is better.
    pub(crate) fn degradation(&self) -> Option<f64> {
        self.exact_degradation().filter(|it| it.is_finite())
    }

    /// The same, infinite where the level before the alert was 0.
    fn exact_degradation(&self) -> Option<f64> {
        let ratio = self.newest.as_ref()?.value / self.alert()?.baseline;
        Some(self.series.metric.direction.degradation(ratio))
    }

    /// Returns whether the values became worse.
    pub(crate) fn is_worse(&self) -> bool {
        self.alert().is_some_and(|it| is_worse(it.side, self.series.metric.direction))
    }

    /// Orders by status, then by how much worse the values are.
    pub(super) fn worst_first(one: &Self, other: &Self) -> Ordering {
        let much = |it: &Self| it.exact_degradation().filter(|it| !it.is_nan()).unwrap_or(0.0);
        one.status.cmp(&other.status).then(much(other).total_cmp(&much(one)))
    }

    /// Returns whether the result needs a line: an alert that is not over, or an improvement that
    /// the rule still reports.
    pub(crate) fn is_news(&self) -> bool {
        let newest = self.newest_judged.as_ref().map(|it| &it.finding);
        match self.status {
            AlertStatus::Open | AlertStatus::Acknowledged | AlertStatus::Suppressed => true,
            AlertStatus::Improved => matches!(newest, Some(RuleResult::Alarm { .. })),
            AlertStatus::Waiting
            | AlertStatus::Resolved
            | AlertStatus::Quiet
            | AlertStatus::Unjudged => false,
        }
    }

    /// Returns whether an entry is for this history and matches no alert, or no longer.
    pub(super) fn leaves_idle(&self, entry: &Acknowledgement) -> bool {
        let holds = |it: &Self| it.is_live() && it.ever_acknowledged_by.contains(&entry.id);
        !self.with_left().any(holds) && is_of(entry, self.threshold, &self.series, &self.branch)
    }

    /// Number of alarms in a row that are too few for an alert.
    pub(super) fn waiting_alarms(&self) -> usize {
        self.life.waiting_alarms()
    }

    /// Number of values in a row that are back and too few to resolve the alert.
    pub(super) fn returned_values(&self) -> usize {
        self.life.returned_values()
    }

    /// Returns the status with its reason.
    fn status(&self, suppressed: Option<StatusReason>) -> (AlertStatus, Option<StatusReason>) {
        let newest = self.newest_judged.as_ref().map(|it| &it.finding);
        if self.waiting_alarms() > 0 && !self.is_live() {
            return (AlertStatus::Waiting, None);
        }
        match (self.alert().map(|alert| (alert, &alert.state)), newest) {
            (None | Some((_, AlertState::Resolved { .. })), Some(RuleResult::Unjudged(why))) => {
                (AlertStatus::Unjudged, Some(StatusReason::OfRule(why.clone())))
            }
            (None, None) => (AlertStatus::Unjudged, Some(StatusReason::AllSetAside)),
            (None, Some(_)) => (AlertStatus::Quiet, None),
            (Some((_, AlertState::Resolved { .. })), _) => (AlertStatus::Resolved, None),
            (Some((alert, _)), _)
                if !self.threshold.fails(alert.side, self.series.metric.direction) =>
            {
                (AlertStatus::Improved, None)
            }
            (Some((_, AlertState::Acknowledged(it))), _) => {
                (AlertStatus::Acknowledged, Some(StatusReason::Given(it.reason.clone())))
            }
            (Some((_, AlertState::Open)), _) if suppressed.is_some() => {
                (AlertStatus::Suppressed, suppressed)
            }
            (Some((_, AlertState::Open)), _) => (AlertStatus::Open, None),
        }
    }

    /// Why alerts are suppressed here: by the rules, by the test's attribute, or by its name.
    fn suppressed(&self, history: &History, known: AlertContext<'_>) -> Option<StatusReason> {
        let Self { series, branch, threshold, .. } = self;
        let by_rule = known
            .suppressions
            .iter()
            .find(|it| !it.is_over(known.now_ms) && it.covers(series, branch, &threshold.name));
        let newest = newest_of(history, branch);
        let reports_only =
            || newest.is_some_and(|run| run.flags.iter().any(|it| it == Run::ON_RED_REPORT));
        by_rule
            .map(|it| StatusReason::Given(it.reason.clone()))
            .or_else(|| reports_only().then_some(StatusReason::ReportsOnly))
            .or_else(|| is_ignored(series).then_some(StatusReason::IgnoredName))
    }
}

/// Returns the newest run of a branch.
fn newest_of<'a>(history: &'a History, branch: &str) -> Option<&'a Run> {
    let is_own = |run: &&Run| run.revision.branch == branch && !run.is_fresh_process();
    history.runs.iter().rev().find(is_own)
}

/// Returns today's results. A run that could not be judged today may be judged later.
fn new_judgements(
    course: &AlertReplay,
    timeline: &Timeline,
    threshold: &ThresholdRule,
    series: &Series,
    now_ms: u64,
) -> Vec<Judgement> {
    let is_new = |it: &&JudgedRun| !it.is_kept && !matches!(it.finding, RuleResult::Unjudged(_));
    let model = threshold.model(now_ms).version;
    let judgement = |judged: &JudgedRun| {
        let run = &timeline.own[judged.place];
        Judgement {
            run: run.run.clone(),
            benchmark: series.benchmark.clone(),
            testbed: series.testbed.clone(),
            metric: series.metric.name.clone(),
            threshold: threshold.name.clone(),
            model: model.clone(),
            value: run.recorded,
            limits: judged.limits,
            finding: judged.finding.clone(),
            judged_ms: now_ms,
        }
    };
    course.judged.iter().filter(is_new).map(judgement).collect()
}

/// Returns the state of a threshold before any alert.
fn life(threshold: &ThresholdRule, series: &Series) -> AlertLife {
    let life =
        AlertLife::resolved_after(threshold.resolve_after).opened_after(threshold.open_after);
    match [LimitSide::Lower, LimitSide::Upper]
        .map(|side| threshold.fails(side, series.metric.direction))
    {
        [true, false] => life.failing_on(LimitSide::Lower),
        [false, true] => life.failing_on(LimitSide::Upper),
        [true, true] | [false, false] => life,
    }
}

fn is_of(
    entry: &Acknowledgement,
    threshold: &ThresholdRule,
    series: &Series,
    branch: &str,
) -> bool {
    let is_its_name =
        entry.benchmark == series.benchmark || series.formerly.as_ref() == Some(&entry.benchmark);
    is_its_name
        && entry.threshold == threshold.name
        && entry.metric == series.metric.name
        && entry.testbed == series.testbed
        && entry.branch == branch
}

/// Returns whether the function or a case has a suffix that mutes it; a stage follows its
/// test.
fn is_ignored(series: &Series) -> bool {
    let whole = series.benchmark.as_str().split('/').next().unwrap_or_default();
    whole.split("::").any(|part| IgnoredName::of(part).is_ignored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::BenchmarkId;

    #[test]
    fn a_name_is_muted_with_its_cases_and_stages() {
        let is_ignored = |name: &str| {
            is_ignored(&Series {
                benchmark: BenchmarkId::from_recorded(name),
                formerly: None,
                testbed: String::new(),
                metric: Metric::wall(),
            })
        };
        for name in ["a::b_bencher_ignore", "a::b_bencher_ignore::64", "a::b_bencher_ignore/lex"] {
            assert!(is_ignored(name), "{name}");
        }
        for name in ["a::b", "a::bencher_ignore_b", "a::b/lex_bencher_ignore"] {
            assert!(!is_ignored(name), "{name}");
        }
    }
}
