//! Fresh processes of this executable, alone or side by side with the last good build.

use super::isolation::{Isolation, OthersWatch, QuietWatch};
use super::loaded_history::LoadedHistory;
use super::recording::{BaseProcess, FreshMeasurer, FreshProcess, Refusal, Request};
use super::series_history::SeriesHistory;
use super::session::{Session, now_ms};
use super::valgrind::{ValgrindCounts, longest_answer};
use super::worker_command::{this_executable, worker_command};
use crate::measure::Watchdog;
use crate::perf_test::{NamesInExecutable, PerfTest};
use crate::provenance::entropy;
use perftest_core::judge::{PairPlan, Side};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Baseline, BaselineRule, InstructionCounter, Instructions, Note, ProcessRecord, Run, RunId,
};
use perftest_machine::{Countable, Counter};
use perftest_process::protocol::{BUDGET_VARIABLE, OWN_PROGRAMS, PROGRAMS_VARIABLE};
use perftest_process::{
    Executables, KeptBuild, Launch, RecordedPair, SideFailure, UnpackedBuild, WorkerCommand,
    WorkerPair, WorkerProcess, count_instructions, library_path, valgrind_version,
};
use perftest_store::Query;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A fresh process may take this many times as long as this process, to start and for a batch.
const PATIENCE: u32 = 3;

/// Measures a test again in fresh processes.
pub(super) struct ConfirmationRunner<'a> {
    session: &'a Session,
    test: &'a PerfTest,
    whole: &'a LoadedHistory,
    /// This process holds the measuring lock of the machine.
    is_alone_on_machine: bool,
    /// Longest time in which a worker may send a measurement.
    longest: Duration,
    /// When the test began.
    began: Instant,
    /// Longest time in which a fresh process may start.
    longest_start: Duration,
    /// The longest batch that was requested, with its duration in this process.
    longest_batch: Duration,
    /// The last good builds so far: a series whose level began later than that of the whole has one of its own.
    bases: Vec<LastGoodBuild>,
    /// The last good builds that cannot run.
    unusable: Vec<UnusableBuild>,
    /// Counts instructions with valgrind where the test requires that.
    valgrind: Option<ValgrindCounts>,
}

struct LastGoodBuild {
    /// A run of the history with this build.
    run: RunId,
    unpacked: UnpackedBuild,
    /// The names of the test there.
    names: NamesInExecutable,
    launch: Launch,
    commit: String,
    dirty: bool,
}

struct UnusableBuild {
    /// A run of the history with this build.
    run: RunId,
    why: String,
}

/// Facts about the last good build beside its measurements.
#[derive(Debug, Default)]
pub(super) struct BaseSide {
    /// Instructions of an iteration, for both executables.
    pub instructions: Option<Instructions>,
    /// Why the last good build could not run.
    pub unusable: Option<Note>,
    /// Why its instructions could not be counted.
    pub uncounted: Option<Note>,
}

impl<'a> ConfirmationRunner<'a> {
    pub(super) fn new(
        session: &'a Session,
        test: &'a PerfTest,
        whole: &'a LoadedHistory,
        is_alone_on_machine: bool,
        began: Instant,
    ) -> Self {
        Self {
            session,
            test,
            whole,
            is_alone_on_machine,
            longest: session.settings(test).longest_answer(),
            longest_start: Duration::ZERO,
            longest_batch: Duration::ZERO,
            began,
            bases: Vec::new(),
            unusable: Vec::new(),
            valgrind: ValgrindCounts::of(session, test),
        }
    }

    /// Waits for the requested pause, and until no other process measures.
    fn prepare(&mut self, request: &Request) -> Result<(), Refusal> {
        if !self.is_alone_on_machine {
            return Err(Refusal::NotAlone);
        }
        self.longest_batch = self.longest_batch.max(request.longest_batch);
        self.longest = self.longest.max(PATIENCE * self.longest_batch);
        if self.longest_start.is_zero() {
            // Until now this process has set up and warmed up as a fresh one does before its first answer.
            self.longest_start = self.longest.max(PATIENCE * self.began.elapsed());
        }
        std::thread::sleep(request.pause);
        if self.session.isolation.wait_for_quiet() { Ok(()) } else { Err(Refusal::NotAlone) }
    }

