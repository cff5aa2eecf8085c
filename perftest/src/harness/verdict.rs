//! From the evidence on one series to its run.

use super::confirmation_runner::BaseSide;
use super::crowding::crowding;
use super::drift;
use super::panel::Series;
use super::record::{baseline_hash, indices};
use super::tape::Tape;
use super::trial_run::TrialRun;
use crate::event::JudgedSeries;
use perftest_core::judge::{Condition, Inspector, MachineBaseline, Tally};
use perftest_core::model::{
    BaselineRule, Environment, Evidence, ExplanatoryMetric, Measurement, NotCounted, Note,
    Obstacle, Outcome, Reason, Run, RunId, SeriesKind, Verdict,
};

/// What all series of one run have in common.
pub(super) struct Common<'a> {
    pub id: RunId,
    pub started_ms: u64,
    pub tape: &'a Tape,
    pub environment: &'a Environment,
    /// Of the whole: it tells of the machine.
    pub tally: &'a Tally,
    /// Batches before the first measurement.
    pub warm_up: u32,
    pub own_code: &'a str,
    pub base: &'a BaseSide,
    pub obstacles: &'a [Obstacle],
}

impl TrialRun<'_> {
    /// The run of a series, judged in the light of its conditions, and decided whether it teaches.
    pub(super) fn run_of(&self, series: &Series, common: &Common<'_>) -> Run {
        let Series { series_kind, known, tolerance, .. } = series;
        let recorder = self.recorder(series_kind, *tolerance);
        let measurements = series_kind.of_process(&common.tape.own).unwrap_or_default();
        let conditions = conditions(series, &measurements);
        let mut run = Run {
            id: common.id.clone(),
            started_ms: common.started_ms,
            own_code: common.own_code.to_owned(),
            formerly: known.query.as_ref().and_then(|query| query.formerly.clone()),
            acceptance: known.acceptance().map(|it| it.id.clone()),
            flags: recorder.flags(),
            warm_up: common.warm_up,
            suspects: indices(&conditions, |it| !it.is_usable()),
            on_processor_time: indices(&conditions, |it| it == Condition::OnProcessorTime),
            measurements,
            environment: common.environment.clone(),
            baseline: baseline_hash(&known.baseline),
            evidence: Some(self.judged(series, common)),
            ..recorder.blank_run(&known.testbed, series_kind)
        };
        run.counts_for_baseline = recorder.may_count_for_baseline(known, common.tally, &run);
        self.note_that_it_does_not_count(&mut run);
        run
    }

    /// Whoever waits for a baseline has to know that this run brings it no nearer.
    fn note_that_it_does_not_count(&self, run: &mut Run) {
        let lineage = &self.session.provenance(self.test).standing.lineage;
        if run.counts_for_baseline || !self.session.records() {
            return;
        }
        let because = if run.attempt > 1 {
            NotCounted::Retry
        } else if !BaselineRule::trusts(run, lineage) {
            NotCounted::OtherBranch
        } else {
            NotCounted::EnoughOfThisCode
        };
        // What else limits its use is noted already.
        let waits = |it: &&mut Evidence| it.reason == Reason::NoBaseline && it.notes.is_empty();
        if let Some(evidence) = run.evidence.as_mut().filter(waits) {
            evidence.notes.push(Note::NotCounted { because });
        }
    }

    /// The evidence with what the trial could not know.
    fn judged(&self, series: &Series, common: &Common<'_>) -> Evidence {
        let Series { series_kind, known, tolerance, .. } = series;
        // A whole process may well have used no time of a kind.
        let floor = match series_kind {
            SeriesKind::Whole | SeriesKind::Stage(_) => {
                self.policy(series_kind, *tolerance).floor.value
            }
            _ => 0.0,
        };
        let evidence = series.evidence.clone().measurable_from(floor);
        // The state of the machine now does not take back what an earlier attempt has proven, and
        // changes nothing of what does not depend on it.
        let is_red = evidence.reason.verdict() == Verdict::Red;
        let stands =
            known.continued().is_some() && is_red || series_kind.metric().is_deterministic();
        let evidence = if stands { evidence } else { evidence.under(common.environment) };
        let mut evidence = if self.test.ratchet { evidence.ratcheted() } else { evidence };
        evidence.same_own_code = evidence.reason == Reason::Red
            && !common.own_code.is_empty()
            && known.newest_run().is_some_and(|run| run.own_code == common.own_code);
        if let Some(paired_result) = &mut evidence.paired_result {
            paired_result.commit = common.base.commit.clone();
            paired_result.instructions =
                common.base.instructions.filter(|_| *series_kind == SeriesKind::Whole);
        }
        if *series_kind == SeriesKind::Whole {
            let baseline = known.history.members(&known.baseline);
            evidence.explanatory_metrics = ExplanatoryMetric::all(&common.tape.own, baseline);
        }
        let notes = self.notes_on_use(&evidence, series, common);
        evidence.notes.extend(notes);
        evidence
    }

    /// What limits the use of the run, and whether the test has drifted, or its last good build could
    /// not run.
    fn notes_on_use(&self, evidence: &Evidence, series: &Series, common: &Common<'_>) -> Vec<Note> {
        let Series { series_kind, known, tolerance, .. } = series;
        let policy = self.policy(series_kind, *tolerance);
        let limit = self.limit(series_kind, common.tally);
        let store = self.session.store(self.test).ok().flatten();
        let direction = series_kind.metric().direction;
        let drifted = store
            .filter(|_| evidence.degradation.is_some())
            .and_then(|store| drift::note(store, known, direction, &policy));
        let trouble = common.base.trouble.clone().filter(|_| evidence.processes > 1);
        let fails = self.settings.outcome(evidence.reason) == Outcome::Failed;
        let strict = (fails && evidence.reason == Reason::Unclear).then_some(Note::UnclearFails);
        // The trial itself has noted that no fresh process could be measured.
        let is_new = |it: &&Obstacle| {
            it.hinders(evidence.reason) && !matches!(it, Obstacle::NoFreshProcess(_))
        };
        let obstacle = common.obstacles.iter().find(is_new);
        let hindered = obstacle.map(|it| Note::Hindered { obstacle: it.clone() });
        let crowded = crowding(self.session, self.test);
        [limit, crowded, trouble, drifted, strict, hindered].into_iter().flatten().collect()
    }

    /// What is told of a series.
    pub(super) fn judged_series(&self, series: &Series, run: &Run) -> Option<JudgedSeries> {
        let evidence = run.evidence.clone()?;
        Some(JudgedSeries {
            name: series.series_kind.name(),
            is_stage: matches!(series.series_kind, SeriesKind::Stage(_)),
            outcome: self.settings.outcome(evidence.reason),
            evidence,
            metric: run.metric.clone(),
            work: self.test.work.filter(|_| series.series_kind == SeriesKind::Whole),
        })
    }

    /// What limits the use of the run.
    fn limit(&self, series_kind: &SeriesKind, tally: &Tally) -> Option<Note> {
        let is_disturbed = tally.leaves_no_level() && !series_kind.metric().is_deterministic();
        match (self.session.records(), is_disturbed) {
            (false, _) => Some(Note::NothingRecorded),
            (true, true) => Some(Note::NotCountedDisturbed),
            (true, false) => None,
        }
    }
}

/// The conditions of these measurements, by what is usual in the history of the series. At another
/// speed the history says nothing of what is usual now.
pub(super) fn conditions(series: &Series, measurements: &[Measurement]) -> Vec<Condition> {
    let usual = MachineBaseline::in_baseline(&series.known.comparable());
    Inspector::new(usual).inspect_all(measurements)
}
