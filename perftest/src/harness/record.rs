//! From a measured test to its record.

use super::isolation::Isolation;
use super::loaded_history::LoadedHistory;
use super::recording::FreshProcess;
use super::series::{Inspected, TrialSeries};
use super::series_history::SeriesHistory;
use super::session::now_ms;
use super::test_context::TestContext;
use crate::provenance::entropy;
use perftest_core::judge::Policy;
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, BaselineRule, Evidence, NotCounted, Note, Obstacle, Reason, Run, RunId, SeriesKind,
    Tolerance,
};
use perftest_store::Annotation;

/// The fresh processes that belong to a run.
pub(super) struct FreshRuns<'a> {
    pub processes: &'a [FreshProcess],
    /// The purpose of the measurements: [`Run::CONFIRMING`] or [`Run::PROVISIONAL`].
    pub mark: &'static str,
    /// Whether those that are steady count for the baseline.
    pub count_for_baseline: bool,
}

/// Writes the runs of one series of a test.
pub(super) struct RecordWriter<'a> {
    context: &'a TestContext<'a>,
    policy: Policy,
}

impl<'a> RecordWriter<'a> {
    /// Returns a recorder of a series, which may have a tolerance of its own.
    pub(super) fn new(
        context: &'a TestContext<'a>,
        series_kind: &SeriesKind,
        tolerance: Option<Tolerance>,
    ) -> Self {
        Self { context, policy: context.policy(series_kind, tolerance) }
    }

    /// Returns why the run may not enter a baseline; `None` as far as its conditions allow that, its provenance is known and
    /// allows it too, it was long enough to be measured, it did not pass through a temporary acceptance, and it awaits
    /// none.
    pub(super) fn why_not_counted(&self, known: &LoadedHistory, run: &Run) -> Option<Note> {
        let standing = &self.context.provenance().standing;
        let is_for_a_time = known.own.acceptance().is_some_and(Acceptance::is_temporary);
        let is_borrowed = is_for_a_time && run.was_let_pass();
        // In a young part at another speed only pairs judge: what they were refused for is no level.
        let is_unjudged = |it: &Evidence| {
            known.is_young_part()
                && it.paired_result.is_none()
                && matches!(it.reason, Reason::NotAlone | Reason::Unclear)
        };
        let is_barred = |it: &Evidence| {
            matches!(it.reason, Reason::Unaccepted | Reason::NotMeasurable) || is_unjudged(it)
        };
        let may_count = run.counts_for_baseline
            && standing.trouble.is_none()
            && !is_borrowed
            && !run.evidence.as_ref().is_some_and(is_barred);
        let SeriesHistory { history, baseline, .. } = &known.own;
        let (rule, acceptance) = (BaselineRule::default(), known.own.acceptance());
        let why = rule.why_not_counted(history, baseline, acceptance, &standing.lineage, run);
        // Further notes describe its conditions. Under an acceptance that ends no run counts, by its ratio or not.
        let otherwise = match is_borrowed {
            true => Note::NotCountedDisturbed,
            false => Note::NotCounted { because: NotCounted::EnoughOfThisCode },
        };
        why.or((!may_count).then_some(otherwise))
    }

    /// Further marks of a run.
    pub(super) fn flags(&self) -> Vec<String> {
        let libtest =
            (self.context.session.isolation == Isolation::Neighbours).then(|| "libtest".into());
        let ratchet =
            self.context.settings.fails_improved().then(|| Run::ON_IMPROVED_FAIL.to_owned());
        let report_only =
            self.context.settings.only_reports().then(|| Run::ON_RED_REPORT.to_owned());
        [libtest, ratchet, report_only].into_iter().flatten().into_list()
    }

    /// Returns a run of the series on `testbed` with everything that does not depend on the measurements.
    pub(super) fn blank_run(&self, testbed: &str, series_kind: &SeriesKind) -> Run {
        let TestContext { session, test, .. } = self.context;
        let provenance = self.context.provenance();
        let id = RunId::new(now_ms(), entropy());
        let benchmark = series_kind.benchmark(&test.benchmark());
        Run {
            session: session.id.clone(),
            attempt: session.config.attempt,
            project: provenance.project.name.clone(),
            source: Some(session.source_of(test)),
            testbed: session.machine().testbed_at_speed_of(testbed),
            context: session.context(test).hash.clone(),
            config: session.config_hash(test),
            code: session.code(test).clone(),
            started_ms: now_ms(),
            revision: provenance.standing.revision.clone(),
            ci: session.config.ci.name.clone(),
            rule: self.policy.rule(),
            max_measurements: self.policy.max_measurements,
            curve: self.policy.curve.points().to_vec(),
            spent_ns: self.context.began.elapsed().as_nanos() as u64,
            budget_ns: self.policy.budget_ns,
            ..Run::blank(id, benchmark, series_kind.metric())
        }
    }

    /// Writes the run of a series, and its fresh processes if it was confirmed in them.
    ///
    /// # Errors
    /// The reason if the run could not be written.
    pub(super) fn keep(
        &self,
        run: &Run,
        series: &TrialSeries,
        afresh: &FreshRuns<'_>,
    ) -> Result<(), Obstacle> {
        let TestContext { session, test, .. } = self.context;
        if !session.records() {
            return Ok(());
        }
        let store = session.store(test).map_err(Obstacle::UnwritableHistory)?;
        let Some(store) = store else {
            return Ok(());
        };
        let fresh_runs = afresh.processes.iter().filter_map(|process| {
            let inspected = Inspected::of(&series.series_kind, &series.known, &process.judged)?;
            let is_steady = !inspected.tally().leaves_no_level();
            Some(inspected.recorded_in(Run {
                id: process.id.clone(),
                environment: run.environment.clone(),
                flags: vec![afresh.mark.to_owned()],
                acceptance: run.acceptance.clone(),
                counts_for_baseline: afresh.count_for_baseline && is_steady,
                ..self.blank_run(&run.testbed, &series.series_kind)
            }))
        });
        let runs = fresh_runs.chain([run.clone()]);
        let context = session.context(test);
        store
            .annotate(Annotation::Context { hash: &context.hash, json: &context.json })
            .and_then(|()| runs.into_iter().try_for_each(|run| store.append(&run)))
            .map_err(|error| Obstacle::UnwritableHistory(error.to_string()))
    }
}
