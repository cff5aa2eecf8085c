//! State that all tests of one process share: made when the first test is about to be measured.

use super::isolation::Isolation;
use super::machine::Machine;
use super::package::{Packages, Provenance};
use super::session_notes::SessionNotes;
use super::test_names::TestNames;
use super::worker_command::remember_start;
use crate::config::{Config, StorePlace, VerdictMode};
use crate::event::Hindrance;
use crate::measure::{Meter, OneKind, Stopwatch, Surroundings, settle_heap};
use crate::perf_test::PerfTest;
use crate::provenance::{self, Context, config_hash, entropy, functions_aligned, source_place};
use crate::registry::Build;
use crate::session_totals::SessionTotals;
use crate::settings::{OnDebug, Settings};
use crate::sink::warnings_so_far;
use perftest_core::model::{
    CodeState, CoreKind, MachineState, Obstacle, Reading, RunId, SourcePlace,
};
use perftest_core::words::{SessionSummary, former_project, project_left_behind};
use perftest_machine::{DiskProbe, SpeedProbe};
use perftest_process::{
    Executables, adopt_project, code_of_file, code_with_programs, find_project,
    find_project_in_store, find_project_left_behind, library_path, project_root, state_directory,
};
use perftest_store::{AcceptanceFile, Cache, JsonlStore, Project, Store, find_former_project};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const UNOPTIMISED: &str = "unoptimised build; use cargo test --release";
const REFUSED_UNOPTIMISED: &str =
    "on_debug = \"fail\": unoptimised build; use cargo test --release";
/// A command line that perftest reads was answered before `main`.
const NOT_LISTED: &str = "PERFTEST_MODE=list-effective shows the settings before the tests, and this command line has an \
                          option that perftest does not know: leave it out";

