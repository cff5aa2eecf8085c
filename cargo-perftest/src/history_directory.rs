//! The directory of the history.

use crate::cargo_environment::variables_of_tests;
use crate::exit::{CommandError, Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::report::print_progress;
use perftest_core::words::{former_project, project_left_behind};
use perftest_process::{
    adopt_project, find_project_in_store, find_project_left_behind, state_directory,
};
use perftest_store::{JsonlStore, Project, Store, Testbeds, find_former_project};
use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory with history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistoryDirectory {
    pub(crate) root: PathBuf,
    /// `PERFTEST_STORE=read-only`: read, but write nothing.
    pub(crate) read_only: bool,
    /// Named with `--store`.
    pub(crate) is_named: bool,
}

impl HistoryDirectory {
    /// # Errors
    /// When nothing may be written there.
    pub(crate) fn refuse_read_only(&self) -> Result<()> {
        match self.read_only {
            true => refuse(READ_ONLY),
            false => Ok(()),
        }
    }

    /// Returns the project of a directory. Its history gets the name that all clones share, if the repository had no
    /// origin when the history began.
    pub(crate) fn project_of(&self, directory: &Path) -> Project {
        match self.read_only {
            true => find_project_in_store(&self.root, directory),
            false => adopt_project(&self.root, directory),
        }
    }

    /// Prints a hint if `project` has no history yet, and another project has runs of the commits in `directory`; or if
    /// runs are under the name from before the repository had an origin.
    pub(crate) fn hint_at_other_history(&self, project: &Project, directory: &Path) {
        if project.directory(&self.root).exists() {
            if let Some(left) = find_project_left_behind(&self.root, directory) {
                print_progress(&format_args!("note: {}", project_left_behind(&left.slug)));
            }
            return;
        }
        let Ok(repository) = GitCheckout::around(directory) else { return };
        let commits = repository.git(&["rev-list", "--max-count=500", "HEAD"]).unwrap_or_default();
        let commits: HashSet<&str> = commits.lines().collect();
        let former = find_former_project(&self.root, project, |commit| commits.contains(commit));
        if let Some(former) = former {
            print_progress(&format_args!("note: {}", former_project(&former.slug)));
        }
    }

    /// Describes the directory without the user's path, because output is often shared.
    pub(crate) fn in_words(&self) -> String {
        let home =
            directories::BaseDirs::new().map(|directories| directories.home_dir().to_owned());
        let below_home =
            home.and_then(|home| self.root.strip_prefix(home).ok().map(Path::to_owned));
        match below_home {
            Some(below_home) => format!("~/{}", below_home.display()),
            None => "a directory of its own".into(),
        }
    }
}

/// Returns the directory of the command line, or else of `PERFTEST_STORE`, or else the user's state
/// directory: the same rule as in the test harness.
pub(crate) fn find(asked: Option<PathBuf>) -> Result<HistoryDirectory> {
    let user_directory = || state_directory(&|name| env::var_os(name));
    let variable = variables_of_tests(&here().unwrap_or_default());
    choose(asked, variable("PERFTEST_STORE").map(PathBuf::from), user_directory)
}

/// Returns how the testbeds of the project in `directory` are read: as they were recorded, where there is no history,
/// and where its decisions cannot be read. A comparison needs no history.
pub(crate) fn testbeds(asked: Option<PathBuf>, directory: &Path) -> Arc<Testbeds> {
    let Ok(HistoryDirectory { root, .. }) = find(asked) else { return Arc::default() };
    let store = JsonlStore::open(&root, &find_project_in_store(&root, directory));
    match store.decisions() {
        Ok(decisions) => decisions.value.testbeds,
        Err(error) => {
            print_progress(&format_args!(
                "warning: testbeds have the names in the records, because decisions about them cannot be read: {error}"
            ));
            Arc::default()
        }
    }
}

/// Returns the directory for other processes to write: absolute, because their current directories
/// differ.
pub(crate) fn writable(asked: Option<PathBuf>) -> Result<PathBuf> {
    let directory = find(asked)?;
    directory.refuse_read_only()?;
    absolute(directory.root)
}

/// Returns the same directory as an absolute path.
pub(crate) fn absolute(root: PathBuf) -> Result<PathBuf> {
    std::path::absolute(&root).map_err(|error| {
        CommandError::Usage(format!("`{}` is no directory for history: {error}", root.display()))
    })
}

/// The current directory.
pub(crate) fn here() -> Result<PathBuf> {
    env::current_dir()
        .map_err(|error| CommandError::Usage(format!("the current directory is unknown: {error}")))
}

fn choose(
    asked: Option<PathBuf>,
    variable: Option<PathBuf>,
    user_directory: impl FnOnce() -> Option<PathBuf>,
) -> Result<HistoryDirectory> {
    if let Some(root) = asked {
        return Ok(HistoryDirectory { root, read_only: false, is_named: true });
    }
    let variable = variable.filter(|value| !value.as_os_str().is_empty());
    let read_only = match variable.as_ref().and_then(|value| value.to_str()) {
        Some("off") => return refuse(OFF),
        Some("read-only") => true,
        _ => false,
    };
    let named = variable.filter(|_| !read_only);
    if named.as_ref().is_some_and(|root| !root.is_absolute()) {
        return refuse(RELATIVE);
    }
    let root = named.or_else(user_directory);
    let root = root.ok_or_else(|| CommandError::Usage(HOMELESS.into()))?;
    Ok(HistoryDirectory { root, read_only, is_named: false })
}

const OFF: &str = "no history is kept here: PERFTEST_STORE is `off`; unset it, or name a directory \
                   with --store";
const READ_ONLY: &str = "nothing can be recorded here: PERFTEST_STORE is `read-only`; unset it, or \
                         name a directory with --store";
const RELATIVE: &str = "PERFTEST_STORE needs an absolute directory, because cargo runs each \
                        package's tests in another place; or name a directory with --store";
const HOMELESS: &str = "the user has no home directory, so there is no place for history; name a \
                        directory with --store or PERFTEST_STORE";

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(asked: Option<&str>, variable: Option<&str>) -> Result<HistoryDirectory, String> {
        let user_directory = || Some(PathBuf::from("home"));
        choose(asked.map(Into::into), variable.map(Into::into), user_directory)
            .map(|it| HistoryDirectory { is_named: false, ..it })
            .map_err(|failure| failure.to_string())
    }

    fn place(root: &str, read_only: bool) -> Result<HistoryDirectory, String> {
        Ok(HistoryDirectory { root: root.into(), read_only, is_named: false })
    }

    #[test]
    fn the_nearest_word_counts() {
        assert_eq!(chosen(Some("asked"), Some("/named")), place("asked", false));
        assert_eq!(chosen(None, Some("/named")), place("/named", false));
        assert_eq!(chosen(None, Some("")), place("home", false));
        assert_eq!(chosen(None, None), place("home", false));
    }

    #[test]
    fn the_words_of_the_variable_are_no_directories() {
        assert_eq!(chosen(None, Some("read-only")), place("home", true));
        assert!(chosen(None, Some("off")).unwrap_err().contains("--store"));
        assert_eq!(chosen(Some("asked"), Some("off")), place("asked", false));
    }

    #[test]
    fn a_relative_directory_in_the_variable_is_refused() {
        assert!(chosen(None, Some("history")).unwrap_err().contains("absolute"));
        assert_eq!(chosen(Some("history"), None), place("history", false));
    }

    #[test]
    fn without_a_home_there_is_a_way_out() {
        let failure = choose(None, None, || None).unwrap_err().to_string();
        assert!(failure.contains("--store"), "{failure}");
    }
}
