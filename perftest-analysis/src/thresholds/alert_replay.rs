//! The alert of one threshold on one timeline, replayed from its first run to its newest.
//!
//! Definition: each run of the branch is judged by those before it, unless a stored result exists, which then
//! counts. A run that the machine may have slowed down has no result, not even a stored one. The results in their
//! order give the life of the alert; acknowledgements are applied at their place. While an alert waits for more alarms,
//! further alarms of the same commit change nothing and are no past: they repeat the measurement of one build, and its
//! runs alone would fill the window before another commit is judged. A branch begins from the level of
//! its start point: if an alert was open there, only the values since that alert count. The suspects are all
//! commits within the [places](place_of_change) at which the level may have changed, by the values around the run
//! that opened the alert: from the previous alert up to the end of this one.

use super::{
    Alert, AlertChange, AlertLife, AlertState, JudgedValue, Opening, PastValues, Rule, RunValue,
    Timeline,
};
use crate::detect::place_of_change;
use crate::verdicts::{RunCode, Suspects};
use perftest_core::model::{Acknowledgement, Limits, RuleResult, RunId};
use std::collections::HashMap;

/// Number of runs before the last good one that are kept with an alert: by them the place of its change is found. A
/// convention.
const RUNS_BEFORE: usize = 20;

/// The result of a rule for one run.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRun {
    /// The index in the timeline's own runs.
    pub place: usize,
    /// The result.
    pub finding: RuleResult,
    /// The limits of the value by today's rule, if it has limits; for a stored result only if it is
    /// the newest.
    pub limits: Option<Limits>,
    /// Whether the result was stored earlier.
    pub is_kept: bool,
}

/// The replay of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertReplay {
    /// The state of the alert.
    pub life: AlertLife,
    /// The results of the own runs, oldest first.
    pub judged: Vec<JudgedRun>,
    /// The index of the run that opened the alert, or reopened it.
    pub opened_by: Option<usize>,
    /// The id of the entry that acknowledges it.
    pub acknowledged_by: Option<String>,
    /// The ids of all entries that acknowledged it since it was opened, oldest first: a further step reopens an
    /// acknowledged alert, so a later entry depends on the earlier ones.
    pub ever_acknowledged_by: Vec<String>,
    /// The commits that may have caused it.
    pub suspects: Option<Suspects>,
    /// The commits that may have caused the further step that last reopened it.
    pub further: Option<Suspects>,
    /// The first commit with values back, followed by `+` if files differed.
    pub resolved_since: Option<String>,
    /// The runs that a live alert is based on, oldest first: without one of them the replay may have another alert.
    /// Empty without a live alert.
    pub based_on: Vec<RunId>,
}

impl AlertReplay {
    /// Applies a rule along a timeline, starting without an alert. `kept` are stored results;
    /// `acknowledgements` are those of this threshold on this timeline.
    pub fn of(
        timeline: &Timeline,
        rule: &Rule,
        mut life: AlertLife,
        kept: &HashMap<RunId, RuleResult>,
        acknowledgements: &[&Acknowledgement],
    ) -> Self {
        let level = level(&timeline.start_point, rule, &life, kept);
        if let Some(last) = level.last() {
            life.judged(level.len() - 1, last.value, &RuleResult::Quiet, || None);
        }
        let failing = life.failing();
        let mut course = Self::begun(life);
        let mut before = PrecedingRuns::of(level);
        // Indices at which alerts were opened and resolved.
        let mut turns = Vec::new();
        let newest = timeline.own.iter().rposition(|run| run.moved_to.is_none());
        for (place, run) in timeline.own.iter().enumerate() {
            let in_all = level.len() + place;
            let judged = JudgedValue { failing, ..before.judged(run) };
            let stored = kept.get(&run.run).filter(|_| run.moved_to.is_none());
            let is_kept = stored.is_some();
            let finding = stored.cloned().unwrap_or_else(|| rule.judge(&judged));
            let life = &mut course.life;
            let change = if let Some(side) = run.moved_to {
                life.moved_by_machine(in_all, run.value, side, &finding)
            } else {
                let is_asked_for = !is_kept || newest == Some(place);
                let limits = is_asked_for.then(|| rule.limits(&judged)).flatten();
                let change = if judged.repeats > 0 && life.waits_after(&finding) {
                    None
                } else {
                    let change = life.judged(in_all, run.value, &finding, || rule.limits(&judged));
                    before.push(run);
                    change
                };
                course.judged.push(JudgedRun { place, finding, limits, is_kept });
                change
            };
            if let Some(AlertChange::Opened | AlertChange::Reopened) = change {
                course.opened_by = Some(place);
                course.acknowledged_by = None;
            }
            if change == Some(AlertChange::Opened) {
                course.ever_acknowledged_by.clear();
            }
            turns.extend(course.turned_at(change));
            course.acknowledge(&timeline.own[..=place], &timeline.own, acknowledgements);
        }
        course.suspect(level, &timeline.own, &turns);
        if let Some(alert) = course.life.alert().filter(|alert| alert.is_live()) {
            let last_good = alert.opened.after.unwrap_or(alert.opened.at);
            let since = last_good.saturating_sub(RUNS_BEFORE);
            let runs = level.iter().chain(&timeline.own).skip(since);
            course.based_on = runs.map(|run| run.run.clone()).collect();
        }
        course
    }

    /// Returns the index at which the level changed, by a change of the alert.
    fn turned_at(&self, change: Option<AlertChange>) -> Option<usize> {
        let alert = self.life.alert()?;
        match (change?, &alert.state) {
            (AlertChange::Resolved, AlertState::Resolved { since }) => Some(*since),
            (AlertChange::Opened, _) => Some(alert.opened.at),
            _ => None,
        }
    }

