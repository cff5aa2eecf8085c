//! The commands of git for one branch of the origin.

use super::scratch::Scratch;
use crate::remote::RemoteError;
use perftest_process::{GitQuestion, git_command};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A first fetch of a large history over a slow network takes minutes.
const LONGEST_WORK: Duration = Duration::from_secs(600);
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
}

/// The user's hooks and habits are for the user's own branches.
const SETTINGS: [&str; 8] = [
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
        };
        let is_shallow = branch.git(&["rev-parse", "--is-shallow-repository"]).map_err(|why| {
            RemoteError::new(format!(
                "git:{name} is used inside of a clone of the repository: {why}"
            ))
        })?;
        branch.is_shallow = is_shallow.trim() == "true";
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
        let listed = self.git_work(&["ls-remote", ORIGIN, &self.at_origin()])?;
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

    /// Returns the content of these objects.
    pub(super) fn contents(
        &self,
        blobs: &[&str],
        scratch: &Scratch,
    ) -> Result<Vec<Vec<u8>>, RemoteError> {
        if blobs.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.command(&["cat-file", "--batch"]);
        let question = blobs.join("\n") + "\n";
        command.stdin(scratch.input(|input| input.write_all(question.as_bytes()))?);
        let answer = ask(command, LONGEST_WORK)?;
        if let Some(contents) = split_batch(answer.as_bytes(), blobs) {
            return Ok(contents);
        }
        // Bytes that are no text changed the sizes in the answer. Their line is damaged anyway.
        let content = |blob: &&str| self.git_work(&["cat-file", "blob", blob]);
        blobs.iter().map(|blob| content(blob).map(String::into_bytes)).collect()
    }

    /// Makes a commit with these files of `scratch` on top of the fetched one, and sends it.
    ///
    /// # Errors
    /// Also when the branch has other commits since the last fetch: [`others_were_faster`] recognises that.
    pub(super) fn push(
        &self,
        files: &[PathBuf],
        records: usize,
        scratch: &Scratch,
    ) -> Result<(), RemoteError> {
        let mut command = self.command(&["fast-import", "--quiet", "--force", "--done"]);
        command.stdin(scratch.input(|input| self.write_import(files, records, scratch, input))?);
        let commit = ask(command, LONGEST_WORK)?.trim().to_owned();
        let target = format!("{commit}:{}", self.at_origin());
        self.git_work(&["push", "--quiet", ORIGIN, &target]).map(drop)
    }

    /// Writes the input of `git fast-import` for the commit.
    fn write_import(
        &self,
        files: &[PathBuf],
        records: usize,
        scratch: &Scratch,
        input: &mut dyn Write,
    ) -> io::Result<()> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let message = format!("Add {}", crate::stats::counted(records, "record"));
        writeln!(
            input,
            "commit {}\nmark :1\ncommitter perftest <> {} +0000\ndata {}\n{message}",
            self.here(),
            now.as_secs(),
            message.len()
        )?;
        if let Some(tip) = &self.tip {
            writeln!(input, "from {tip}")?;
        }
        for file in files {
            let content = fs::read(file)?;
            let path = scratch.path_in_branch(file);
            writeln!(input, "M 100644 inline {path}\ndata {}", content.len())?;
            input.write_all(&content)?;
            writeln!(input)?;
        }
        input.write_all(b"\nget-mark :1\ndone\n")
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
    GitQuestion::ask(command).answer(longest).map_err(|message| {
        let settings: String = SETTINGS.iter().map(|setting| format!("-c {setting} ")).collect();
        RemoteError::new(message.replace(&settings, ""))
    })
}

/// Returns whether a command failed because another process was faster, so that it may work later.
pub(super) fn others_were_faster(error: &RemoteError) -> bool {
    const FINAL: [&str; 3] = ["hook declined", "protected", "denied"];
    const PASSING: [&str; 3] = ["[rejected]", "[remote rejected]", "cannot lock ref"];
    let message = error.to_string();
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    has(&PASSING) && !has(&FINAL)
}

/// Splits the answer of `git cat-file --batch`; `None` if it does not fit the question.
fn split_batch(answer: &[u8], blobs: &[&str]) -> Option<Vec<Vec<u8>>> {
    let (mut rest, mut contents) = (answer, Vec::new());
    for blob in blobs {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&rest[..end]).ok()?;
        let size: usize = head.strip_prefix(blob)?.strip_prefix(" blob ")?.parse().ok()?;
        let content = rest.get(end + 1..end + 1 + size)?;
        contents.push(content.to_vec());
        rest = rest.get(end + 1 + size..)?.strip_prefix(b"\n")?;
    }
    rest.is_empty().then_some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_split_at_its_sizes() {
        let answer = b"aa blob 4\nx\ny\n\nbb blob 0\n\n";
        assert_eq!(split_batch(answer, &["aa", "bb"]), Some(vec![b"x\ny\n".to_vec(), Vec::new()]));
        for (answer, blobs) in [
            (&b"aa blob 5\nx\ny\n\n"[..], &["aa"][..]),
            (b"aa missing\n", &["aa"]),
            (b"aa blob 1\nx\n", &["aa", "bb"]),
            (b"aa blob 1\nxy\n", &["aa"]),
        ] {
            assert_eq!(split_batch(answer, blobs), None);
        }
    }

    #[test]
    fn only_a_push_that_may_work_later_is_repeated() {
        for message in [
            " ! [rejected]        aa -> perf (fetch first)",
            " ! [remote rejected] aa -> perf (cannot lock ref 'refs/heads/perf')",
            " ! [remote rejected] aa -> perf (failed to update ref)",
        ] {
            assert!(others_were_faster(&RemoteError::new(message)), "{message}");
        }
        for message in [
            " ! [remote rejected] aa -> perf (pre-receive hook declined)",
            " ! [remote rejected] aa -> perf (protected branch)",
            "remote: Permission to team/codec denied to bot.",
            "fatal: unable to access 'https://example.org': Could not resolve host",
        ] {
            assert!(!others_were_faster(&RemoteError::new(message)), "{message}");
        }
    }
}
