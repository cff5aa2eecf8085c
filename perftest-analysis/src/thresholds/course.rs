//! The alert of one threshold on one timeline, replayed from its first run to its newest.
//!
//! Definition: each of the branch's own runs is judged by those before it, unless a finding of an earlier
//! day is kept, which then stands. The findings in their order are the life of the alert; acknowledgements
//! are applied where they were given. A branch begins from the level of its start point: where an alert was
//! live there, what came before that alert is none of its past.

use super::{Alert, AlertChange, AlertLife, Judged, Past, Rule, RunValue, Timeline};
use perftest_core::model::{Acknowledgement, Finding, Limits, RunId};
use std::collections::HashMap;

/// What a rule said of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRun {
    /// The place among the timeline's own runs.
    pub place: usize,
    /// What was said.
    pub finding: Finding,
    /// Where the value should have stayed by today's rule, as far as it has limits; of a finding of an
    /// earlier day only where it is the newest.
    pub limits: Option<Limits>,
    /// Whether the finding is of an earlier day.
    pub is_kept: bool,
}

/// What became of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The alert, where there ever was one.
    pub life: AlertLife,
    /// Each of the own runs, oldest first.
    pub judged: Vec<JudgedRun>,
    /// The place of the run that opened the alert, or opened it again.
    pub opened_by: Option<usize>,
    /// The id of the entry that acknowledges it.
    pub acknowledged_by: Option<String>,
}

impl Course {
    /// Follows a rule along a timeline, from a life without an alert. `kept` has findings of earlier days; `acknowledgements` are those of
    /// this threshold on this timeline.
    pub fn of(
        timeline: &Timeline,
        rule: &Rule,
        mut life: AlertLife,
        kept: &HashMap<RunId, Finding>,
        acknowledgements: &[&Acknowledgement],
    ) -> Self {
        let level = level(&timeline.start_point, rule, &life, kept);
        if let Some(last) = level.last() {
            life.judged(&last.label(), last.value, &Finding::Quiet);
        }
        let mut course = Self { life, judged: Vec::new(), opened_by: None, acknowledged_by: None };
        let mut before = Before::of(level);
        for (place, run) in timeline.own.iter().enumerate() {
            let judged = before.judged(run);
            let finding = kept.get(&run.run).cloned();
            let is_kept = finding.is_some();
            let finding = finding.unwrap_or_else(|| rule.judge(&judged));
            let is_asked_for = !is_kept || place + 1 == timeline.own.len();
            let limits = is_asked_for.then(|| rule.limits(&judged)).flatten();
            course.goes_on(place, run, &finding);
            course.acknowledge(&timeline.own[..=place], &timeline.own, acknowledgements);
            course.judged.push(JudgedRun { place, finding, limits, is_kept });
            before.push(run);
        }
        course
    }

    fn goes_on(&mut self, place: usize, run: &RunValue, finding: &Finding) {
        match self.life.judged(&run.label(), run.value, finding) {
            Some(AlertChange::Opened | AlertChange::Reopened) => {
                self.opened_by = Some(place);
                self.acknowledged_by = None;
            }
            Some(AlertChange::Resolved) | None => {}
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
    let is_at_commit =
        || !opened.dirty && !opened.commit.is_empty() && entry.opened_at == opened.label();
    entry.opened_by == opened.run || (is_at_commit() && is_from_elsewhere())
}

/// The newest level of a start point: nobody on a branch is blamed for a step before it.
fn level<'a>(
    start_point: &'a [RunValue],
    rule: &Rule,
    life: &AlertLife,
    kept: &HashMap<RunId, Finding>,
) -> &'a [RunValue] {
    if start_point.is_empty() {
        return start_point;
    }
    let by_itself = Timeline { own: start_point.to_vec(), ..Timeline::default() };
    let course = Course::of(&by_itself, rule, life.clone(), kept, &[]);
    let is_live = course.life.alert().is_some_and(Alert::is_live);
    &start_point[course.opened_by.filter(|_| is_live).unwrap_or(0)..]
}

/// The values before a run, and which code they are of.
struct Before<'a> {
    past: Past,
    /// The commit of the newest value.
    commit: &'a str,
    /// How many of the newest values are of it.
    repeats: usize,
}

impl<'a> Before<'a> {
    fn of(start_point: &'a [RunValue]) -> Self {
        let mut before = Self { past: Past::default(), commit: "", repeats: 0 };
        start_point.iter().for_each(|run| before.push(run));
        before
    }

    /// What is not committed judges nothing.
    fn push(&mut self, run: &'a RunValue) {
        if !run.dirty {
            self.past.push(run.past());
            let is_same = self.commit == run.commit;
            self.repeats = if is_same { self.repeats + 1 } else { 1 };
            self.commit = &run.commit;
        }
    }

    fn judged(&self, run: &RunValue) -> Judged<'_> {
        let is_same = !run.dirty && !run.commit.is_empty() && self.commit == run.commit;
        let repeats = if is_same { self.repeats } else { 0 };
        Judged { past: &self.past, repeats, value: run.value, now_ms: run.started_ms }
    }
}
