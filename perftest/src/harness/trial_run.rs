//! One perf test from its history to its record.

use super::body::run_body;
use super::confirmation_runner::ConfirmationRunner;
use super::drivers::{SeriesDriver, SmokeDriver};
use super::isolation::{Isolation, NeighbourWatch};
use super::keep_executable::keep_with_lock;
use super::loaded_history::LoadedHistory;
use super::lock;
use super::outcome_report::report_outcome;
use super::record::{FreshRuns, RecordWriter};
use super::recording::{FreshProcess, Recording, Request};
use super::rerun::rerun_command;
use super::series::{Inspected, TrialSeries};
use super::series_history::SeriesHistory;
use super::series_runner::SeriesRunner;
use super::session::{RunMode, Session, now_ms};
use super::test_context::TestContext;
use super::valgrind::ValgrindCounts;
use super::verdict::{RunWriter, judged_series};
use super::versus::{VersusRun, of_rival};
use super::worker_command::this_executable;
use crate::config::StorePlace;
use crate::event::{Event, Hindrance, JudgedSeries, MeasuredTest, TestEnd, TestReport};
use crate::measure::Failure;
use crate::perf_test::PerfTest;
use crate::provenance::entropy;
use crate::settings::Learn;
use crate::sink::Sink;
use perftest_core::judge::{MachineBaseline, Tally, falling_trend};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Environment, Evidence, Grade, MachineState, Measurement, Note, Obstacle, ProcessRecord,
    ProcessValue, Reason, Run, RunId, SeriesKind, Tag,
};
use perftest_core::words::{learned_input, one_line};
use perftest_process::{LockError, MeasuringLock};
use std::time::{Duration, Instant};

/// A test with longer measurements has no provisional baseline: its first run would take long. The
/// docs promise 20 ms, and a slow moment may lengthen the measurements.
const LONGEST_PROVISIONAL: Duration = Duration::from_millis(25);
/// Spreads the processes of a provisional baseline over about a second.
const BETWEEN_PROVISIONAL: Duration = Duration::from_millis(100);

/// Runs one perf test and reports its end. Warnings go to `sink` as they arise.
pub(crate) fn run_test(session: &Session, test: &PerfTest, sink: &mut dyn Sink) -> TestReport {
    let began = Instant::now();
    let settings = session.settings(test);
    let end = match (session.run_mode(test), test.rival().zip(test.rival_name())) {
        (RunMode::Smoke(why), _) => smoke(session, test, why),
        (RunMode::Refuse(why), _) => TestEnd::Failed(why.to_owned()),
        (RunMode::Measure, Some((rival, rival_name))) => {
            let run = VersusRun { session, test, rival: &rival, rival_name, settings };
            run.run(sink).unwrap_or_else(TestEnd::Failed)
        }
        (RunMode::Measure, None) => {
            let lock = lock::acquire_lock(test, sink);
            // The wait for other processes is no time of the test.
            let began = Instant::now();
            TestContext { session, test, settings, began }.run(lock, sink)
        }
    };
    let report = TestReport {
        name: test.listed_name(),
        benchmark: test.benchmark(),
        again: rerun_command(session, test),
        place: test.place.to_string(),
        end,
        spent: began.elapsed(),
    };
    if let Some(Hindrance { obstacle, .. }) = report.hindrance()
        && session.session_notes().is_new(obstacle)
    {
        sink.take(&Event::Warning(&format!(
            "{}: {}",
            report.name,
            one_line(&obstacle.to_string())
        )));
    }
    session.totals().add(&report, || session.source_of(test));
    if let Some(file) = &session.config.outcomes {
        report_outcome(test, &report, file, sink);
    }
    report
}

fn smoke(session: &Session, test: &PerfTest, why: &'static str) -> TestEnd {
    let settings = session.settings(test);
    let timeout =
        if test.build.optimised { settings.timeout.value } else { settings.unoptimised_timeout() };
    let run = |test: &PerfTest| {
        run_body(session, test, timeout, &mut SmokeDriver { meter: session.meter(test) })
    };
    let rival = test.rival().zip(test.rival_name());
    let run_rival = |(rival, name)| run(&rival).map_err(|failure| of_rival(name, &failure));
    match run(test).and_then(|_| rival.map_or(Ok(Vec::new()), run_rival)) {
        Ok(_) => TestEnd::Smoke(why),
        Err(failure) => TestEnd::Failed(failure.to_string()),
    }
}

