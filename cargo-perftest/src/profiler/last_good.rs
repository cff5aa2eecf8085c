//! The last good build of a test, whose executable the history keeps.

use crate::compare::SideTest;
use crate::exit::CommandError;
use crate::history_directory;
use perftest_core::model::Run;
use perftest_process::{Executables, UnpackedExecutable, code_of_file, find_project};
use perftest_store::{JsonlStore, Series, Store};
use std::path::{Path, PathBuf};

/// Newest runs that are looked through.
const LOOK_BACK: usize = 200;

/// A kept build of a test. Its executable is removed with this.
#[derive(Debug)]
pub(crate) struct LastGoodBuild {
    pub(crate) test: SideTest,
    /// The first characters of its commit; empty if unknown.
    pub(crate) commit: String,
    _unpacked: UnpackedExecutable,
}

impl LastGoodBuild {
    /// Unpacks the newest kept build that was good and has other machine code than `head`.
    ///
    /// # Errors
    /// When no such build is kept, or it cannot be read or written.
    pub(crate) fn of(head: &SideTest, store: Option<PathBuf>) -> Result<Self, CommandError> {
        let benchmark = &head.listed.benchmark;
        let place = history_directory::find(store)?;
        let project = find_project(&head.executable.directory);
        let store = JsonlStore::open(&place.root, &project);
        let executables = Executables::open(&place.root, &project);
        let code =
            code_of_file(&head.executable.path, None).map(|code| code.text).unwrap_or_default();
        let mut found = None;
        for series in &store.list(Some(benchmark))?.series.value {
            let runs = good_runs(&store, series, &code)?;
            let kept = runs.into_iter().find_map(|run| {
                let kept = executables.find(&run.code.executable).ok()??;
                Some((run.started_ms, run.revision.commit, kept))
            });
            found = found.into_iter().chain(kept).max_by_key(|(started, ..)| *started);
        }
        let Some((_, commit, kept)) = found else {
            return Err(CommandError::Usage(format!(
                "no good build of `{benchmark}` with other machine code is kept on this machine. Name a \
                 revision: --diff main"
            )));
        };
        let directory = head.executable.path.parent().unwrap_or(Path::new("."));
        let unpacked = kept.unpack(directory)?;
        let mut test = head.clone();
        test.executable.path = unpacked.path().to_owned();
        if kept.launch.directory.is_dir() {
            test.executable.directory.clone_from(&kept.launch.directory);
        }
        let commit = commit.get(..7).unwrap_or_default().to_owned();
        Ok(Self { test, commit, _unpacked: unpacked })
    }
}

/// The good runs of other code, the newest first.
fn good_runs(store: &JsonlStore, series: &Series, code: &str) -> Result<Vec<Run>, CommandError> {
    let history = store.load(&series.query(LOOK_BACK))?.value;
    let is_good = |run: &Run| {
        let was_good = run.evidence.as_ref().is_some_and(|it| it.reason.clears_code());
        was_good && run.code.text != code && !run.code.executable.is_empty()
    };
    let mut runs: Vec<Run> = history.runs.into_iter().filter(is_good).collect();
    runs.reverse();
    Ok(runs)
}