    /// Measures in fresh processes, and records the load by other processes meanwhile.
    fn watched(
        &mut self,
        request: &Request,
        measure: impl FnOnce(&mut Self) -> Result<(ProcessRecord, Option<BaseProcess>), Refusal>,
    ) -> Result<FreshProcess, Refusal> {
        let (began, session) = (Instant::now(), self.session);
        let watch = QuietWatch::start();
        let others = OthersWatch::start(&session.machine().sensors);
        let (mut judged, mut base) = measure(self)?;
        if session.isolation == Isolation::Neighbours && !watch.was_quiet() {
            return Err(Refusal::NotAlone);
        }
        let elapsed = began.elapsed();
        let others_cpus = others.others_cpus();
        self.count_instructions(request, &mut judged, base.as_mut());
        let id = RunId::new(now_ms(), entropy());
        Ok(FreshProcess { id, judged, base, others_cpus, elapsed })
    }

    fn measure_pair(
        &mut self,
        iterations: u64,
        plan: &PairPlan,
        level: &Baseline,
    ) -> Result<(ProcessRecord, Option<BaseProcess>), Refusal> {
        let build = self.base_among(level).ok_or(Refusal::NoBase)?;
        let base = self.command_of_base(build).map_err(Refusal::Unavailable)?;
        let head = self.command_of_head().map_err(Refusal::Unavailable)?;
        let head = self.with_programs(head, OWN_PROGRAMS.as_ref());
        let pair = WorkerPair { base: &base, head: &head, longest: self.longest };
        match pair.measure(plan, Some(iterations)) {
            Ok(RecordedPair { base: record, head, .. }) => {
                let (run, commit, dirty) = (build.run.clone(), build.commit.clone(), build.dirty);
                Ok((head, Some(BaseProcess { run, commit, dirty, record })))
            }
            Err(SideFailure { side: Side::Head, why }) => Err(Refusal::Unavailable(why)),
            Err(SideFailure { side: Side::Base, why }) => {
                let why = format!("{why}{}", missing(&build.launch));
                self.unusable.push(UnusableBuild { run: build.run.clone(), why });
                Err(Refusal::NoBase)
            }
        }
    }

    /// Adds the instructions of both executables, if valgrind can count them.
    fn count_instructions(
        &mut self,
        request: &Request,
        judged: &mut ProcessRecord,
        base: Option<&mut BaseProcess>,
    ) {
        let Some(valgrind) = &mut self.valgrind else {
            return;
        };
        let mut count = |executable: &Path, names| {
            valgrind.count_once(executable, names, request.iterations, request.longest_batch)
        };
        let names = self.test.names();
        judged.values.extend(this_executable().ok().and_then(|it| count(&it, names)));
        let Some(base) = base else { return };
        if let Some(build) = self.bases.iter().find(|build| build.run == base.run) {
            let counted = count(build.unpacked.executable(), build.names.clone());
            base.record.values.extend(counted);
        }
    }

    /// Measures a test without a baseline in as many fresh processes as a verdict needs beside this
    /// one, each of which `counts`: as many again may replace disturbed ones. Returns none where other
    /// tests run in this process: a missing baseline justifies no wait.
    pub(super) fn provisional(
        mut self,
        request: &Request,
        count: usize,
        counts: impl Fn(&ProcessRecord) -> bool,
    ) -> Vec<FreshProcess> {
        if !self.session.isolation.is_quiet_now() {
            return Vec::new();
        }
        let measured = std::iter::from_fn(|| self.alone(request).ok()).take(2 * count);
        measured.filter(|process| counts(&process.judged)).take(count).into_list()
    }

