//! The checked-out branch, and the default branch.

use crate::cargo_environment::variables_of_tests;
use crate::git_checkout::GitCheckout;
use perftest_process::{CiProvider, DefaultBranch};
use std::path::Path;

/// The branches of the checkout around a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branches {
    /// The branch that is checked out, or else that of the CI job, which checks out a commit; `None` without both.
    pub(crate) current: Option<String>,
    /// The default branch; empty if it is unknown.
    pub(crate) default: String,
    /// The newest commits of the default branch, at the remote and in this clone.
    default_tips: Vec<String>,
}

impl Branches {
    /// Finds the branches by the environment and git.
    pub(crate) fn around(here: &Path) -> Self {
        let variables = variables_of_tests(here);
        let variable = |name: &str| variables(name)?.into_string().ok();
        let named = DefaultBranch::from_variables(&variable);
        let of_job = || CiProvider::from_variables(&variable)?.branch(&variable);
        let Ok(repository) = GitCheckout::around(here) else {
            return Self { current: of_job(), default: named, default_tips: Vec::new() };
        };
        let question = DefaultBranch::question(&named);
        let question: Vec<&str> = question.iter().map(String::as_str).collect();
        let references = repository.git(&question).unwrap_or_default();
        let current = repository.git(&["symbolic-ref", "--short", "-q", "HEAD"]).ok();
        let DefaultBranch { name, tips } = DefaultBranch::find(&named, &references);
        Self {
            current: current.filter(|name| !name.is_empty()).or_else(of_job),
            default: name,
            default_tips: tips,
        }
    }

    /// Returns when the newest commit was made that the checkout around a directory has of the default branch, in seconds
    /// since 1970; `None` where git cannot tell, as in a clone with few commits.
    pub(crate) fn base_time_s(&self, here: &Path) -> Option<u64> {
        let repository = GitCheckout::around(here).ok()?;
        let tips = self.default_tips.iter().map(String::as_str);
        let question: Vec<&str> = ["merge-base", "HEAD"].into_iter().chain(tips).collect();
        repository.commit_time_s(&repository.git(&question).ok()?)
    }
}

/// Returns a branch's name, also for a detached head.
pub(crate) fn branch_name(name: &str) -> &str {
    if name.is_empty() { "(no branch)" } else { name }
}
