//! An earlier build of a test: its executable, or its profile, as the history keeps them.

use super::profile_store::ProfileStore;
use crate::compare::SideTest;
use crate::exit::{CommandError, Result};
use crate::history_directory;
use perftest_analysis::profile::Profile;
use perftest_core::model::{BenchmarkId, CodeState, Run};
use perftest_core::words::quoted;
use perftest_process::protocol::{OWN_PROGRAMS, PROGRAMS_VARIABLE, SampledClock};
use perftest_process::{Executables, ListedTest, UnpackedBuild, WorkerCommand};
use perftest_store::{JsonlStore, Series, Store};
use std::path::{Path, PathBuf};

/// Newest runs that are looked through for a good one.
const LOOK_BACK: usize = 200;
/// Newest runs that are looked through for one that is named.
const LOOK_BACK_FOR_ID: usize = 100_000;
/// Characters of a run's id, and of which kind.
const ID_LENGTH: usize = 26;

/// What is left of an earlier build, with a name for people.
#[derive(Debug)]
pub(crate) enum KeptBase {
    /// Its executable, to be sampled in the same hour as another one.
    Build(Box<SampledBuild>),
    /// Its profile of then.
    Profile(Box<Profile>, String),
}

/// A kept build of a test. Its files are removed with this.
#[derive(Debug)]
pub(crate) struct SampledBuild {
    pub(crate) test: SideTest,
    /// The code that the test measures there: its own programs are not those of the present package.
    pub(crate) code: CodeState,
    pub(crate) name: String,
    /// A profile of such a build, with its name: for where this one cannot be sampled.
    pub(crate) profile: Option<(Profile, String)>,
    _unpacked: UnpackedBuild,
}

impl SampledBuild {
    /// Returns `head` as it is to be sampled beside this: both start copies of their commands, as in a pair.
    pub(crate) fn beside(head: &SideTest) -> SideTest {
        let mut head = head.clone();
        if head.listed.programs.is_some() {
            head.executable.environment.insert(PROGRAMS_VARIABLE.to_owned(), OWN_PROGRAMS.into());
        }
        head
    }
}

impl KeptBase {
    /// Finds the newest good build with other machine code than `head`: its executable, or else its profile by
    /// this clock.
    ///
    /// # Errors
    /// When neither is kept, or the history cannot be read.
    pub(crate) fn last_good(
        head: &SideTest,
        clock: SampledClock,
        store: Option<PathBuf>,
    ) -> Result<Self> {
        let kept = HistoryOfTest::of(head, store)?;
        let mut runs = good_runs(kept.runs(LOOK_BACK)?, &kept.code);
        runs.sort_by_key(|run| std::cmp::Reverse(run.started_ms));
        let name = |run: &Run| format!("the last good build {}", short(run)).trim_end().to_owned();
        let found = kept.find(&runs, clock, name)?;
        found.ok_or_else(|| {
            CommandError::Usage(format!(
                "no good build of `{}` with other machine code is kept on this machine, nor a profile \
                 of one. Name a revision: --diff main",
                head.listed.benchmark
            ))
        })
    }

    /// Finds the build of the run with this id.
    ///
    /// # Errors
    /// As for [`last_good`](Self::last_good), and when the test has no such run.
    pub(crate) fn of_run(
        id: &str,
        head: &SideTest,
        clock: SampledClock,
        store: Option<PathBuf>,
    ) -> Result<Self> {
        let benchmark = &head.listed.benchmark;
        let kept = HistoryOfTest::of(head, store)?;
        let mut runs = kept.runs(LOOK_BACK_FOR_ID)?;
        runs.retain(|run| run.id.as_str() == id);
        let Some(run) = runs.first() else {
            return Err(CommandError::Usage(format!(
                "`{benchmark}` has no run {id} in the history. `cargo perftest history {} --json` prints the ids",
                quoted(benchmark.as_str())
            )));
        };
        let name = |run: &Run| match short(run) {
            "" => format!("run {id}"),
            commit => format!("run {id} of {commit}"),
        };
        kept.find(&runs, clock, name)?.ok_or_else(|| {
            let revision = if run.revision.commit.is_empty() { "main" } else { short(run) };
            CommandError::Usage(format!(
                "neither the build of run {id} is kept on this machine nor a profile of it. Name its \
                 revision: --diff {revision}"
            ))
        })
    }
}

