//! What git lacks to place the commit of a CI job beside the default branch.

use perftest_core::model::Revision;
use perftest_process::{DefaultBranch, JobBranch};

/// What git lacks to place a commit beside the default branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PositionGap {
    /// The name of the default branch.
    Name,
    /// Certainty about the name: it is only a usual one.
    NameIsGuessed { default_branch: String },
    /// The commit where the branch left the default branch. The branch is empty where nothing names it.
    Base { branch: String, default_branch: String },
    /// The commits of the default branch that tell whether this commit, which has no branch, is one of them.
    Merged { default_branch: String },
}

impl PositionGap {
    /// Returns what git lacks for a commit that is not of the default branch.
    pub(super) fn of(revision: &Revision, default_branch: &DefaultBranch) -> Option<Self> {
        let DefaultBranch { name, is_guessed, .. } = default_branch;
        let default_branch = name.clone();
        if name.is_empty() {
            Some(Self::Name)
        } else if *is_guessed {
            Some(Self::NameIsGuessed { default_branch })
        } else if !revision.base.is_empty() {
            None
        } else if revision.branch == JobBranch::OF_OTHER_COMMIT {
            Some(Self::Merged { default_branch })
        } else {
            Some(Self::Base { branch: revision.branch.clone(), default_branch })
        }
    }

    /// Describes the gap, its effect, and what closes it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Name => "the default branch is unknown in this job, so runs of pull requests count for the baseline. \
                           Set PERFTEST_DEFAULT_BRANCH=NAME in all jobs, and fetch it before the tests: \
                           git fetch origin NAME:refs/remotes/origin/NAME"
                .to_owned(),
            Self::NameIsGuessed { default_branch } => format!(
                "`{default_branch}` is taken for the default branch, because `origin` has it: runs of other branches, as \
                 here, do not count for the baseline. Where another is the default branch, set \
                 PERFTEST_DEFAULT_BRANCH=NAME in all jobs"
            ),
            Self::Base { branch, default_branch } => {
                let branch = match branch.as_str() {
                    "" => "this commit".to_owned(),
                    branch => format!("`{branch}`"),
                };
                format!(
                    "this clone lacks the commit where {branch} left the default branch, so its tests have no merged \
                     runs to compare with. {}",
                    how_to_fetch(default_branch)
                )
            }
            Self::Merged { default_branch } => format!(
                "git cannot tell whether this commit is on `{default_branch}`, so its runs do not count for the \
                 baseline. {}. In a job of `{default_branch}` this suffices: git checkout -B {default_branch}",
                how_to_fetch(default_branch)
            ),
        }
    }
}

fn how_to_fetch(branch: &str) -> String {
    format!(
        "Fetch the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab, elsewhere \
         `git fetch origin {branch}:refs/remotes/origin/{branch}`, in a shallow clone with `--unshallow`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(branch: &str, base: &str, name: &str, is_guessed: bool) -> Option<String> {
        let default_branch = DefaultBranch { name: name.into(), tips: Vec::new(), is_guessed };
        let [branch, base] = [branch, base].map(str::to_owned);
        let revision = Revision { branch, base, ..Revision::default() };
        PositionGap::of(&revision, &default_branch).map(|gap| gap.describe())
    }

    #[test]
    fn a_name_is_asked_for_before_commits_are_since_commits_do_not_help_without_it() {
        let described = gap("", "", "", false).unwrap();
        assert!(described.contains("Set PERFTEST_DEFAULT_BRANCH=NAME"), "{described}");
        let described = gap("HEAD", "c3", "master", true).unwrap();
        assert!(described.contains("`master` is taken for the default branch"), "{described}");
        assert!(described.contains("set PERFTEST_DEFAULT_BRANCH=NAME"), "{described}");
    }

    #[test]
    fn a_commit_that_may_be_merged_is_told_what_to_fetch_and_the_way_without_it() {
        let described = gap("HEAD", "", "trunk", false).unwrap();
        for part in [
            "whether this commit is on `trunk`",
            "git fetch origin trunk:refs/remotes/origin/trunk",
            "git checkout -B trunk",
        ] {
            assert!(described.contains(part), "{described}");
        }
        let described = gap("topic", "", "main", false).unwrap();
        assert!(described.contains("`topic` left the default branch"), "{described}");
        assert_eq!(gap("HEAD", "c3", "main", false), None, "git knows that it is not merged");
    }
}
