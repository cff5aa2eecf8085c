//! How fresh processes are started.

use crate::perf_test::NamesInExecutable;
use perftest_process::WorkerCommand;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Returns the command for a fresh process of an executable that has a test of these names.
pub(super) fn worker_command(
    names: NamesInExecutable,
    executable: &Path,
    longest_start: Duration,
) -> Result<WorkerCommand, String> {
    Ok(WorkerCommand {
        executable: executable.to_owned(),
        directory: start_directory()?.to_owned(),
        test: names.listed,
        ordinary: names.ordinary,
        test_threads: if thread::current().name() == Some("main") { 1 } else { 2 },
        environment: Vec::new(),
        longest_start,
    })
}

/// The directory in which this process was started, as a session remembers it: a body may change to another one, and
/// remove that.
///
/// # Errors
/// A message when the system does not provide it.
pub(super) fn start_directory() -> Result<&'static Path, String> {
    static DIRECTORY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let present = || std::env::current_dir().map_err(|error| error.to_string());
    DIRECTORY.get_or_init(present).as_deref().map_err(String::clone)
}

/// The path of the executable that runs.
///
/// # Errors
/// A message when the system does not provide the path.
pub(super) fn this_executable() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| error.to_string())
}