/// Whether this is the id of a run, and no revision.
pub(crate) fn is_run_id(text: &str) -> bool {
    let is_digit = |it: u8| it.is_ascii_digit() || it.is_ascii_uppercase();
    text.len() == ID_LENGTH && text.bytes().all(is_digit)
}

/// Whether a run is of a build that can be the base of one with this machine code.
pub(super) fn is_good_with_other_code(run: &Run, code: &CodeState) -> bool {
    let was_good = run.evidence.as_ref().is_some_and(|it| it.reason.clears_code());
    was_good && !run.code.is_same_build(code) && !run.code.executable.is_empty()
}

/// Returns the runs of builds that can be the base: those of builds that were good in all series in the same
/// execution, or else those of times.
fn good_runs(runs: Vec<Run>, code: &CodeState) -> Vec<Run> {
    let is_beside = |one: &Run, other: &Run| {
        one.session == other.session && one.code.executable == other.code.executable
    };
    let is_bad = |run: &&Run| run.evidence.as_ref().is_some_and(|it| it.reason.leaves_code_open());
    let bad: Vec<&Run> = runs.iter().filter(is_bad).collect();
    let good = runs.iter().filter(|run| is_good_with_other_code(run, code));
    let (good, doubtful): (Vec<&Run>, Vec<&Run>) =
        good.partition(|run| !bad.iter().any(|other| is_beside(run, other)));
    let of_times = doubtful.into_iter().filter(|run| run.metric.is_time());
    let chosen = if good.is_empty() { of_times.collect() } else { good };
    chosen.into_iter().cloned().collect()
}

/// What the history keeps of a test.
struct HistoryOfTest<'a> {
    head: &'a SideTest,
    /// The code of `head`; unknown if it cannot be read.
    code: CodeState,
    store: JsonlStore,
    series: Vec<Series>,
    executables: Executables,
    profiles: ProfileStore,
}

impl<'a> HistoryOfTest<'a> {
    fn of(head: &'a SideTest, store: Option<PathBuf>) -> Result<Self> {
        let place = history_directory::find(store)?;
        let project = place.project_of(&head.executable.directory);
        let root = place.root;
        let store = JsonlStore::open(&root, &project);
        let series = store.list(Some(&head.listed.benchmark))?.series.value;
        let testbeds = store.decisions()?.value.testbeds;
        let profiles = ProfileStore::of_this_machine(&root, &project, &testbeds);
        let executables = Executables::open(&root, &project);
        let code = head.code().unwrap_or_default();
        Ok(Self { head, code, store, series, executables, profiles })
    }

