//! The alert of one threshold on one timeline, replayed from its first run to its newest.
//!
//! Definition: each of the branch's own runs is judged by those before it, unless a finding of an earlier
//! day is kept, which then stands. The findings in their order are the life of the alert; acknowledgements
//! are applied where they were given. A branch begins from the level of its start point: where an alert was
//! live there, what came before that alert is none of its past. The suspects are all commits within the
//! [places](place_of_change) at which the level may have changed, by the values about the run that opened the
//! alert: from the alert before, up to the end of this one.

use super::{
    Alert, AlertChange, AlertLife, AlertState, JudgedValue, Opening, PastValues, Rule, RunValue,
    Timeline,
};
use crate::detect::place_of_change;
use crate::verdicts::{RunCode, Suspects};
use perftest_core::model::{Acknowledgement, Limits, RuleResult, RunId};
use std::collections::HashMap;

/// What a rule said of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRun {
    /// The place among the timeline's own runs.
    pub place: usize,
    /// What was said.
    pub finding: RuleResult,
    /// Where the value should have stayed by today's rule, as far as it has limits; of a finding of an
    /// earlier day only where it is the newest.
    pub limits: Option<Limits>,
    /// Whether the finding is of an earlier day.
    pub is_kept: bool,
}

/// What became of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertReplay {
    /// The alert, where there ever was one.
    pub life: AlertLife,
    /// Each of the own runs, oldest first.
    pub judged: Vec<JudgedRun>,
    /// The place of the run that opened the alert, or opened it again.
    pub opened_by: Option<usize>,
    /// The id of the entry that acknowledges it.
    pub acknowledged_by: Option<String>,
    /// Which commits it may come from.
    pub suspects: Option<Suspects>,
    /// Which commits may have brought the further step that opened it again for the last time.
    pub further: Option<Suspects>,
    /// The commit since which the values are back, with a `+` behind it where files differed.
    pub resolved_since: Option<String>,
}

impl AlertReplay {
    /// Follows a rule along a timeline, from a life without an alert. `kept` has findings of earlier days; `acknowledgements` are those of
    /// this threshold on this timeline.
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
        let mut course = Self::begun(life);
        let mut before = PrecedingRuns::of(level);
        // Where alerts were opened and resolved.
        let mut turns = Vec::new();
        for (place, run) in timeline.own.iter().enumerate() {
            let judged = before.judged(run);
            let finding = kept.get(&run.run).cloned();
            let is_kept = finding.is_some();
            let finding = finding.unwrap_or_else(|| rule.judge(&judged));
            let is_asked_for = !is_kept || place + 1 == timeline.own.len();
            let limits = is_asked_for.then(|| rule.limits(&judged)).flatten();
            let in_all = level.len() + place;
            let change = course.life.judged(in_all, run.value, &finding, || rule.limits(&judged));
            if let Some(AlertChange::Opened | AlertChange::Reopened) = change {
                course.opened_by = Some(place);
                course.acknowledged_by = None;
            }
            turns.extend(course.turned_at(change));
            course.acknowledge(&timeline.own[..=place], &timeline.own, acknowledgements);
            course.judged.push(JudgedRun { place, finding, limits, is_kept });
            before.push(run);
        }
        course.suspect(level, &timeline.own, &turns);
        course
    }

    /// Where the level changed, as a change of the alert shows.
    fn turned_at(&self, change: Option<AlertChange>) -> Option<usize> {
        let alert = self.life.alert()?;
        match (change?, &alert.state) {
            (AlertChange::Resolved, AlertState::Resolved { since }) => Some(*since),
            (AlertChange::Opened, _) => Some(alert.opened.at),
            _ => None,
        }
    }

    /// Finds out which commits are suspected, now that all values are known.
    fn suspect(&mut self, level: &[RunValue], own: &[RunValue], turns: &[usize]) {
        let Some(alert) = self.life.alert() else { return };
        let runs: Vec<&RunValue> = level.iter().chain(own).collect();
        let codes: Vec<RunCode> = runs.iter().map(|run| run.code.clone()).collect();
        let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        let suspects = |opening: Opening, from: usize| {
            let to = turns.iter().find(|turn| **turn > opening.at).copied();
            let place =
                place_of_change(&values[from..to.unwrap_or(values.len())], opening.at - from);
            // A run that was judged to be in order decides nothing; one that could not be judged is
            // suspected. Nobody on a branch is blamed for a step before it.
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
            suspects: None,
            further: None,
            resolved_since: None,
        }
    }

    /// An entry that was given after a run that is not here was given somewhere else: it holds at once.
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
    }
}

/// Whether an entry speaks of the alert that this run opened on a branch with these runs.
fn is_of(entry: &Acknowledgement, opened: &RunValue, own: &[RunValue]) -> bool {
    let is_from_elsewhere = || own.iter().all(|run| run.run != entry.opened_by);
    // Of what is not committed the commit tells nothing.
    let is_at_commit = || {
        !opened.code.is_dirty
            && !opened.code.commit.is_empty()
            && entry.opened_at == opened.code.label()
    };
    entry.opened_by == opened.run || (is_at_commit() && is_from_elsewhere())
}

/// The newest level of a start point: nobody on a branch is blamed for a step before it.
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

/// The values before a run, and which code they are of.
struct PrecedingRuns<'a> {
    past: PastValues,
    /// The commit of the newest value.
    commit: &'a str,
    /// How many of the newest values are of it.
    repeats: usize,
}

impl<'a> PrecedingRuns<'a> {
    fn of(start_point: &'a [RunValue]) -> Self {
        let mut before = Self { past: PastValues::default(), commit: "", repeats: 0 };
        start_point.iter().for_each(|run| before.push(run));
        before
    }

    /// What is not committed judges nothing.
    fn push(&mut self, run: &'a RunValue) {
        if !run.code.is_dirty {
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
        JudgedValue { past: &self.past, repeats, value: run.value, now_ms: *started_ms }
    }
}
