//! From the evidence on one series to its run.

use super::confirmation_runner::BaseSide;
use super::crowding::crowding;
use super::drift;
use super::record::RecordWriter;
use super::recording::Recording;
use super::series::{Inspected, TrialSeries};
use super::test_context::TestContext;
use crate::event::JudgedSeries;
use perftest_core::judge::{Tally, metric_changes};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Environment, Evidence, ExplanatoryMetric, NotCounted, Note, Obstacle, Outcome, Reason, Run,
    RunId, SeriesKind, Verdict,
};
use perftest_store::Digest;

/// Makes a run from the verdict on each series and from what all series of the test share.
pub(super) struct RunWriter<'a> {
    pub context: &'a TestContext<'a>,
    pub id: RunId,
    pub started_ms: u64,
    pub recording: &'a Recording,
    pub environment: &'a Environment,
    /// Whether other tests of this process worked meanwhile.
    pub neighbours_worked: bool,
    /// Whether another process held the measuring lock, and may have measured meanwhile.
    pub other_process_measured: bool,
    /// The tally of the whole, which describes the machine.
    pub tally: &'a Tally,
    /// Batches before the first measurement.
    pub warm_up: u32,
    pub base: &'a BaseSide,
    pub obstacles: &'a [Obstacle],
}

impl RunWriter<'_> {
    /// Makes the run of a series with its conditions, and decides whether it counts for the
    /// baseline.
    pub(super) fn run_of(&self, series: &TrialSeries, inspected: Inspected) -> Run {
        let TrialSeries { series_kind, known, tolerance, .. } = series;
        let stands = series.stands_on_any_machine();
        let recorder = RecordWriter::new(self.context, series_kind, *tolerance);
        let run = inspected.recorded_in(Run {
            id: self.id.clone(),
            started_ms: self.started_ms,
            formerly: known.own.query.as_ref().and_then(|query| query.formerly.clone()),
            acceptance: known.own.acceptance().map(|it| it.id.clone()),
            flags: recorder.flags(),
            warm_up: self.warm_up,
            environment: self.environment.clone(),
            baseline: Digest::of_baseline(&known.own.baseline).hex16(),
            evidence: Some(self.judged(series)),
            ..recorder.blank_run(&known.own.testbed, series_kind)
        });
        let mut run = if stands {
            Run { counts_for_baseline: true, ..run }
        } else {
            self.tally.applied_to(run)
        };
        let why_not_alone = if self.has_work_of_neighbours(series_kind) {
            Some(NotCounted::Neighbours)
        } else {
            (self.other_process_measured && !stands).then_some(NotCounted::OtherProcess)
        };
        let why_not_alone = why_not_alone.filter(|_| run.attempt <= 1);
        let why_not_alone = why_not_alone.map(|because| Note::NotCounted { because });
        let why_not = why_not_alone.or_else(|| recorder.why_not_counted(known, &run));
        run.counts_for_baseline = why_not.is_none();
        if let Some(why_not) = why_not.filter(|_| self.context.session.records()) {
            note_not_counted(&mut run, why_not);
        }
        run
    }

    /// Whether the values of the series have the work of other tests of this process.
    pub(super) fn has_work_of_neighbours(&self, series_kind: &SeriesKind) -> bool {
        self.neighbours_worked && series_kind.has_work_of_process()
    }

    /// Adds to the evidence what the trial could not know.
    fn judged(&self, series: &TrialSeries) -> Evidence {
        let TrialSeries { series_kind, known, tolerance, .. } = series;
        let floor = self.context.shortest_measurable(series_kind, *tolerance);
        let evidence = series.evidence.clone().measurable_from(floor);
        // The present state of the machine does not cancel a red that an earlier attempt confirmed,
        // and does not matter for values that are independent of it.
        let is_red = evidence.reason.verdict() == Verdict::Red;
        let stands = known.own.continued().is_some() && is_red || series.stands_on_any_machine();
        let evidence = if stands { evidence } else { evidence.under(self.environment) };
        let mut evidence =
            if self.context.settings.fails_improved() { evidence.ratcheted() } else { evidence };
        let level = &known.of_good_builds().baseline;
        let pairs = self.recording.pairs_at(level);
        // A red that stands without new pairs has what is known of those before.
        let base = self.recording.base_at(level);
        if let Some((paired_result, base)) = evidence.paired_result.as_mut().zip(base) {
            paired_result.commit.clone_from(&base.commit);
            paired_result.dirty = base.dirty;
            paired_result.instructions =
                self.base.instructions.filter(|_| *series_kind == SeriesKind::Whole);
            if evidence.reason == Reason::Red {
                paired_result.changes = metric_changes(&pairs);
            }
        }
        if *series_kind == SeriesKind::Whole {
            let newest_first = known.own.baseline.runs.iter().rev();
            let baseline = newest_first
                .filter_map(|run| run.evidence.as_ref())
                .flat_map(|evidence| &evidence.explanatory_metrics);
            evidence.explanatory_metrics = ExplanatoryMetric::all(&self.recording.own, baseline);
        }
        let notes = self.notes_on_use(&evidence, series);
        evidence.notes.extend(notes);
        evidence
    }

    /// Notes what limits the use of the run, a drift of the test, and a last good build that could
    /// not run.
    fn notes_on_use(&self, evidence: &Evidence, series: &TrialSeries) -> Vec<Note> {
        let TrialSeries { series_kind, known, tolerance, .. } = series;
        let policy = self.context.policy(series_kind, *tolerance);
        let limit = self.limit(series, evidence);
        let store = self.context.session.store(self.context.test).ok().flatten();
        let direction = series_kind.metric().direction;
        let lineage = &self.context.provenance().standing.lineage;
        let drifted = store
            .filter(|_| evidence.degradation.is_some())
            .and_then(|store| drift::note(store, &known.own, lineage, direction, &policy));
        // Another series may have had pairs with another build.
        let unusable = self.base.unusable.as_ref().filter(|_| evidence.paired_result.is_none());
        let trouble = unusable.or(self.base.uncounted.as_ref());
        let lacks_it = |note: &Note| matches!(note, Note::NoLastGoodBuild { .. });
        let asked_for_it = evidence.processes > 1 || evidence.notes.iter().any(lacks_it);
        let trouble = trouble.filter(|_| asked_for_it).cloned();
        let fails = self.context.settings.outcome(evidence.reason) == Outcome::Failed;
        let strict = (fails && evidence.reason.is_without_answer()).then_some(Note::UnclearFails);
        // The trial has already noted that no fresh process could be measured, and a series without a history has a line.
        let is_noted = |it: &Obstacle| {
            matches!(it, Obstacle::NoFreshProcess(_) | Obstacle::UnreadableHistory(_))
        };
        let is_new = |it: &&Obstacle| evidence.is_hindered_by(it) && !is_noted(it);
        let may_be_placement = evidence.may_be_placement(&series_kind.metric());
        let placement = may_be_placement.then(|| self.not_aligned()).flatten();
        let obstacle = self.obstacles.iter().find(is_new);
        let hindered = obstacle.map(|it| Note::Hindered { obstacle: it.clone() });
        let crowded = crowding(self.context.session, self.context.test);
        let notes = [limit, crowded, trouble, drifted, strict, placement, hindered];
        notes.into_iter().flatten().into_list()
    }

    /// Notes that the functions of this executable are not aligned.
    fn not_aligned(&self) -> Option<Note> {
        let aligned = self.context.session.functions_aligned(self.context.test).get();
        (aligned == Some(false)).then_some(Note::FunctionsNotAligned)
    }

    /// What limits the use of the run.
    fn limit(&self, series: &TrialSeries, evidence: &Evidence) -> Option<Note> {
        let is_level = self.tally.is_level_of(evidence.reason) || series.stands_on_any_machine();
        let by_ratio = evidence.value_by_ratio(series.series_kind.metric().direction);
        match (self.context.session.records(), is_level, by_ratio) {
            (false, _, _) => Some(Note::NothingRecorded),
            (true, true, _) => None,
            (true, false, Some(_)) => Some(Note::CountedByRatio),
            (true, false, None) => Some(Note::NotCountedDisturbed),
        }
    }
}