    /// The newest runs of each series of the test.
    fn runs(&self, most: usize) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        for series in &self.series {
            runs.extend(self.store.load(&series.query(most))?.value.runs);
        }
        Ok(runs)
    }

    /// The names that the test had before; none if it was never renamed.
    fn former_names(&self) -> impl Iterator<Item = &BenchmarkId> {
        self.series.iter().filter_map(|series| series.formerly.as_ref())
    }

    /// The test in the executable of `kept`, which may know it by its former name.
    fn listed_in(&self, kept: &SideTest) -> ListedTest {
        let present = &self.head.listed;
        if self.former_names().next().is_none() {
            return present.clone();
        }
        let listed = ListedTest::ask(kept.executable.command(), WorkerCommand::LONGEST_START);
        let listed = listed.unwrap_or_default();
        let mut names = [&present.benchmark].into_iter().chain(self.former_names());
        let found = names.find_map(|name| listed.iter().find(|it| it.benchmark == *name));
        found.unwrap_or(present).clone()
    }

    /// The first of these runs whose executable is kept, or else the first whose profile is.
    fn find(
        &self,
        runs: &[Run],
        clock: SampledClock,
        name: impl Fn(&Run) -> String,
    ) -> Result<Option<KeptBase>> {
        let profile = self.kept_profile(runs, clock, &name);
        let of_profile = |(profile, name)| KeptBase::Profile(Box::new(profile), name);
        // A build from before its programs were kept would start those of today.
        let has_programs =
            |run: &&Run| run.code.programs.is_empty() == self.code.programs.is_empty();
        let mut runs_of_builds = runs.iter().filter(has_programs);
        let found =
            runs_of_builds.find_map(|run| Some((self.executables.find_build(&run.code)?, run)));
        let Some((kept, run)) = found else { return Ok(profile.map(of_profile)) };
        let (name, code) = (name(run), run.code.clone());
        let executable = &self.head.executable;
        match (kept.unpack_beside(&executable.path, &executable.library_path()), profile) {
            (Ok(unpacked), profile) => {
                let test = self.unpacked_test(&kept.launch().directory, &unpacked);
                let build = SampledBuild { test, code, name, profile, _unpacked: unpacked };
                Ok(Some(KeptBase::Build(Box::new(build))))
            }
            (Err(_), Some(profile)) => Ok(Some(of_profile(profile))),
            (Err(why), None) => Err(CommandError::Usage(format!("{name} cannot run: {why}"))),
        }
    }

    fn kept_profile(
        &self,
        runs: &[Run],
        clock: SampledClock,
        name: impl Fn(&Run) -> String,
    ) -> Option<(Profile, String)> {
        runs.iter().find_map(|run| {
            let mut names = [&self.head.listed.benchmark].into_iter().chain(self.former_names());
            let profile = names.find_map(|it| self.profiles.find(it, clock, &run.code))?;
            Some((profile, name(run)))
        })
    }

    /// The test of an unpacked build, which ran in `directory` and starts the programs of its own time.
    fn unpacked_test(&self, directory: &Path, unpacked: &UnpackedBuild) -> SideTest {
        let mut test = self.head.clone();
        test.executable.path = unpacked.executable().to_owned();
        if directory.is_dir() {
            test.executable.directory = directory.to_owned();
        }
        test.listed = self.listed_in(&test);
        if test.listed.programs.is_some() {
            let programs = unpacked.directory_of_programs().as_os_str().to_owned();
            test.executable.environment.insert(PROGRAMS_VARIABLE.to_owned(), programs);
        }
        test
    }
}