    /// Ends the measurement. Counts the instructions of an iteration in both executables, over
    /// `iterations`, if the last good build ran. `None` skips the count.
    pub(super) fn close(self, iterations: Option<u64>) -> BaseSide {
        let counted = iterations.map_or(Ok(None), |iterations| self.instructions(iterations));
        let (instructions, uncounted) = match counted {
            Ok(instructions) => (instructions, None),
            Err(why) => (None, Some(Note::InstructionsNotCounted { why })),
        };
        let unusable = self.unusable.into_iter().next();
        let unusable = unusable.map(|build| Note::LastGoodBuildCannotRun { why: build.why });
        BaseSide { instructions, unusable, uncounted }
    }

    /// Returns an error only if the user named a counter and that counter cannot be used.
    fn instructions(&self, iterations: u64) -> Result<Option<Instructions>, String> {
        let Some(build) = self.base_among(&self.whole.of_good_builds().baseline) else {
            return Ok(None);
        };
        let counted = |counter, longest| {
            let (before, now) = (self.command_of_base(build)?, self.command_of_head()?);
            count_instructions(&before, &now, iterations, counter, longest)
        };
        match self.session.config.instructions {
            InstructionCounter::Valgrind => valgrind_version()
                .and_then(|_| {
                    counted(InstructionCounter::Valgrind, longest_answer(self.longest_batch))
                })
                .map(Some),
            // Most machines permit no counter, and `cargo perftest doctor` explains why.
            InstructionCounter::Processor => {
                let can_count = Counter::of_this_thread(Countable::Instructions).is_ok();
                let counted = || counted(InstructionCounter::Processor, self.longest).ok();
                Ok(can_count.then(counted).flatten())
            }
        }
    }

    fn command_of_base(&self, build: &LastGoodBuild) -> Result<WorkerCommand, String> {
        let command =
            worker_command(build.names.clone(), build.unpacked.executable(), self.longest_start)?;
        Ok(self.with_programs(command, build.unpacked.directory_of_programs().as_os_str()))
    }

    fn command_of_head(&self) -> Result<WorkerCommand, String> {
        worker_command(self.test.names(), &this_executable()?, self.longest_start)
    }

    /// A process that is compared with the history warms up as this process does.
    fn command_of_lone_process(&self) -> Result<WorkerCommand, String> {
        let budget = self.session.settings(self.test).budget.value.as_nanos().to_string();
        let environment = vec![(BUDGET_VARIABLE.into(), budget.into())];
        Ok(WorkerCommand { environment, ..self.command_of_head()? })
    }

    /// Tells a process of a pair which programs to start, if the test starts programs.
    fn with_programs(&self, command: WorkerCommand, programs: &OsStr) -> WorkerCommand {
        let variable = self.test.programs.map(|_| (PROGRAMS_VARIABLE.into(), programs.to_owned()));
        WorkerCommand { environment: variable.into_iter().into_list(), ..command }
    }

    /// The build of one of these runs that is ready and can run.
    fn base_among(&self, level: &Baseline) -> Option<&LastGoodBuild> {
        let can_run = |run: &RunId| self.unusable.iter().all(|build| build.run != *run);
        self.bases.iter().find(|build| level.has_base(&build.run) && can_run(&build.run))
    }