/// Whether a series is red, not decided, or passes only by an acceptance.
fn is_not_cleared((_, run): &(&TrialSeries, Run)) -> bool {
    let is_open = |it: &Evidence| it.reason.leaves_code_open();
    run.was_let_pass() || run.evidence.as_ref().is_some_and(is_open)
}

/// The measurements and verdicts of all series.
struct Measured {
    /// Batches before the first measurement.
    warm_up: Vec<Measurement>,
    /// Batches after the last one.
    afterwards: Vec<Measurement>,
    recording: Recording,
    /// The verdict on the whole.
    evidence: Evidence,
    further: Vec<TrialSeries>,
    without_verdict: Vec<(String, String)>,
    /// Why the history of a further series could not be read.
    unreadable: Option<String>,
}

impl Measured {
    /// The batches of this process with the size of a measurement, in their order.
    fn course(&self) -> Vec<Measurement> {
        let mut course = self.recording.course(&self.warm_up);
        course.extend(&self.afterwards);
        course
    }

    /// The iterations for the count of instructions, if the last good build has run. A red may stand on the pairs of an
    /// earlier attempt.
    fn counted_iterations(&self) -> Option<u64> {
        let has_run = self.recording.fresh.iter().any(|it| it.base.is_some());
        (has_run && self.evidence.paired_result.is_some()).then_some(self.recording.iterations)
    }
}

