//! How fresh processes are started.

use super::package::Packages;
use super::test_names::TestNames;
use crate::perf_test::NamesInExecutable;
use perftest_process::WorkerCommand;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

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

static START_DIRECTORY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
static STARTED_FILE: OnceLock<Option<FileState>> = OnceLock::new();

/// The size of an executable, and when it was written. A hard link changes neither.
type FileState = (u64, SystemTime);

/// Remembers the executable and the directory with which this process was started.
pub(super) fn remember_start(names: TestNames, packages: &Packages) {
    // An error is the same for the first fresh process.
    let _ = this_executable();
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    // Else cargo started a program that started this one.
    let package = package.filter(|it| packages.has(it));
    START_DIRECTORY.get_or_init(|| find_start_directory(names, package));
}

/// Finds the directory in which this process was started. Before the first perf test an ordinary test may have left it:
/// for libtest it is the directory of the package, where cargo starts tests.
fn find_start_directory(names: TestNames, package: Option<PathBuf>) -> Result<PathBuf, String> {
    let package = package.filter(|it| it.is_dir());
    let package = package.filter(|_| names == TestNames::OrdinaryTests);
    package.map_or_else(present_directory, Ok)
}

/// The directory in which this process was started, as a session remembers it: a body may change to another one, and
/// remove that.
///
/// # Errors
/// A message when the system does not provide it.
pub(super) fn start_directory() -> Result<&'static Path, String> {
    START_DIRECTORY.get_or_init(present_directory).as_deref().map_err(String::clone)
}

fn present_directory() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|error| error.to_string())
}

/// The path of the executable that runs.
///
/// # Errors
/// A message when the system does not provide the path, or a build has put other code there.
pub(super) fn this_executable() -> Result<PathBuf, String> {
    let path = std::env::current_exe().map_err(|error| error.to_string())?;
    let started = STARTED_FILE.get_or_init(|| state_of(&path));
    refuse_rebuilt(*started, state_of(&path))?;
    Ok(path)
}

fn refuse_rebuilt(started: Option<FileState>, now: Option<FileState>) -> Result<(), String> {
    let is_rebuilt = started.is_some() && started != now;
    let why = "the test executable was rebuilt meanwhile. Run the test again";
    if is_rebuilt { Err(why.to_owned()) } else { Ok(()) }
}

fn state_of(executable: &Path) -> Option<FileState> {
    let found = fs::metadata(executable).ok()?;
    Some((found.len(), found.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    #[test]
    fn an_executable_that_was_rebuilt_or_removed_is_not_started_again() {
        let directory = scratch("rebuilt");
        let path = directory.join("perf");
        fs::write(&path, "before").unwrap();
        let started = state_of(&path);
        fs::hard_link(&path, directory.join("perf-link")).unwrap();
        assert_eq!(refuse_rebuilt(started, state_of(&path)), Ok(()));
        fs::write(directory.join("new"), "afterwards").unwrap();
        fs::rename(directory.join("new"), &path).unwrap();
        assert!(refuse_rebuilt(started, state_of(&path)).unwrap_err().contains("rebuilt"));
        fs::remove_file(&path).unwrap();
        assert!(refuse_rebuilt(started, state_of(&path)).is_err());
        assert_eq!(refuse_rebuilt(None, None), Ok(()), "nobody knows");
    }

    #[test]
    fn fresh_processes_start_in_the_packages_directory_also_after_an_ordinary_test_left_it() {
        let package = scratch("start-directory");
        let of = |names, package: &Path| find_start_directory(names, Some(package.into())).unwrap();
        let present = present_directory().unwrap();
        assert_eq!(of(TestNames::OrdinaryTests, &package), *package);
        assert_eq!(of(TestNames::PerfTests, &package), present, "no test came before");
        assert_eq!(of(TestNames::OrdinaryTests, &package.join("nowhere")), present);
        assert_eq!(find_start_directory(TestNames::OrdinaryTests, None).unwrap(), present);
    }
}
