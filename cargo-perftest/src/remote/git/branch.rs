//! The commands of git for one branch of the origin.

use super::commit_input::CommitInput;
use super::nameless_file::{nameless_file, unusable};
use crate::remote::RemoteError;
use perftest_process::{GitQuestion, git_command, normalise_url};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A first fetch of a large history over a slow network takes minutes.
const LONGEST_WORK: Duration = Duration::from_secs(600);
/// Longest wait for the name of the newest commit.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
const ORIGIN: &str = "origin";

/// A branch of the origin, and what this clone has of it.
#[derive(Debug)]
pub(super) struct HistoryBranch {
    /// A directory in the clone.
    directory: PathBuf,
    name: String,
    /// The newest commit that was fetched.
    tip: Option<String>,
    /// The clone ends at some commits, so that it may end at others, too.
    is_shallow: bool,
    /// The address of the origin, as git has it.
    origin: String,
}

/// The user's hooks and habits are for the user's own branches.
const SETTINGS: [&str; 10] = [
    // A server that sends nothing for so many seconds is not waited for.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "core.hooksPath=/dev/null",
    "push.followTags=false",
    "push.gpgSign=false",
    "push.recurseSubmodules=no",
    "gc.auto=0",
    "advice.pushUpdateRejected=false",
    "advice.pushFetchFirst=false",
    "advice.pushNonFFCurrent=false",
];

