//! The git repository around the current directory.

use crate::exit::{CommandError, Result};
use perftest_process::{GitQuestion, Repository, git_command};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A checkout of a large repository takes minutes.
const LONGEST_WORK: Duration = Duration::from_secs(600);

/// A checkout of a repository.
#[derive(Debug)]
pub(crate) struct GitCheckout {
    /// The root of the checkout.
    pub(crate) root: PathBuf,
    /// The current directory, below the root.
    pub(crate) below: PathBuf,
}

impl GitCheckout {
    /// Finds the checkout around this directory.
    pub(crate) fn around(here: &Path) -> Result<Self> {
        if Repository::containing(here).is_none() {
            return Err(CommandError::Usage(format!(
                "{} is in no git repository, and revisions come from one: go to a checkout of the project. \
                 Two test executables need none: cargo perftest compare --executables BASE HEAD",
                here.display()
            )));
        }
        let output = answer(here, &["rev-parse", "--show-toplevel", "--show-prefix"]);
        let output = output.map_err(|why| {
            CommandError::Usage(format!("git refuses to read this repository: {why}"))
        })?;
        let mut lines = output.lines();
        let mut next = || PathBuf::from(lines.next().unwrap_or_default());
        Ok(Self { root: next(), below: next() })
    }

    /// Returns when the commit of this name was made, in seconds since 1970; `None` where git knows none.
    pub(crate) fn commit_time_s(&self, name: &str) -> Option<u64> {
        let commit = format!("{name}^{{commit}}");
        let question = ["log", "-1", "--format=%ct", "--end-of-options", &commit, "--"];
        self.git(&question).ok()?.trim().parse().ok()
    }

    /// Whether this clone has the commit with this hash.
    pub(crate) fn has_commit(&self, hash: &str) -> bool {
        self.git(&["cat-file", "-e", &format!("{hash}^{{commit}}")]).is_ok()
    }

    /// Whether this clone has both commits, and the second one comes from the first.
    pub(crate) fn is_ancestor(&self, hash: &str, of: &str) -> bool {
        self.git(&["merge-base", "--is-ancestor", hash, of]).is_ok()
    }

    /// Runs git and returns its output without the last line end.
    pub(crate) fn git(&self, question: &[&str]) -> Result<String> {
        answer(&self.root, question).map_err(CommandError::Usage)
    }

    /// Runs a slow git command with these variables.
    pub(crate) fn git_work(
        &self,
        variables: &[(&str, &OsStr)],
        arguments: &[&str],
    ) -> Result<String> {
        let mut command = git(&self.root);
        command.envs(variables.iter().copied()).args(arguments);
        run(command, LONGEST_WORK).map_err(CommandError::Usage)
    }

    /// Returns the path of git's own file of this name.
    pub(crate) fn own_file(&self, name: &str) -> Result<PathBuf> {
        Ok(self.root.join(self.git(&["rev-parse", "--git-path", name])?))
    }
}

fn answer(directory: &Path, question: &[&str]) -> Result<String, String> {
    let mut command = git(directory);
    command.args(question);
    run(command, GitQuestion::LONGEST)
}

fn git(directory: &Path) -> Command {
    let mut command = git_command(directory);
    // The user's hooks must not run for our checkouts, and a signature is no part of an answer.
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false"]);
    command
}

fn run(command: Command, longest: Duration) -> Result<String, String> {
    let answer = GitQuestion::ask(command).answer(longest)?;
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}
