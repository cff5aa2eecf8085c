//! The repository around the current directory, as git knows it.

use crate::exit::Failure;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What git would take for another repository than the one it is asked about, as in a hook.
const MISLEADING: [&str; 4] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"];

/// A checkout of a repository.
#[derive(Debug)]
pub(crate) struct Repository {
    /// Its root.
    pub(crate) root: PathBuf,
    /// The current directory, below the root.
    pub(crate) below: PathBuf,
}

impl Repository {
    /// The checkout around this directory.
    pub(crate) fn around(here: &Path) -> Result<Self, Failure> {
        let told = run(git(here).args(["rev-parse", "--show-toplevel", "--show-prefix"]));
        let told = told.map_err(|why| {
            Failure::Usage(format!("revisions are compared inside of a git repository: {why}"))
        })?;
        let mut lines = told.lines();
        let mut next = || PathBuf::from(lines.next().unwrap_or_default());
        Ok(Self { root: next(), below: next() })
    }

    /// What git prints, without the end of its line.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        run(git(&self.root).args(arguments)).map_err(Failure::Usage)
    }

    /// The same with variables.
    pub(super) fn git_with(
        &self,
        variables: &[(&str, &OsStr)],
        arguments: &[&str],
    ) -> Result<String, Failure> {
        let mut command = git(&self.root);
        command.envs(variables.iter().copied()).args(arguments);
        run(&mut command).map_err(Failure::Usage)
    }

    /// Its own file of this name, wherever git keeps it.
    pub(super) fn own_file(&self, name: &str) -> Result<PathBuf, Failure> {
        Ok(self.root.join(self.git(&["rev-parse", "--git-path", name])?))
    }
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    for name in MISLEADING {
        command.env_remove(name);
    }
    // A checkout of ours is none of the user's hooks' business.
    command.args(["-c", "core.hooksPath=/dev/null"]).current_dir(directory).stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("git cannot be started: {error}"))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git says: {}", error.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned())
}