    /// Finds the suspected commits, after all values are known.
    fn suspect(&mut self, level: &[RunValue], own: &[RunValue], turns: &[usize]) {
        let Some(alert) = self.life.alert() else { return };
        let runs: Vec<&RunValue> = level.iter().chain(own).collect();
        let codes: Vec<RunCode> = runs.iter().map(|run| run.code.clone()).collect();
        let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        let suspects = |opening: Opening, from: usize| {
            let to = turns.iter().find(|turn| **turn > opening.at).copied();
            let place =
                place_of_change(&values[from..to.unwrap_or(values.len())], opening.at - from);
            // A run in line is no suspect, and a run without a result is one. Commits before the
            // branch are no suspects.
            let not_judged = opening.after.map_or(0, |after| after + 1);
            let earliest = (from + place.start()).min(not_judged).max(level.len());
            let latest = (from + place.end()).min(values.len() - 1);
            Suspects::at(&codes, earliest..=latest)
        };
        let before = turns.iter().rfind(|turn| **turn < alert.opened.at).copied();
        let first = suspects(alert.opened, before.unwrap_or(0));
        let further = alert.again.map(|again| suspects(again, alert.opened.at));
        let resolved_since = match &alert.state {
            AlertState::Resolved { since } => Some(codes[*since].label()),
            AlertState::Open | AlertState::Acknowledged(_) => None,
        };
        (self.suspects, self.further) = (Some(first), further);
        self.resolved_since = resolved_since;
    }

    fn begun(life: AlertLife) -> Self {
        Self {
            life,
            judged: Vec::new(),
            opened_by: None,
            acknowledged_by: None,
            ever_acknowledged_by: Vec::new(),
            suspects: None,
            further: None,
            resolved_since: None,
            based_on: Vec::new(),
        }
    }

    /// Applies an acknowledgement. One that was given after an unknown run holds at once.
    fn acknowledge(
        &mut self,
        so_far: &[RunValue],
        all: &[RunValue],
        acknowledgements: &[&Acknowledgement],
    ) {
        let is_open = self.life.alert().is_some_and(Alert::is_open);
        let Some(opened) = self.opened_by.map(|place| &so_far[place]).filter(|_| is_open) else {
            return;
        };
        let has = |runs: &[RunValue], id: &RunId| runs.iter().any(|run| run.run == *id);
        let is_due = |it: &&&Acknowledgement| {
            is_of(it, opened, all) && (has(so_far, &it.given_after) || !has(all, &it.given_after))
        };
        let mut applies =
            |it: &&&Acknowledgement| self.life.acknowledge_value(&it.reason, it.value);
        let applied = acknowledgements.iter().filter(is_due).find(&mut applies);
        self.acknowledged_by = applied.map(|it| it.id.clone());
        self.ever_acknowledged_by.extend(self.acknowledged_by.clone());
    }
}

/// Returns whether an entry is for the alert that this run opened on a branch with these runs.
fn is_of(entry: &Acknowledgement, opened: &RunValue, own: &[RunValue]) -> bool {
    let is_from_elsewhere = || own.iter().all(|run| run.run != entry.opened_by);
    // With uncommitted changes the commit does not identify the code.
    let is_at_commit = || {
        !opened.code.is_dirty
            && !opened.code.commit.is_empty()
            && entry.opened_at == opened.code.label()
    };
    entry.opened_by == opened.run || (is_at_commit() && is_from_elsewhere())
}

/// Returns the newest level of a start point: a step before it is not the branch's.
fn level<'a>(
    start_point: &'a [RunValue],
    rule: &Rule,
    life: &AlertLife,
    kept: &HashMap<RunId, RuleResult>,
) -> &'a [RunValue] {
    if start_point.is_empty() {
        return start_point;
    }
    let by_itself = Timeline { own: start_point.to_vec(), ..Timeline::default() };
    let course = AlertReplay::of(&by_itself, rule, life.clone(), kept, &[]);
    let is_live = course.life.alert().is_some_and(Alert::is_live);
    &start_point[course.opened_by.filter(|_| is_live).unwrap_or(0)..]
}

/// The values before a run, and their code.
struct PrecedingRuns<'a> {
    past: PastValues,
    /// The commit of the newest value.
    commit: &'a str,
    /// Number of the newest values of this commit.
    repeats: usize,
}

impl<'a> PrecedingRuns<'a> {
    fn of(start_point: &'a [RunValue]) -> Self {
        let mut before = Self { past: PastValues::default(), commit: "", repeats: 0 };
        start_point.iter().for_each(|run| before.push(run));
        before
    }

    /// Runs of uncommitted code, and those that the machine may have slowed down, do not count for later ones.
    fn push(&mut self, run: &'a RunValue) {
        if !run.code.is_dirty && run.moved_to.is_none() {
            self.past.push(run.past());
            let is_same = self.commit == run.code.commit;
            self.repeats = if is_same { self.repeats + 1 } else { 1 };
            self.commit = &run.code.commit;
        }
    }

    fn judged(&self, run: &RunValue) -> JudgedValue<'_> {
        let RunCode { commit, is_dirty, started_ms, .. } = &run.code;
        let is_same = !is_dirty && !commit.is_empty() && self.commit == commit;
        let repeats = if is_same { self.repeats } else { 0 };
        let now_ms = *started_ms;
        JudgedValue { past: &self.past, repeats, value: run.value, now_ms, failing: None }
    }
}
