//! The last good build of a test: its executable, or its profile, as the history keeps them.

use super::RecordedProfile;
use super::profile_store::ProfileStore;
use crate::compare::SideTest;
use crate::exit::CommandError;
use crate::history_directory;
use crate::report::print_progress;
use perftest_analysis::profile::Profile;
use perftest_core::model::Run;
use perftest_process::protocol::SampledClock;
use perftest_process::{Executables, UnpackedExecutable, code_of_file, find_project};
use perftest_store::{JsonlStore, Store};
use std::path::{Path, PathBuf};

/// Newest runs that are looked through.
const LOOK_BACK: usize = 200;

/// What is left of the last good build.
#[derive(Debug)]
pub(crate) enum LastGood {
    /// Its executable, to be sampled in the same hour as another one.
    Build(LastGoodBuild),
    /// Its profile of then, with its commit.
    Profile(Box<Profile>, String),
}

/// A kept build of a test. Its executable is removed with this.
#[derive(Debug)]
pub(crate) struct LastGoodBuild {
    pub(crate) test: SideTest,
    /// The first characters of its commit; empty if unknown.
    pub(crate) commit: String,
    _unpacked: UnpackedExecutable,
}

impl LastGood {
    /// Finds the newest good build with other machine code than `head`: its executable, or else its profile by
    /// this clock.
    ///
    /// # Errors
    /// When neither is kept, or the history cannot be read.
    pub(crate) fn of(
        head: &SideTest,
        clock: SampledClock,
        store: Option<PathBuf>,
    ) -> Result<Self, CommandError> {
        let benchmark = &head.listed.benchmark;
        let root = history_directory::find(store)?.root;
        let project = find_project(&head.executable.directory);
        let executables = Executables::open(&root, &project);
        let runs = good_runs(&JsonlStore::open(&root, &project), head)?;
        let kept = runs.iter().find_map(|run| {
            let kept = executables.find(&run.code.executable).ok()??;
            Some((kept, short(&run.revision.commit)))
        });
        if let Some((kept, commit)) = kept {
            let directory = head.executable.path.parent().unwrap_or(Path::new("."));
            let unpacked = kept.unpack(directory)?;
            let mut test = head.clone();
            test.executable.path = unpacked.path().to_owned();
            if kept.launch.directory.is_dir() {
                test.executable.directory.clone_from(&kept.launch.directory);
            }
            return Ok(Self::Build(LastGoodBuild { test, commit, _unpacked: unpacked }));
        }
        let profiles = ProfileStore::open(&root, &project);
        let stored = runs.iter().find_map(|run| {
            let profile = profiles.find(benchmark, clock, &run.code.executable)?;
            Some(Self::Profile(Box::new(profile), short(&run.revision.commit)))
        });
        stored.ok_or_else(|| {
            CommandError::Usage(format!(
                "no good build of `{benchmark}` with other machine code is kept on this machine, nor a \
                 profile of one. Name a revision: --diff main"
            ))
        })
    }
}

/// Keeps a profile with the history, if there is one. A history that cannot be written is no reason to fail: the
/// profile is in its file.
pub(crate) fn keep_profile(test: &SideTest, recorded: &RecordedProfile, store: Option<PathBuf>) {
    let Ok(root) = history_directory::writable(store) else { return };
    let Ok(code) = code_of_file(&test.executable.path, None) else { return };
    let project = find_project(&test.executable.directory);
    let profiles = ProfileStore::open(&root, &project);
    if let Err(error) = profiles.keep(&test.listed.benchmark, &code.executable, recorded) {
        print_progress(&format_args!("warning: the profile is not kept with the history: {error}"));
    }
}

/// The good runs of the test with other code, the newest first.
fn good_runs(store: &JsonlStore, head: &SideTest) -> Result<Vec<Run>, CommandError> {
    let code = code_of_file(&head.executable.path, None).map(|code| code.text).unwrap_or_default();
    let is_good = |run: &Run| {
        let was_good = run.evidence.as_ref().is_some_and(|it| it.reason.clears_code());
        was_good && run.code.text != code && !run.code.executable.is_empty()
    };
    let mut runs = Vec::new();
    for series in &store.list(Some(&head.listed.benchmark))?.series.value {
        let history = store.load(&series.query(LOOK_BACK))?.value;
        runs.extend(history.runs.into_iter().filter(is_good));
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.started_ms));
    Ok(runs)
}

fn short(commit: &str) -> String {
    commit.get(..7).unwrap_or_default().to_owned()
}
