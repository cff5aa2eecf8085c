//! Where the code stands in its repository, asked of git.

use perftest_core::model::Revision;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A question to git that is being answered.
pub(crate) struct PendingRevision {
    status: Option<Child>,
    log: Option<Child>,
}

/// Asks git what is checked out in `directory`; the answer takes some milliseconds, in which
/// something else can be done.
pub(crate) fn ask_git(directory: &Path) -> PendingRevision {
    PendingRevision {
        status: git(directory, &["status", "--porcelain=v2", "--branch", "--untracked-files=no"]),
        log: git(directory, &["log", "-1", "--format=%ct %P"]),
    }
}

impl PendingRevision {
    /// The revision; everything empty without git or a repository.
    pub(crate) fn answer(self) -> Revision {
        let (status, log) = (output(self.status), output(self.log));
        status.map_or_else(Revision::default, |status| parse(&status, &log.unwrap_or_default()))
    }
}

fn git(directory: &Path, arguments: &[&str]) -> Option<Child> {
    Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

fn output(child: Option<Child>) -> Option<String> {
    let output = child?.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `status` as `git status --porcelain=v2 --branch` prints it, `log` as time and parents.
fn parse(status: &str, log: &str) -> Revision {
    let header = |key: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        // Git writes `(initial)` and `(detached)` where there is no name.
        if value.starts_with('(') { String::new() } else { value.to_owned() }
    };
    let mut log = log.split_whitespace();
    Revision {
        commit: header("# branch.oid "),
        branch: header("# branch.head "),
        order: log.next().and_then(|time| time.parse().ok()).unwrap_or(0),
        parent: log.next().unwrap_or_default().to_owned(),
        base: String::new(),
        dirty: status.lines().any(|line| !line.starts_with('#')),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_clean_branch_has_commit_parent_time_and_name() {
        let status = "# branch.oid 1f2e\n# branch.head main\n# branch.ab +0 -0\n";
        let revision = parse(status, "1700000000 9d8c 7b6a\n");
        assert_eq!((revision.commit.as_str(), revision.branch.as_str()), ("1f2e", "main"));
        assert_eq!((revision.order, revision.parent.as_str()), (1_700_000_000, "9d8c"));
        assert!(!revision.dirty);
    }

    #[test]
    fn a_changed_file_makes_it_dirty_and_a_detached_head_has_no_branch() {
        let status =
            "# branch.oid 1f2e\n# branch.head (detached)\n1 .M N... a b c d e f src/x.rs\n";
        let revision = parse(status, "");
        assert!(revision.dirty);
        assert_eq!(revision.branch, "");
    }

    #[test]
    fn a_repository_without_a_commit_has_no_revision() {
        let revision = parse("# branch.oid (initial)\n# branch.head main\n", "");
        assert_eq!((revision.commit.as_str(), revision.order), ("", 0));
    }
}