/// What happens with a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunMode {
    /// The test is measured and gets a verdict.
    Measure,
    /// Its body runs once without a verdict, for this reason.
    Smoke(&'static str),
    /// It fails, for this reason.
    Refuse(&'static str),
}

impl RunMode {
    fn of(mode: VerdictMode, on_debug: OnDebug, build: Build) -> Self {
        match (mode, on_debug) {
            (VerdictMode::Smoke(why), _) => Self::Smoke(why),
            (VerdictMode::ListEffective, _) => Self::Refuse(NOT_LISTED),
            (VerdictMode::Auto, OnDebug::Smoke) if !build.optimised => Self::Smoke(UNOPTIMISED),
            (VerdictMode::Auto, OnDebug::Fail) if !build.optimised => {
                Self::Refuse(REFUSED_UNOPTIMISED)
            }
            (VerdictMode::Auto | VerdictMode::Measure, _) => Self::Measure,
        }
    }
}

/// One invocation of this test binary.
pub(crate) struct Session {
    pub config: Config,
    pub isolation: Isolation,
    pub names: TestNames,
    packages: Packages,
    pub id: String,
    stopwatch: OnceLock<Stopwatch>,
    machine: OnceLock<Machine>,
    speed: OnceLock<SpeedProbe>,
    session_notes: Mutex<SessionNotes>,
    totals: Mutex<SessionTotals>,
    /// Whether each of the gaps in [`warn_of_gaps`](super::test_context::TestContext::warn_of_gaps) was printed.
    pub seen_gaps: [AtomicBool; 4],
    /// A run of this executable was good, and it or one before it counts for the baseline.
    is_good: AtomicBool,
}

impl Session {
    /// Creates a session with this configuration and a settled heap. Opens, reads and calibrates
    /// nothing yet.
    pub(crate) fn new(
        config: Config,
        isolation: Isolation,
        names: TestNames,
        packages: Packages,
    ) -> Self {
        settle_heap();
        // Where it is unknown, a fresh process says so.
        remember_start(names, &packages);
        let own_id = || RunId::new(now_ms(), entropy()).to_string();
        let id = if config.session.is_empty() { own_id() } else { config.session.clone() };
        Self {
            config,
            isolation,
            names,
            packages,
            id,
            stopwatch: OnceLock::new(),
            machine: OnceLock::new(),
            speed: OnceLock::new(),
            session_notes: Mutex::default(),
            totals: Mutex::default(),
            seen_gaps: Default::default(),
            is_good: AtomicBool::new(false),
        }
    }

    /// The settings of a test.
    pub(crate) fn settings(&self, test: &PerfTest) -> Settings {
        self.packages.settings(test)
    }

    /// Where cargo runs the package of a test from.
    pub(super) fn directory(&self, test: &PerfTest) -> &Path {
        &self.packages.of_test(test).directory
    }

    /// Returns whether a test runs. A runner selects by names, which tests of several packages share, and an ordinary
    /// test runs all of its cases.
    pub(super) fn is_chosen(&self, test: &PerfTest) -> bool {
        self.config.chosen.as_ref().is_none_or(|chosen| chosen.has(&test.benchmark()))
    }

    /// Returns what happens with a test.
    pub(crate) fn run_mode(&self, test: &PerfTest) -> RunMode {
        RunMode::of(self.config.mode, self.settings(test).on_debug.value, test.build)
    }

    /// A calibrated meter for this test, for the thread that measures.
    pub(crate) fn meter(&self, test: &PerfTest) -> Meter {
        let disk = if test.disk_probe { disk_probe() } else { None };
        let sensors = Arc::clone(&self.machine().sensors);
        let surroundings = Surroundings::new(self.speed_probe().clone(), disk, sensors);
        let meter = Meter::new(self.stopwatch(), surroundings);
        match self.isolation {
            Isolation::Alone => meter,
            Isolation::Neighbours => meter.beside_other_tests(),
        }
    }

    fn speed_probe(&self) -> &SpeedProbe {
        self.speed.get_or_init(SpeedProbe::new)
    }

    /// The processor's clock now, as the probe measures it.
    pub(crate) fn effective_ghz(&self) -> Option<f64> {
        self.speed_probe().take().clock_ghz.get()
    }

    /// Keeps the calling thread on cores of one kind: see [`OneKind::enter`].
    pub(crate) fn stay_on(&self, kind: Option<CoreKind>) -> Option<OneKind> {
        OneKind::enter(&self.machine().sensors, kind)
    }

    /// Reads the sensors of the machine and probes its real speed.
    pub(crate) fn look(&self) -> MachineState {
        let mut state = self.machine().sensors.look();
        self.probe_speed(&mut state);
        state
    }

    /// Reads and probes again after a measurement. If the clock seems slower, probes again after
    /// pauses: a single reading may have been disturbed. Contending threads and walks through
    /// memory slow the clock for some milliseconds. A throttled processor stays slow.
    pub(crate) fn look_after(&self, before: &MachineState) -> MachineState {
        const FALLEN: f64 = 0.95;
        const PAUSES_MS: [u64; 4] = [2, 4, 8, 16];
        let mut after = self.look();
        let has_fallen = |after: &MachineState| {
            let clocks = after.effective_khz.get().zip(before.effective_khz.get());
            clocks.is_some_and(|(after, before)| (after as f64) < FALLEN * before as f64)
        };
        for pause_ms in PAUSES_MS {
            if !has_fallen(&after) {
                break;
            }
            thread::sleep(Duration::from_millis(pause_ms));
            self.probe_speed(&mut after);
        }
        after
    }

    /// Takes the probes of a look again.
    pub(crate) fn probe_speed(&self, state: &mut MachineState) {
        let speed = self.speed_probe().take();
        state.effective_khz = rounded(speed.clock_ghz, 1e6);
        state.reference_ns = rounded(speed.reference_ns, 1.0);
    }

    /// The conditions of the session so far.
    pub(super) fn session_notes(&self) -> MutexGuard<'_, SessionNotes> {
        self.session_notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The remarks about the machine for the end of the session.
    pub(super) fn remarks(&self) -> Vec<String> {
        match self.machine.get() {
            Some(machine) => self.session_notes().remarks(machine.cpus()),
            None => Vec::new(),
        }
    }

    /// Summarises the machine's conditions for the end of the session. `None` if nothing prevented
    /// a verdict, or if a runner gives each test its own process: the warning of the test has it
    /// all.
    pub(super) fn story(&self) -> Option<SessionSummary> {
        if self.config.is_nextest { None } else { self.session_notes().story() }
    }

    /// How the tests ended so far.
    pub(super) fn totals(&self) -> MutexGuard<'_, SessionTotals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts of the verdicts, the worst failed test, and the command with more of it. None where a runner gives
    /// each test a process of its own: it has its own last lines.
    pub(super) fn last_lines(&self) -> Vec<(&'static str, String)> {
        if self.config.is_nextest {
            return Vec::new();
        }
        let mut lines = self.totals().last_lines(warnings_so_far());
        lines.retain(|(name, _)| *name != "more" || self.records());
        lines
    }

    /// The clock and its cost, measured once.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        self.stopwatch.get_or_init(|| Stopwatch::calibrate(self.config.clock)).clone()
    }

    pub(crate) fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| Machine::inspect(&self.config.testbed))
    }

    /// Where the function of a test is in the repository.
    pub(crate) fn source_of(&self, test: &PerfTest) -> SourcePlace {
        source_place(test.place.file, test.place.line, &self.packages.of_test(test).directory)
    }

    pub(crate) fn provenance(&self, test: &PerfTest) -> &Provenance {
        let package = self.packages.of_test(test);
        package.provenance.get_or_init(|| {
            let directory = &package.directory;
            let project = self.project(directory);
            let root_of_new = self.store_root_of_new(&project);
            let cache = self.cache(&project);
            let standing = provenance::ask_git(directory, &self.config, cache.clone());
            // This runs while git works.
            let code = code_of_this_executable(cache.as_ref());
            self.machine();
            self.stopwatch();
            let standing = standing.map(|it| it.answer()).unwrap_or_default();
            let is_known = |commit: &str| standing.lineage.lists(commit);
            let has_history = root_of_new.is_none();
            let other_history = match root_of_new {
                Some(root) => find_former_project(&root, &project, is_known)
                    .map(|former| former_project(&former.slug)),
                None => self.project_left_behind(directory),
            };
            Provenance {
                acceptance_file: AcceptanceFile::in_root(&project_root(directory)),
                project,
                has_history,
                other_history,
                code,
                standing,
            }
        })
    }

    /// Returns the code that a test measures: that of this executable, and of its package's programs if it starts
    /// programs.
    pub(crate) fn code(&self, test: &PerfTest) -> &CodeState {
        let own = &self.provenance(test).code;
        let Some(programs) = test.programs else { return own };
        self.packages.of_test(test).code_with_programs.get_or_init(|| {
            let cache = self.cache(&self.provenance(test).project);
            let library_path = library_path(|name| std::env::var_os(name));
            code_with_programs(own, programs, &library_path, cache.as_ref())
        })
    }

    /// The store, or `None` when it is switched off.
    ///
    /// # Errors
    /// If the store cannot be opened. The next call tries again.
    pub(crate) fn store(&self, test: &PerfTest) -> Result<Option<&dyn Store>, String> {
        let store = &self.packages.of_test(test).store;
        if store.get().is_none() {
            // A thread that was faster has opened the same one.
            let _ = store.set(self.open(test)?);
        }
        Ok(store.get().and_then(Option::as_deref))
    }

    fn open(&self, test: &PerfTest) -> Result<Option<Box<dyn Store>>, String> {
        let project = &self.provenance(test).project;
        let open = |root: PathBuf| Box::new(JsonlStore::open(&root, project)) as Box<dyn Store>;
        Ok(self.store_root()?.map(open))
    }

    /// Where the store is; `None` when it is switched off.
    fn store_root(&self) -> Result<Option<PathBuf>, String> {
        match &self.config.store {
            StorePlace::Off => Ok(None),
            StorePlace::At(directory) => Ok(Some(directory.clone())),
            StorePlace::Default | StorePlace::ReadOnly => default_place().map(Some),
        }
    }

    fn project(&self, directory: &Path) -> Project {
        match self.store_root() {
            Ok(Some(root)) if self.records() => adopt_project(&root, directory),
            Ok(Some(root)) => find_project_in_store(&root, directory),
            Ok(None) | Err(_) => find_project(directory),
        }
    }

    /// Where the first record of a project will be; `None` if the project has records, or nothing is recorded.
    fn store_root_of_new(&self, project: &Project) -> Option<PathBuf> {
        let root = self.store_root().ok()??;
        (self.records() && !project.directory(&root).exists()).then_some(root)
    }

    /// The hint at runs that were written under the name from before the repository had an origin.
    fn project_left_behind(&self, directory: &Path) -> Option<String> {
        let root = self.store_root().ok()??;
        let left = find_project_left_behind(&root, directory).filter(|_| self.records());
        left.map(|left| project_left_behind(&left.slug))
    }

    /// The cache that processes share; `None` where nothing may be written.
    fn cache(&self, project: &Project) -> Option<Cache> {
        let root = self.store_root().ok()??;
        self.records().then(|| Cache::open(&root, project))
    }

    /// The kept executables; `None` without a store.
    pub(crate) fn executables(&self, test: &PerfTest) -> Option<Executables> {
        let root = self.store_root().ok()??;
        Some(Executables::open(&root, &self.provenance(test).project))
    }

    /// Notes that a run of this executable was good, and that it or one before it counts for the baseline.
    pub(crate) fn found_good(&self) {
        self.is_good.store(true, Ordering::Relaxed);
    }

    /// Returns whether a run was good since the last call.
    pub(crate) fn take_found_good(&self) -> bool {
        self.is_good.swap(false, Ordering::Relaxed)
    }

    /// Whether anything may be recorded.
    pub(crate) fn records(&self) -> bool {
        !matches!(self.config.store, StorePlace::Off | StorePlace::ReadOnly)
    }

    /// Returns the effect of an obstacle on a test with these settings.
    pub(super) fn hindrance(&self, obstacle: Obstacle, settings: &Settings) -> Hindrance {
        let outcome = settings.outcome_of_unjudged(&obstacle, self.config.ci.is_present());
        Hindrance { obstacle, outcome }
    }

    /// The context of this process, kept beside its runs.
    pub(crate) fn context(&self, test: &PerfTest) -> &Context {
        let Build { optimised, debug_assertions } = test.build;
        let contexts = &self.packages.of_test(test).contexts;
        contexts[usize::from(optimised)][usize::from(debug_assertions)].get_or_init(|| {
            let Machine { identity, epoch, .. } = self.machine();
            let clock = self.stopwatch().describe();
            Context::of(identity, epoch, &clock, test.build, &self.functions_aligned(test))
        })
    }

    /// Returns whether the functions of this executable are aligned.
    pub(super) fn functions_aligned(&self, test: &PerfTest) -> Reading<bool> {
        let Provenance { project, code, .. } = self.provenance(test);
        functions_aligned(&code.executable, self.cache(project).as_ref())
    }

    /// Hash of what makes this test's runs comparable.
    pub(crate) fn config_hash(&self, test: &PerfTest) -> String {
        config_hash(test.kind(), test.build, &self.machine().epoch.power)
    }
}