/// Notes on a run that does not count that its ratio does not either, and why: a user who waits for a baseline has to
/// know that. An improvement without a value to count by is only disturbed.
fn note_not_counted(run: &mut Run, why: Note) {
    let has_ratio = run.counts_by_ratio();
    let Some(evidence) = &mut run.evidence else { return };
    for note in evidence.notes.iter_mut().filter(|note| **note == Note::CountedByRatio) {
        *note = if has_ratio { why.clone() } else { Note::NotCountedDisturbed };
    }
    if evidence.lacks_baseline() && !evidence.notes.iter().any(explains_no_count) {
        evidence.notes.push(why);
    }
}

/// Whether a note explains why its run does not count for the baseline.
fn explains_no_count(note: &Note) -> bool {
    matches!(note, Note::NotCountedDisturbed | Note::Hindered { .. })
}

/// Returns a series in the form of the report.
pub(super) fn judged_series(
    context: &TestContext<'_>,
    series: &TrialSeries,
    run: &Run,
) -> Option<JudgedSeries> {
    let evidence = run.evidence.clone()?;
    Some(JudgedSeries {
        series_kind: series.series_kind.clone(),
        outcome: context.settings.outcome(evidence.reason),
        evidence,
        work: context.test.work.filter(|_| series.series_kind == SeriesKind::Whole),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::loaded_history::LoadedHistory;
    use crate::harness::recorded_test::RecordedTest;
    use crate::harness::series_history::SeriesHistory;
    use perftest_core::judge::Condition;
    use perftest_core::model::{InstructionCounter, Measurement, Metric};
    use perftest_store::conformance::example_run;
    use std::time::Instant;

    /// Uses a writer for this attempt of a test that has measured nothing else.
    fn with_writer<T>(name: &str, attempt: u32, use_it: impl FnOnce(RunWriter<'_>) -> T) -> T {
        let recorded = RecordedTest::new(name);
        let (session, test) = (recorded.session(attempt), &recorded.test);
        let (settings, began) = (session.settings(test), Instant::now());
        let context = TestContext { session: &session, test, settings, began };
        use_it(RunWriter {
            context: &context,
            id: example_run(0).id,
            started_ms: 0,
            recording: &Recording::default(),
            environment: &Environment::default(),
            neighbours_worked: false,
            other_process_measured: false,
            tally: &Tally::default(),
            warm_up: 0,
            base: &BaseSide { instructions: None, unusable: None, uncounted: None },
            obstacles: &[],
        })
    }

    fn series(writer: &RunWriter<'_>, series_kind: SeriesKind, reason: Reason) -> TrialSeries {
        let testbed = &writer.context.session.machine().testbed;
        let known = LoadedHistory::alone(SeriesHistory::nothing(testbed));
        let evidence = Evidence { reason, ..example_run(0).evidence.unwrap() };
        TrialSeries { series_kind, known, tolerance: None, evidence }
    }

    #[test]
    fn a_red_that_stands_without_new_pairs_has_the_last_good_build_of_those_before() {
        with_writer("verdict-standing", 2, |writer| {
            let series = series(&writer, SeriesKind::Whole, Reason::Red);
            let before = series.evidence.paired_result.clone();
            assert_eq!(before.as_ref().map(|it| it.commit.as_str()), Some("a1b2c3d4"));
            assert_eq!(writer.judged(&series).paired_result, before);
        });
    }

    #[test]
    fn a_time_that_was_measured_beside_another_process_does_not_count_and_says_why() {
        with_writer("verdict-no-lock", 1, |writer| {
            let counts = |writer: &RunWriter<'_>, kind: SeriesKind| {
                let series = series(writer, kind, Reason::NoBaseline);
                let run = writer.run_of(&series, Inspected::default());
                let why = Note::NotCounted { because: NotCounted::OtherProcess };
                let says_why = run.evidence.unwrap().notes.contains(&why);
                assert_ne!(run.counts_for_baseline, says_why);
                run.counts_for_baseline
            };
            let tally = Tally::of(&[Measurement::of_value(1e5); 20], &[Condition::Clean; 20]);
            let writer = RunWriter { tally: &tally, ..writer };
            assert!(counts(&writer, SeriesKind::Whole));
            let writer = RunWriter { other_process_measured: true, ..writer };
            assert!(!counts(&writer, SeriesKind::Whole));
            let instructions = Metric::instructions(InstructionCounter::Valgrind);
            assert!(counts(&writer, SeriesKind::Process(instructions)), "on any machine the same");
        });
    }

    fn noted_on(run: Run, reason: Reason, note: Note, why: Note) -> Vec<Note> {
        let evidence = run.evidence.map(|it| Evidence { reason, notes: vec![note], ..it });
        let mut run = Run { evidence, ..run };
        note_not_counted(&mut run, why);
        run.evidence.unwrap().notes
    }

    fn noted(reason: Reason, note: Note, why: Note) -> Vec<Note> {
        noted_on(example_run(0), reason, note, why)
    }

    #[test]
    fn the_ratio_of_a_disturbed_improvement_that_does_not_count_is_not_said_to_count() {
        let why = || Note::NotCounted { because: NotCounted::Retry };
        let by_ratio = Run { flags: vec![Run::BY_RATIO.to_owned()], ..example_run(0) };
        let notes = noted_on(by_ratio, Reason::Improved, Note::CountedByRatio, why());
        assert_eq!(notes, [why()]);
        let notes = noted(Reason::Improved, Note::CountedByRatio, why());
        assert_eq!(notes, [Note::NotCountedDisturbed], "nothing was there to count");
    }

    #[test]
    fn who_waits_for_a_baseline_reads_why_a_run_does_not_count() {
        let why = || Note::NotCountedEvent { event: "parent_pipeline".into() };
        let limits = || Note::LearnedOnProcessorTime;
        assert_eq!(noted(Reason::NoBaseline, limits(), why()), [limits(), why()]);
        assert_eq!(noted(Reason::Green, limits(), why()), [limits()]);
        let disturbed = || Note::NotCountedDisturbed;
        assert_eq!(noted(Reason::NoBaseline, disturbed(), why()), [disturbed()]);
    }

    #[test]
    fn what_limits_a_value_does_not_explain_why_its_run_does_not_count() {
        let took_turns = Note::TooFewProcessors { threads: 4, processors: 2.0 };
        assert!(!explains_no_count(&took_turns));
        assert!(!explains_no_count(&Note::LearnedOnProcessorTime));
        assert!(explains_no_count(&Note::NotCountedDisturbed));
        assert!(explains_no_count(&Note::Hindered { obstacle: Obstacle::ChangedFiles }));
    }
}