impl TestContext<'_> {
    fn run(&self, lock: Result<MeasuringLock, LockError>, sink: &mut dyn Sink) -> TestEnd {
        match self.judge(lock, sink) {
            Ok(judged) => TestEnd::Judged(Box::new(judged)),
            Err(Failure::History(why)) => {
                TestEnd::Unjudged(self.hindrance(Obstacle::UnreadableHistory(why)))
            }
            Err(failure) => TestEnd::Failed(failure.to_string()),
        }
    }

    /// # Errors
    /// A history that cannot be read, or the failure of the body.
    fn judge(
        &self,
        lock: Result<MeasuringLock, LockError>,
        sink: &mut dyn Sink,
    ) -> Result<MeasuredTest, Failure> {
        let started_ms = now_ms();
        let (known, before) = self.history_at_speed(sink)?;
        let neighbours = self.watched_neighbours();
        let mut confirming =
            ConfirmationRunner::new(self.session, self.test, &known, lock.is_ok(), self.began);
        let measured = self.measure(&known, &before, &mut confirming, sink)?;
        let neighbours_worked = neighbours.is_some_and(|it| it.saw_work());
        let inspected = Inspected::of(&SeriesKind::Whole, &known, &measured.recording.own);
        let inspected = inspected.ok_or(Failure::NothingMeasured)?;
        let tally = inspected.tally();
        let mut environment = self.environment(before, &known, &measured, &tally);
        if lock.is_err() {
            environment.mark(Tag::Parallel);
        }
        let mut obstacles = self.obstacles(lock.as_ref().err().map(lock::obstacle), &measured);
        if measured.evidence.reason.is_good() {
            confirming.renew_last_good_build();
        }
        let base = confirming.close(measured.counted_iterations());
        let writer = RunWriter {
            context: self,
            id: RunId::new(now_ms(), entropy()),
            started_ms,
            recording: &measured.recording,
            environment: &environment,
            neighbours_worked,
            other_process_measured: matches!(lock, Err(LockError::Held { .. })),
            tally: &tally,
            warm_up: measured.warm_up.len() as u32,
            base: &base,
            obstacles: &obstacles,
        };
        let recorded = MachineBaseline::before(&known.own.baseline);
        let (series_kind, evidence) = (SeriesKind::Whole, measured.evidence.clone());
        let whole = TrialSeries { series_kind, known, tolerance: None, evidence };
        let further = measured.further.iter().map(|it| {
            let inspected = Inspected::of(&it.series_kind, &it.known, &measured.recording.own);
            (it, inspected.unwrap_or_default())
        });
        let all = [(&whole, inspected)].into_iter().chain(further);
        let mut judged: Vec<(&TrialSeries, Run)> =
            all.map(|(series, inspected)| (series, writer.run_of(series, inspected))).into_list();
        let has_unread = measured.unreadable.is_some();
        if has_unread || judged[1..].iter().any(is_not_cleared) {
            judged[0].1.flags.push(Run::SERIES_NOT_CLEARED.to_owned());
        }
        let provisional = self.provisional(&judged[0], &measured.recording, lock.is_ok());
        // Other tests of this process keep out what it measured, and not what fresh processes did alone.
        let count_alone = judged.iter().map(|(series, run)| {
            run.counts_for_baseline || writer.has_work_of_neighbours(&series.series_kind)
        });
        let count_alone = count_alone.into_list();
        let are_good = judged.iter().zip(&count_alone).all(|((series, run), counts)| {
            let is_good = run.reason().is_some_and(Reason::is_good);
            is_good && (*counts || series.known.own.baseline.has_good_build(&run.code))
        });
        let may_be_base = are_good && !has_unread;
        if may_be_base && self.session.config.is_nextest && lock.is_ok() {
            keep_with_lock(self.session, self.test, sink);
        } else if may_be_base {
            self.session.found_good();
        }
        drop(lock);
        self.record(&mut judged, &count_alone, &measured.recording, &provisional, &mut obstacles);
        self.report_conditions(&environment, &tally, &recorded, sink);
        if let Some(evidence) = &judged[0].1.evidence {
            self.session.session_notes().count(&environment, &tally, evidence.reason);
        }
        self.warn_of_gaps(&whole, sink);
        self.measured_test(&judged, measured.without_verdict.clone(), environment, obstacles)
    }

    /// Loads what the test is compared with, and the state of the machine on the kind of core that it needs.
    fn history_at_speed(
        &self,
        sink: &mut dyn Sink,
    ) -> Result<(LoadedHistory, MachineState), Failure> {
        let main = SeriesHistory::load(self.session, self.test, sink).map_err(Failure::History)?;
        let _on_one_kind = self.session.stay_on(main.baseline.core_kind);
        let mut before = self.session.look();
        let known = LoadedHistory::at_speed(main, self.session, self.test, &mut before, sink);
        Ok((known.map_err(Failure::History)?, before))
    }

    /// Records all series, with what fresh processes measured. `count_alone` has which series have no work of other tests
    /// in their fresh processes. What prevents a record becomes the first obstacle.
    fn record(
        &self,
        judged: &mut [(&TrialSeries, Run)],
        count_alone: &[bool],
        recording: &Recording,
        provisional: &[FreshProcess],
        obstacles: &mut Vec<Obstacle>,
    ) {
        for ((series, run), count_for_baseline) in judged.iter_mut().zip(count_alone) {
            let noted = run.evidence.as_ref().map(|it| it.notes.clone());
            let is_confirmed = series.evidence.processes > 1;
            let afresh = if provisional.is_empty() {
                let processes = if is_confirmed { recording.fresh.as_slice() } else { &[] };
                FreshRuns { processes, mark: Run::CONFIRMING, count_for_baseline: false }
            } else {
                note_provisional(run, provisional.len());
                let count_for_baseline = *count_for_baseline;
                FreshRuns { processes: provisional, mark: Run::PROVISIONAL, count_for_baseline }
            };
            let recorder = RecordWriter::new(self, &series.series_kind, series.tolerance);
            if let Err(obstacle) = recorder.keep(run, series, &afresh) {
                if let Some((evidence, noted)) = run.evidence.as_mut().zip(noted) {
                    // The promise for the next run depends on the record.
                    evidence.notes = noted;
                    evidence.notes.push(Note::Hindered { obstacle: obstacle.clone() });
                }
                // With a graver obstacle the run would not have counted.
                obstacles.insert(0, obstacle);
            }
        }
    }

    /// Puts the series together, the gravest first.
    fn measured_test(
        &self,
        judged: &[(&TrialSeries, Run)],
        without_verdict: Vec<(String, String)>,
        environment: Environment,
        obstacles: Vec<Obstacle>,
    ) -> Result<MeasuredTest, Failure> {
        let Run { testbed, revision, counts_for_baseline, .. } = &judged[0].1;
        let all_series: Vec<JudgedSeries> =
            judged.iter().filter_map(|(series, run)| judged_series(self, series, run)).into_list();
        let hinders = |it: &Obstacle| all_series.iter().any(|one| one.evidence.is_hindered_by(it));
        let hindrance = obstacles.into_iter().find(hinders).map(|it| self.hindrance(it));
        let (gravest, others) =
            JudgedSeries::gravest_and_others(all_series).ok_or(Failure::NothingMeasured)?;
        Ok(MeasuredTest {
            gravest,
            others,
            without_verdict,
            testbed: testbed.clone(),
            revision: revision.clone(),
            environment,
            counts_for_baseline: *counts_for_baseline,
            hindrance,
        })
    }

    /// Watches other tests of this process, where a series has their work, too. A look takes time.
    fn watched_neighbours(&self) -> Option<NeighbourWatch> {
        let mut judged = self.test.metrics.iter().filter_map(|name| SeriesKind::built_in(name));
        let has_their_work = judged.any(|it| it.has_work_of_process());
        has_their_work.then(|| NeighbourWatch::start(self.session.isolation))
    }

    /// What may prevent a verdict, or a record that counts.
    fn obstacles(&self, no_lock: Option<Obstacle>, measured: &Measured) -> Vec<Obstacle> {
        let standing = &self.provenance().standing;
        let is_kept = self.session.config.store != StorePlace::Off;
        let unknown = standing.trouble.clone().filter(|_| is_kept).map(Obstacle::UnknownCommit);
        let is_dirty = standing.revision.dirty && self.session.config.ci.is_present();
        let changed = (is_dirty && self.session.records()).then_some(Obstacle::ChangedFiles);
        let no_process =
            measured.recording.unavailable().map(|why| Obstacle::NoFreshProcess(why.to_owned()));
        let unreadable = measured.unreadable.clone().map(Obstacle::UnreadableHistory);
        let all = [unknown, unreadable, no_lock, no_process, changed];
        all.into_iter().flatten().into_list()
    }

    /// Measures fresh processes of a test that has no baseline run at all, if they are short and
    /// will count: the next run then has a verdict.
    fn provisional(
        &self,
        (series, run): &(&TrialSeries, Run),
        recording: &Recording,
        is_alone_on_machine: bool,
    ) -> Vec<FreshProcess> {
        let is_first = series.evidence.lacks_baseline()
            && series.known.own.baseline.centers.is_empty()
            && run.counts_for_baseline;
        let is_wanted = self.settings.learn.value == Learn::AtOnce && self.session.records();
        if !(is_first && is_wanted) || recording.usual_batch() > LONGEST_PROVISIONAL {
            return Vec::new();
        }
        let (known, began) = (&series.known, self.began);
        let confirming =
            ConfirmationRunner::new(self.session, self.test, known, is_alone_on_machine, began);
        let request = Request {
            pause: BETWEEN_PROVISIONAL,
            measurements: series.evidence.measurements,
            iterations: recording.iterations,
            longest_batch: recording.longest_batch(),
        };
        let counts = |process: &ProcessRecord| {
            let inspected = Inspected::of(&series.series_kind, &series.known, process);
            inspected.is_some_and(|it| !it.tally().leaves_no_level())
        };
        confirming.provisional(&request, series.evidence.baseline_needed as usize - 1, counts)
    }

    /// The conditions of the run with their consequences.
    fn environment(
        &self,
        before: MachineState,
        known: &LoadedHistory,
        measured: &Measured,
        tally: &Tally,
    ) -> Environment {
        let mut environment = self.conditions(before, known, tally);
        if self.session.isolation == Isolation::Neighbours {
            environment.mark(Tag::Parallel);
        }
        // On a busy machine times fall and rise for other reasons.
        let is_quiet = environment.grade() < Grade::Suspect;
        let trend = falling_trend(&measured.course()).filter(|_| is_quiet);
        if let Some(trend) = trend {
            environment.mark(Tag::LearnedInput);
            let name = self.test.listed_name();
            let sentence = learned_input(trend.early, trend.late);
            self.session.session_notes().add_note(format!("{name}: {sentence}"));
        }
        environment
    }

    fn measure(
        &self,
        known: &LoadedHistory,
        before: &MachineState,
        confirming: &mut ConfirmationRunner<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Measured, Failure> {
        let mut runner = SeriesRunner::new(self, known, before, confirming, sink);
        let meter = self.session.meter(self.test);
        let budget = self.settings.budget.value;
        let mut driver = SeriesDriver {
            meter,
            budget,
            runner: &mut runner,
            core_kind: known.own.baseline.core_kind,
            warm_up: Vec::new(),
            afterwards: Vec::new(),
        };
        let own = run_body(self.session, self.test, self.settings.timeout.value, &mut driver)?;
        let (warm_up, afterwards) = (driver.warm_up, driver.afterwards);
        let counted = self.counted_by_valgrind(&runner.recording)?;
        runner.recording.own.values.extend(counted);
        runner.judge_values(own)?;
        let SeriesRunner { recording, evidence, further, without_verdict, unreadable, .. } = runner;
        let evidence = evidence.ok_or(Failure::NothingMeasured)?;
        Ok(Measured {
            warm_up,
            afterwards,
            recording,
            evidence,
            further,
            without_verdict,
            unreadable,
        })
    }

    /// Counts the instructions of an iteration, if valgrind has to.
    fn counted_by_valgrind(&self, recording: &Recording) -> Result<Option<ProcessValue>, Failure> {
        let Some(valgrind) = ValgrindCounts::of(self.session, self.test) else {
            return Ok(None);
        };
        let Recording { iterations, .. } = *recording;
        let names = self.test.names();
        let counted = this_executable()
            .and_then(|it| valgrind.count(&it, names, iterations, recording.longest_batch()));
        counted.map(Some).map_err(|why| {
            Failure::Series(format!(
                "`instructions` cannot be judged because the processor counts none, and valgrind \
                 failed: {why}. Or take it out of `metrics`"
            ))
        })
    }

    /// Warns of what prevents a verdict; the end of the session prints the rest.
    fn report_conditions(
        &self,
        environment: &Environment,
        tally: &Tally,
        usual: &MachineBaseline,
        sink: &mut dyn Sink,
    ) {
        let cpus = self.session.machine().cpus();
        let warnings = self.session.session_notes().enter(environment, tally, usual, cpus);
        warnings.iter().for_each(|warning| sink.take(&Event::Warning(warning)));
    }
}

