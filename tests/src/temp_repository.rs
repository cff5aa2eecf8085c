//! A repository that lives as long as its test.

use crate::git;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The file whose content the commits change.
const FILE: &str = "code.txt";

/// A git repository of one file, removed when dropped.
#[derive(Debug)]
pub struct TempRepository {
    directory: TempDir,
}

impl TempRepository {
    /// A repository without a commit, on the branch `main`.
    ///
    /// # Panics
    /// When there is no git, or no temporary directory can be made.
    #[expect(clippy::new_without_default, reason = "making a directory is no default value")]
    pub fn new() -> Self {
        let repository = Self::empty();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    /// A clone of this branch of another repository, with all of its history or its newest commit
    /// only.
    ///
    /// # Panics
    /// When git fails.
    pub fn clone_of(other: &Self, branch: &str, options: &[&str]) -> Self {
        let clone = Self::empty();
        let address = format!("file://{}", other.path().display());
        let arguments = ["clone", "--quiet", "--branch", branch];
        clone.git(&[&arguments, options, &[&address, "."]].concat());
        clone
    }

    fn empty() -> Self {
        Self { directory: TempDir::new().expect("a temporary directory can be made") }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Changes the file, without a commit.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn change(&self, content: &str) {
        fs::write(self.path().join(FILE), content).expect("a file can be written");
    }

    /// Commits a change of the file and gives the commit's name.
    ///
    /// # Panics
    /// When git fails.
    pub fn commit(&self, content: &str) -> String {
        self.change(content);
        self.git(&["add", FILE]);
        self.git(&["commit", "--quiet", "--message", content]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Runs git in it and gives what git prints.
    ///
    /// # Panics
    /// When git fails.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        git(self.path(), arguments)
    }
}
