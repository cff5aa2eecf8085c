//! A compared revision: a commit, or the working tree.

use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::report::short_commit;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::Path;

/// One state of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceRevision {
    /// The requested name.
    pub(crate) name: String,
    /// The commit that has exactly these sources.
    pub(crate) commit: String,
    /// Whether the sources differ from every commit of the user.
    pub(crate) is_dirty: bool,
}

impl SourceRevision {
    /// Finds the commit of this name.
    pub(crate) fn named(name: &str, repository: &GitCheckout) -> Result<Self> {
        let commit = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        match repository.git(&arguments) {
            Ok(commit) => Ok(Self { name: name.to_owned(), commit, is_dirty: false }),
            Err(_) => Err(CommandError::Usage(unknown(name, repository))),
        }
    }

    /// Creates a commit of the working tree with all uncommitted and not ignored files. Touches
    /// neither the tree nor its index; `index` is a file for a separate index.
    pub(crate) fn of_working_tree(repository: &GitCheckout, index: &Path) -> Result<Self> {
        let head = Self::named("HEAD", repository)?;
        let name = "the working tree".to_owned();
        // The user's configuration may hide new files.
        let changes = ["status", "--porcelain", "--ignore-submodules", "--untracked-files=normal"];
        if repository.git_work(&[], &changes)?.is_empty() {
            return Ok(Self { name, ..head });
        }
        // A copy of the index makes git read only changes. Without an index there is nothing to
        // copy.
        let _ = fs::copy(repository.own_file("index")?, index);
        let own_index = [("GIT_INDEX_FILE", index.as_os_str())];
        repository.git_work(&own_index, &["add", "--all", "--", ":/"])?;
        let tree = repository.git_work(&own_index, &["write-tree"])?;
        let _ = fs::remove_file(index);
        // No branch has this commit, and git deletes it after a while.
        let by = |name| (name, OsStr::new("perftest"));
        let variables = [
            by("GIT_AUTHOR_NAME"),
            by("GIT_AUTHOR_EMAIL"),
            by("GIT_COMMITTER_NAME"),
            by("GIT_COMMITTER_EMAIL"),
        ];
        let arguments = ["commit-tree", &tree, "-p", &head.commit, "-m", "The working tree"];
        let commit = repository.git_work(&variables, &arguments)?;
        Ok(Self { name, commit, is_dirty: true })
    }
}

impl fmt::Display for SourceRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_dirty {
            true => write!(f, "{}, not committed", self.name),
            false => write!(f, "{} ({})", self.name, short_commit(&self.commit)),
        }
    }
}

fn unknown(name: &str, repository: &GitCheckout) -> String {
    let is_shallow = repository.git(&["rev-parse", "--is-shallow-repository"]);
    if is_shallow.is_ok_and(|answer| answer == "true") {
        return format!(
            "`{name}` is not in this clone, which has only the newest commits. Fetch all of the \
             history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab, or `git \
             fetch --unshallow`"
        );
    }
    if is_hash(name) {
        return format!(
            "there is no commit `{name}` here: `git fetch` brings what was pushed meanwhile; one that was \
             never pushed is in another clone only"
        );
    }
    format!(
        "there is no revision `{name}` here: name a branch, a tag or a commit, and `git fetch` \
         what is only on the server (`origin/{name}` is a branch that was fetched and never \
         checked out)"
    )
}

/// Whether a name is the whole hash of a commit, or what git prints of it.
fn is_hash(name: &str) -> bool {
    name.len() >= 7 && name.bytes().all(|it| it.is_ascii_hexdigit())
}