impl HistoryBranch {
    /// # Errors
    /// When the directory is in no git repository with an origin.
    pub(super) fn open(directory: &Path, name: &str) -> Result<Self, RemoteError> {
        let mut branch = Self {
            directory: directory.to_owned(),
            name: name.to_owned(),
            tip: None,
            is_shallow: false,
            origin: String::new(),
        };
        let is_shallow = branch.git(&["rev-parse", "--is-shallow-repository"]).map_err(|why| {
            RemoteError::new(format!(
                "git:{name} is used inside of a clone of the repository: {why}"
            ))
        })?;
        branch.is_shallow = is_shallow.trim() == "true";
        branch.origin =
            branch.git(&["config", "--get", "remote.origin.url"]).map_err(|_| {
                RemoteError::new(format!(
                    "git:{name} is a branch of the remote `origin`, and this repository has none; add it with \
                     `git remote add origin URL`"
                ))
            })?;
        Ok(branch)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The same text for all addresses of the origin, without credentials.
    pub(super) fn origin(&self) -> String {
        normalise_url(self.origin.trim(), &self.directory)
    }

    /// Returns whether the origin had no such branch at the last fetch.
    pub(super) fn is_missing(&self) -> bool {
        self.tip.is_none()
    }

    /// Fetches the branch, and lists its files as `git ls-tree` does. `None` if the origin has no such branch.
    pub(super) fn fetch(&mut self) -> Result<Option<String>, RemoteError> {
        self.tip = self.newest_commit()?;
        while let Some(tip) = self.tip.clone() {
            if !self.was_brought(&tip) {
                self.fetch_objects()?;
            }
            let commit = format!("{tip}^{{commit}}");
            if self.git(&["cat-file", "-e", &commit]).is_ok() {
                return self.git(&["ls-tree", "-r", "-l", "-z", "--full-tree", &tip]).map(Some);
            }
            // A shallow clone got only a commit that came in between.
            self.tip = self.newest_commit()?;
            if self.tip.as_deref() == Some(&*tip) {
                let name = &self.name;
                return Err(RemoteError::new(format!(
                    "git fetched no commit {tip} of {name}; `git fsck` shows what is wrong with this clone"
                )));
            }
        }
        Ok(None)
    }

    /// Asks the origin for the newest commit of the branch.
    fn newest_commit(&self) -> Result<Option<String>, RemoteError> {
        let command = self.command(&["ls-remote", ORIGIN, &self.at_origin()]);
        let listed = ask(command, LONGEST_ANSWER)?;
        let mut references = listed.lines().filter_map(|line| line.split_once('\t'));
        // Git also lists names that only end so.
        let found = references.find(|(_, name)| *name == self.at_origin());
        Ok(found.map(|(commit, _)| commit.to_owned()))
    }

    /// Returns whether an earlier fetch or push has ended with this commit. A commit that only happens to be
    /// among the objects may lack its files.
    fn was_brought(&self, commit: &str) -> bool {
        let here = self.git(&["rev-parse", "--verify", "--quiet", &self.here()]);
        here.is_ok_and(|here| here.trim() == commit)
    }

    fn fetch_objects(&self) -> Result<(), RemoteError> {
        let branch = format!("+{}:{}", self.at_origin(), self.here());
        let mut arguments = vec![
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            // A clone without contents needs these.
            "--no-filter",
            "--refmap=",
        ];
        // Where the clone is whole, this would make git take it for shallow.
        if self.is_shallow {
            arguments.push("--depth=1");
        }
        arguments.extend([ORIGIN, &branch]);
        self.git_work(&arguments).map(drop)
    }

    /// Writes the contents of these objects to a file, each behind a line with its size.
    pub(super) fn contents(&self, blobs: &[&str], answer: File) -> Result<(), RemoteError> {
        let mut question = nameless_file()?;
        let text = blobs.join("\n") + "\n";
        let written = question.write_all(text.as_bytes()).and_then(|()| question.rewind());
        written.map_err(unusable)?;
        let mut command = self.command(&["cat-file", "--batch"]);
        command.stdin(question);
        of_git(GitQuestion::ask_into(command, answer).answer(LONGEST_WORK)).map(drop)
    }

    /// Makes a commit on top of the fetched one, and sends it.
    ///
    /// # Errors
    /// Also when the branch has other commits since the last fetch: [`others_were_faster`] recognises that.
    pub(super) fn push(&self, input: CommitInput, message: &str) -> Result<(), RemoteError> {
        let mut command = self.command(&["fast-import", "--quiet", "--force", "--done"]);
        let input = input.finish(&self.here(), self.tip.as_deref(), message);
        command.stdin(input.map_err(unusable)?);
        let commit = ask(command, LONGEST_WORK)?.trim().to_owned();
        let target = format!("{commit}:{}", self.at_origin());
        self.git_work(&["push", "--quiet", ORIGIN, &target]).map(drop)
    }

    /// The name of the branch in the origin.
    fn at_origin(&self) -> String {
        format!("refs/heads/{}", self.name)
    }

    /// The name of the newest known commit in this clone. No branch: nobody sees it in a list.
    fn here(&self) -> String {
        format!("refs/perftest/{}", self.name)
    }

    fn git(&self, arguments: &[&str]) -> Result<String, RemoteError> {
        ask(self.command(arguments), GitQuestion::LONGEST)
    }

    /// Runs a slow command.
    fn git_work(&self, arguments: &[&str]) -> Result<String, RemoteError> {
        ask(self.command(arguments), LONGEST_WORK)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = git_command(&self.directory);
        // Its messages are read, and nobody answers a question for a password.
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", *setting])).args(arguments);
        command
    }
}

fn ask(command: Command, longest: Duration) -> Result<String, RemoteError> {
    of_git(GitQuestion::ask(command).answer(longest))
}

fn of_git(answer: Result<String, String>) -> Result<String, RemoteError> {
    answer.map_err(|message| {
        let settings: String = SETTINGS.iter().map(|setting| format!("-c {setting} ")).collect();
        RemoteError::new(message.replace(&settings, ""))
    })
}

/// Returns whether a command failed because another process was faster, so that it may work later.
pub(super) fn others_were_faster(error: &RemoteError) -> bool {
    const FINAL: [&str; 5] =
        ["declined", "protected", "denied", "unpacker error", "is currently checked out"];
    // The reason is behind the names, which people chose.
    let reason = |line: &str| line.rsplit_once(" (").map_or(String::new(), |(_, it)| it.to_owned());
    let is_final = |line: &str| FINAL.iter().any(|words| reason(line).contains(words));
    error.to_string().lines().any(|line| {
        let is_refused = line.contains("[rejected]") || line.contains("[remote rejected]");
        let is_locked = line.contains("cannot lock ref") && !line.contains("Permission denied");
        is_refused && !is_final(line) || is_locked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_push_that_may_work_later_is_repeated() {
        for message in [
            " ! [rejected]        aa -> perf (fetch first)",
            " ! [remote rejected] aa -> perf (cannot lock ref 'refs/heads/perf')",
            " ! [remote rejected] aa -> perf (failed to update ref)",
            " ! [rejected]        aa -> protected/denied (fetch first)",
            "error: cannot lock ref 'refs/perftest/perf': is at aa but expected bb",
        ] {
            assert!(others_were_faster(&RemoteError::new(message)), "{message}");
        }
        for message in [
            " ! [remote rejected] aa -> perf (pre-receive hook declined)",
            " ! [remote rejected] aa -> perf (protected branch)",
            " ! [remote rejected] aa -> perf (push declined due to repository rule violations)",
            " ! [remote rejected] aa -> perf (branch is currently checked out)",
            "remote: Permission to team/codec denied to bot.",
            "fatal: unable to access 'https://example.org': Could not resolve host",
        ] {
            assert!(!others_were_faster(&RemoteError::new(message)), "{message}");
        }
    }
}