    /// Makes the last good build of a series ready: that of its newest good run whose files are kept. Runs in the
    /// baseline of the whole come first, and then others of the whole: a stage that came on a branch has no run in a
    /// baseline of merged code. Older runs may have been loaded for the series alone.
    fn find_base(&mut self, base_history: &SeriesHistory) {
        let Some(executables) = self.session.executables(self.test) else { return };
        let whole = self.whole;
        let mut histories =
            whole.main.judging().into_iter().chain([&whole.own]).chain([base_history]);
        let found = histories.find_map(|known| {
            let recorded =
                |of_level: &Run| known.history.runs.iter().rfind(|it| it.id == of_level.id);
            let level = &base_history.baseline;
            let level = level.runs.iter().filter(|run| level.has_base(&run.id));
            let level = level.filter_map(recorded).cloned();
            let (both, alone): (Vec<Run>, Vec<Run>) =
                level.partition(|run| known.baseline.has_run(&run.id));
            [both, alone].into_iter().find_map(|runs| {
                let baseline = Baseline { runs: runs.into(), ..known.baseline.clone() };
                let (kept, run) = self.kept_build(&executables, &baseline)?;
                Some((kept, run.clone(), known))
            })
        });
        let Some((kept, run, known)) = found else { return };
        if self.session.records() {
            executables.renew_build(&kept);
        }
        // Programs may run in this executable's directory, since this executable runs there.
        let library_path = library_path(|name| std::env::var_os(name));
        match present_path().and_then(|present| kept.unpack_beside(&present, &library_path)) {
            Ok(unpacked) => self.bases.push(LastGoodBuild {
                run: run.id.clone(),
                unpacked,
                names: self.names_in_build_of(known, &run, &kept.launch().target),
                launch: kept.launch().clone(),
                commit: run.revision.commit.clone(),
                dirty: run.revision.dirty,
            }),
            Err(why) => self.unusable.push(UnusableBuild { run: run.id, why }),
        }
    }

    /// Counts the last good build as used, so that it is kept as long as this code is compared with its level: newer good
    /// builds take the place of what is not used.
    pub(super) fn renew_last_good_build(&self) {
        if !self.session.records() {
            return;
        }
        let Some(executables) = self.session.executables(self.test) else { return };
        if let Some((kept, _)) =
            self.kept_build(&executables, &self.whole.of_good_builds().baseline)
        {
            executables.renew_build(&kept);
        }
    }

    /// The first of the last good builds of this baseline whose files are kept.
    fn kept_build<'b>(
        &self,
        executables: &Executables,
        baseline: &'b Baseline,
    ) -> Option<(KeptBuild, &'b Run)> {
        let code = self.session.code(self.test);
        // A build from before its programs were kept would start those of today.
        let has_programs = |run: &&Run| run.code.programs.is_empty() == code.programs.is_empty();
        let mut good = baseline.good_builds(code).filter(has_programs);
        good.find_map(|run| {
            let kept = executables.find_build(&run.code)?;
            // A record of somebody else may name another kept file, such as a program.
            self.is_of_test(&kept.launch().target).then_some((kept, run))
        })
    }

    /// Whether an executable of this target has the test, under its present name or a former one.
    fn is_of_test(&self, target: &str) -> bool {
        let benchmark = self.test.benchmark();
        let behind = benchmark.as_str().strip_prefix(target);
        behind.is_some_and(|name| name.starts_with("::"))
            || self.test.former_names(target).is_some()
    }

    /// The names of the test in the build of an earlier run, an executable of this target, which may be from before the
    /// test was renamed.
    fn names_in_build_of(
        &self,
        known: &SeriesHistory,
        run: &Run,
        target: &str,
    ) -> NamesInExecutable {
        let former = self.test.former_names(target);
        let former = former.filter(|_| self.was_recorded_under_former_name(known, run));
        former.unwrap_or_else(|| self.test.earlier_names())
    }

    /// Loaded runs all have the present name, so this loads those of the former name alone.
    fn was_recorded_under_former_name(&self, known: &SeriesHistory, run: &Run) -> bool {
        let (Some(query), Ok(Some(store))) = (&known.query, self.session.store(self.test)) else {
            return false;
        };
        let Some(benchmark) = query.formerly.clone() else {
            return false;
        };
        let limit = BaselineRule::SEARCHED_RUNS;
        let former = store.load(&Query { benchmark, formerly: None, limit, ..query.clone() });
        former.is_ok_and(|former| former.value.runs.iter().any(|it| it.id == run.id))
    }
}