/// Notes on a first run that the next one will have a verdict, if the processes suffice for one.
fn note_provisional(run: &mut Run, processes: usize) {
    let counted = processes + usize::from(run.counts_for_baseline);
    let suffices = |it: &&mut Evidence| counted >= it.baseline_needed as usize;
    if let Some(evidence) = run.evidence.as_mut().filter(suffices) {
        evidence.notes.push(Note::MeasuredForBaseline { processes: processes as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::super::recording::BaseProcess;
    use super::*;
    use perftest_store::conformance::example_run;

    #[test]
    fn instructions_are_counted_beside_a_last_good_build_that_ran_in_this_attempt() {
        let mut measured = Measured {
            warm_up: Vec::new(),
            afterwards: Vec::new(),
            recording: Recording::default(),
            evidence: example_run(0).evidence.unwrap(),
            further: Vec::new(),
            without_verdict: Vec::new(),
            unreadable: None,
        };
        measured.recording.iterations = 7;
        assert!(measured.evidence.paired_result.is_some());
        assert_eq!(measured.counted_iterations(), None, "those pairs are of another attempt");
        let (id, record) = (RunId::new(0, 0), ProcessRecord::default);
        let (run, commit) = (id.clone(), String::new());
        let base = BaseProcess { run, commit, dirty: false, record: record() };
        measured.recording.fresh.push(FreshProcess {
            id,
            judged: record(),
            base: Some(base),
            others_cpus: None,
            elapsed: Duration::ZERO,
        });
        assert_eq!(measured.counted_iterations(), Some(7));
    }
}