/// The first characters of the commit; empty if unknown.
pub(super) fn short(run: &Run) -> &str {
    run.revision.commit.get(..7).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiler::RecordedProfile;
    use perftest_core::model::{Metric, ProgramCode, Reason, RunId};
    use perftest_process::{Launch, code_of_file};
    use perftest_store::conformance::example_run;
    use perftest_store::{Project, Testbeds};
    use std::fs;
    use std::thread::sleep;
    use std::time::Duration;

    /// A run of this build in the execution of the same name.
    fn run(build: &str, metric: Metric, reason: Reason) -> Run {
        let mut run = Run { session: build.into(), metric, ..example_run(0) };
        run.code.executable = build.into();
        run.code.text = build.into();
        run.evidence.as_mut().unwrap().reason = reason;
        run
    }

    #[test]
    fn a_build_whose_time_was_red_is_not_good_by_its_allocations() {
        let bad =
            [run("B", Metric::wall(), Reason::Red), run("B", Metric::allocations(), Reason::Green)];
        let good =
            [Metric::wall(), Metric::allocations()].map(|metric| run("A", metric, Reason::Green));
        let builds = |runs: &[&[Run]]| -> Vec<String> {
            let good = good_runs(runs.concat(), &CodeState::default());
            good.into_iter().map(|run| run.code.executable).collect()
        };
        assert_eq!(builds(&[&good, &bad]), ["A", "A"]);
        assert!(builds(&[&bad]).is_empty());
    }

    #[test]
    fn a_build_of_the_same_executable_and_programs_is_no_other_code_and_one_of_other_programs_is() {
        let of_program = |program: &str| {
            let mut run = run("A", Metric::wall(), Reason::Green);
            let (file, executable) = ("tool".to_owned(), program.to_owned());
            run.code.programs = vec![ProgramCode { file, executable }];
            run.code.text = program.to_owned();
            run
        };
        let present = of_program("new");
        assert!(is_good_with_other_code(&of_program("old"), &present.code));
        assert!(!is_good_with_other_code(&present, &present.code));
        // A test that starts programs of others has no text.
        let mut of_others = run("A", Metric::wall(), Reason::Green);
        of_others.code.text.clear();
        assert!(!is_good_with_other_code(&of_others, &of_others.code));
    }

    /// A file with this content, and its hash.
    fn file(path: PathBuf, content: &str) -> (PathBuf, String) {
        fs::write(&path, content).unwrap();
        let hash = code_of_file(&path, &[], None).unwrap().executable;
        (path, hash)
    }

    #[test]
    fn an_earlier_build_starts_the_kept_programs_of_its_own_time() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let (program, old_program) = file(directory.join("tool"), "old program");
        let (executable, old_executable) = file(directory.join("perf"), "old test");
        let (root, project) = (directory.join("history"), Project::of_identity("codec"));
        let executables = Executables::open(&root, &project);
        for (path, hash) in [(&executable, &old_executable), (&program, &old_program)] {
            // A program that another test starts may hold the lock for a moment.
            let is_kept = || executables.keep(path, &[], hash, &Launch::default()).unwrap();
            assert!((0..100).any(|_| is_kept() || {
                sleep(Duration::from_millis(10));
                false
            }));
        }
        let (program, new_program) = file(program, "new program");
        let mut head = SideTest::named("codec::perf::start");
        head.listed.programs = Some(vec![program.to_str().unwrap().to_owned()]);
        head.executable.path = executable;
        let code = head.code().unwrap();
        assert_eq!((code.programs.len(), &code.programs[0].executable), (1, &new_program));
        let mut good = run("A", Metric::wall(), Reason::Green);
        good.code.executable = old_executable;
        good.code.programs =
            vec![ProgramCode { file: "tool".into(), executable: old_program.clone() }];
        let kept = HistoryOfTest {
            code,
            head: &head,
            store: JsonlStore::open(&root, &project),
            series: Vec::new(),
            executables,
            profiles: ProfileStore::of_this_machine(&root, &project, &Testbeds::default()),
        };
        let find = |run: &Run| {
            kept.find(std::slice::from_ref(run), SampledClock::Wall, |_| "the build".into())
        };
        let Some(KeptBase::Build(base)) = find(&good).unwrap() else { panic!("it is kept") };
        let programs = &base.test.executable.environment[PROGRAMS_VARIABLE];
        let started = fs::read_to_string(Path::new(programs).join("tool"));
        assert_eq!(started.unwrap(), "old program");
        let beside = SampledBuild::beside(&head).executable.environment;
        assert_eq!(beside[PROGRAMS_VARIABLE], OWN_PROGRAMS, "both start copies of commands");
        assert!(base.profile.is_none(), "none is kept");
        let recorded = RecordedProfile::of_function("start", SampledClock::Wall);
        kept.profiles.keep(&head.listed.benchmark, &good.code, &recorded).unwrap();
        let Some(KeptBase::Build(base)) = find(&good).unwrap() else { panic!("it is kept") };
        assert!(base.profile.is_some(), "it is shown where the build cannot be sampled");
        assert_eq!(base.code, good.code, "a profile of it is kept for these programs");
        good.code.programs.clear();
        assert!(find(&good).unwrap().is_none(), "its programs are not kept");
    }

    #[test]
    fn the_id_of_a_run_is_no_branch_and_no_commit() {
        assert!(is_run_id(RunId::new(1_795_401_629_278, 7).as_str()));
        for revision in ["main", "last-good", "HEAD~1", "0123456789abcdef0123456789"] {
            assert!(!is_run_id(revision), "{revision}");
        }
    }
}