impl FreshMeasurer for ConfirmationRunner<'_> {
    fn alone(&mut self, request: &Request) -> Result<FreshProcess, Refusal> {
        let _paused = Watchdog::pause();
        self.prepare(request)?;
        self.watched(request, |this| {
            let measured = this.command_of_lone_process().and_then(|command| {
                let mut process = WorkerProcess::start(&command)?;
                let Request { measurements, iterations, .. } = *request;
                process.measure(measurements, Some(iterations), this.longest)?;
                process.end(this.longest)
            });
            measured.map(|judged| (judged, None)).map_err(Refusal::Unavailable)
        })
    }

    fn pair(
        &mut self,
        request: &Request,
        plan: &PairPlan,
        base_history: &SeriesHistory,
    ) -> Result<FreshProcess, Refusal> {
        let level = &base_history.baseline;
        // Without a last good build there is no reason to wait for other processes.
        let is_tried = self.unusable.iter().any(|build| level.has_base(&build.run));
        if !is_tried && self.base_among(level).is_none() {
            self.find_base(base_history);
        }
        if self.base_among(level).is_none() {
            return Err(Refusal::NoBase);
        }
        let _paused = Watchdog::pause();
        self.prepare(request)?;
        self.watched(request, |this| this.measure_pair(request.iterations, plan, level))
    }
}

fn present_path() -> Result<PathBuf, String> {
    // Also where a build has replaced the file.
    std::env::current_exe().map_err(|error| error.to_string())
}