/// The probe of the disk that holds this executable, as its tests' files usually do.
fn disk_probe() -> Option<DiskProbe> {
    let executable = std::env::current_exe().ok()?;
    DiskProbe::new(executable.parent()?).ok()
}

/// Hashes of the running executable; empty where it cannot be read.
fn code_of_this_executable(cache: Option<&Cache>) -> CodeState {
    let library_path = library_path(|name| std::env::var_os(name));
    let code = std::env::current_exe().and_then(|it| code_of_file(&it, &library_path, cache));
    code.unwrap_or_default()
}

/// Rounds the reading of a probe for the record.
fn rounded(reading: Reading<f64>, scale: f64) -> Reading<u64> {
    match reading {
        Reading::Value(value) => Reading::Value((value * scale).round() as u64),
        Reading::Absent(why) => Reading::Absent(why),
    }
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// The platform's state directory, which survives `cargo clean`.
fn default_place() -> Result<PathBuf, String> {
    let place = state_directory(&|name| std::env::var_os(name)).ok_or(
        "no home directory to keep the history in; \
         set PERFTEST_STORE to a directory, or to `off`",
    )?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_measured_where_only_the_settings_are_asked_for() {
        let optimised = Build { optimised: true, debug_assertions: false };
        let of = |mode, on_debug| RunMode::of(mode, on_debug, optimised);
        assert_eq!(of(VerdictMode::Auto, OnDebug::Fail), RunMode::Measure);
        for on_debug in [OnDebug::Smoke, OnDebug::Fail, OnDebug::Measure] {
            assert_eq!(of(VerdictMode::ListEffective, on_debug), RunMode::Refuse(NOT_LISTED));
        }
    }
}