/// Describes what the kept executable's environment had then and lacks now.
fn missing(launch: &Launch) -> String {
    let is_missing = |name: &&String| std::env::var_os(name).is_none();
    let variables: Vec<&str> =
        launch.variables.iter().filter(is_missing).map(String::as_str).into_list();
    let mut missing = String::new();
    if !launch.directory.is_dir() {
        missing.push_str(&format!("; it ran in {}, which is gone", launch.directory.display()));
    }
    if !variables.is_empty() {
        missing.push_str(&format!("; it had the variables {}", variables.iter().joined(", ")));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::loaded_history::MainHistory;
    use crate::harness::recorded_test::{NoSink, RecordedTest};
    use perftest_core::model::{Evidence, History, Interval, Reason, Tolerance};
    use perftest_process::code_of_file;
    use perftest_store::conformance::scratch;
    use std::fs;
    use std::thread::sleep;

    /// Keeps a build of the test in its store, and returns its hash.
    fn keep(executables: &Executables, directory: &Path, number: usize) -> String {
        let path = directory.join(format!("build-{number}"));
        fs::write(&path, format!("build {number}")).unwrap();
        let hash = code_of_file(&path, &[], None).unwrap().executable;
        let launch = Launch { target: "codec::perf".into(), ..Launch::default() };
        // A program that another test starts may hold the lock for a moment.
        let is_kept = || executables.keep(&path, &[], &hash, &launch).unwrap();
        assert!((0..100).any(|_| is_kept() || {
            sleep(Duration::from_millis(10));
            false
        }));
        hash
    }

    /// Loads the history of six runs of this build.
    fn history_of(build: &str, test: &mut RecordedTest, session: &Session) -> SeriesHistory {
        (0..6).for_each(|_| {
            test.append("", 4.0, |mut run| {
                run.code.executable = build.to_owned();
                run
            });
        });
        SeriesHistory::load(session, &test.test, &mut NoSink).unwrap()
    }

    #[test]
    fn a_good_run_keeps_its_last_good_build_from_being_replaced_by_newer_ones() {
        let directory = scratch("renewed-base");
        let mut test = RecordedTest::new("renewed-base-store");
        let session = test.session(1);
        let executables = session.executables(&test.test).unwrap();
        let base = keep(&executables, &directory, 0);
        let known = LoadedHistory::alone(history_of(&base, &mut test, &session));
        for number in 1..=2 * Executables::MOST_OF_TARGET {
            keep(&executables, &directory, number);
            let runner =
                ConfirmationRunner::new(&session, &test.test, &known, true, Instant::now());
            runner.renew_last_good_build();
        }
        assert!(executables.find(&base).unwrap().is_some());
    }

    #[test]
    fn a_process_that_is_compared_with_the_history_has_the_budget_of_the_test() {
        let test = RecordedTest::new("budget-of-lone-process");
        let session = test.session(1);
        let known = LoadedHistory::alone(SeriesHistory::nothing(&session.machine().testbed));
        let runner = ConfirmationRunner::new(&session, &test.test, &known, true, Instant::now());
        let environment = runner.command_of_lone_process().unwrap().environment;
        assert_eq!(environment, [(BUDGET_VARIABLE.into(), "3000000000".into())]);
    }

    #[test]
    fn a_series_beside_the_history_at_the_usual_speed_has_a_base_also_where_the_whole_has_its_own()
    {
        let directory = scratch("base-of-main");
        let mut test = RecordedTest::new("base-of-main-store");
        let session = test.session(1);
        let base = keep(&session.executables(&test.test).unwrap(), &directory, 0);
        let main = history_of(&base, &mut test, &session);
        let of_stage = SeriesHistory::load(&session, &test.test, &mut NoSink).unwrap();
        let part = SeriesHistory::load(&session, &test.test, &mut NoSink).unwrap();
        let own = SeriesHistory { history: History::default(), ..part };
        let main = MainHistory::Judges(Box::new(main));
        let whole = LoadedHistory { main, ..LoadedHistory::alone(own) };
        assert!(!whole.is_judged_by_pairs());
        let mut runner =
            ConfirmationRunner::new(&session, &test.test, &whole, true, Instant::now());
        runner.find_base(&of_stage);
        assert!(runner.base_among(&of_stage.baseline).is_some());
    }

    #[test]
    fn a_series_for_which_older_runs_were_read_has_a_base_of_its_own() {
        let directory = scratch("base-of-series");
        let mut test = RecordedTest::new("base-of-series-store");
        let session = test.session(1);
        let base = keep(&session.executables(&test.test).unwrap(), &directory, 0);
        let of_stage = history_of(&base, &mut test, &session);
        let whole = LoadedHistory::alone(SeriesHistory::nothing(&of_stage.testbed));
        let mut runner =
            ConfirmationRunner::new(&session, &test.test, &whole, true, Instant::now());
        runner.find_base(&of_stage);
        assert!(runner.base_among(&of_stage.baseline).is_some());
    }

    #[test]
    fn a_build_that_a_wider_tolerance_let_pass_in_a_series_is_no_base_of_it() {
        let directory = scratch("base-by-wider");
        let mut test = RecordedTest::new("base-by-wider-store");
        let session = test.session(1);
        let base = keep(&session.executables(&test.test).unwrap(), &directory, 0);
        let whole = LoadedHistory::alone(history_of(&base, &mut test, &session));
        let is_base_by = |present: f64| {
            let mut of_stage = SeriesHistory::load(&session, &test.test, &mut NoSink).unwrap();
            let slower = |run: &Run| {
                let degradation = Some(Interval { estimate: 1.12, lower: 1.1, upper: 1.14 });
                let tolerance = Tolerance::new(0.25).unwrap();
                let evidence = run.evidence.clone().map(|it| Evidence {
                    reason: Reason::Green,
                    degradation,
                    tolerance,
                    accepted_ratio: None,
                    paired_result: None,
                    ..it
                });
                Run { evidence, ..run.clone() }
            };
            of_stage.baseline.runs = of_stage.baseline.runs.iter().map(slower).collect();
            of_stage.baseline.tolerance = Tolerance::new(present).unwrap();
            let mut runner =
                ConfirmationRunner::new(&session, &test.test, &whole, true, Instant::now());
            runner.find_base(&of_stage);
            runner.base_among(&of_stage.baseline).is_some()
        };
        assert_eq!([0.05, 0.25].map(is_base_by), [false, true]);
    }
}
