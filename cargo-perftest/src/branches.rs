//! The checked-out branch, and the default branch.

use crate::cargo_environment::variables_of_tests;
use crate::git_checkout::GitCheckout;
use perftest_process::{DefaultBranch, JobBranch, Repository};
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
        let job = JobBranch::from_variables(&variable);
        let known = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let Ok(repository) = GitCheckout::around(here) else {
            return Self { current: known(&job.name), default: named, default_tips: Vec::new() };
        };
        let question = DefaultBranch::question(&named);
        let question: Vec<&str> = question.iter().map(String::as_str).collect();
        let references = repository.git(&question).unwrap_or_default();
        let DefaultBranch { name, tips, .. } = DefaultBranch::find(&named, &references);
        let branches = Self { current: None, default: name, default_tips: tips };
        let current = repository.git(&["symbolic-ref", "--short", "-q", "HEAD"]).ok();
        let current = current.and_then(|name| known(&name));
        let of_job = || known(branches.of_commit(here, &repository, &job));
        Self { current: current.or_else(of_job), ..branches }
    }

    /// Returns the branch on which a test in this job records runs of the commit that is checked out; empty if there is no
    /// job, or nothing is known.
    fn of_commit<'a>(
        &'a self,
        here: &Path,
        repository: &GitCheckout,
        job: &'a JobBranch,
    ) -> &'a str {
        let commit = repository.git(&["rev-parse", "HEAD"]).unwrap_or_default();
        let name = job.name_of(&commit, Repository::containing(here).as_ref());
        if !name.is_empty() || !job.is_present {
            return name;
        }
        let changes = repository.git(&["status", "--porcelain", "--untracked-files=no"]);
        let is_clean = changes.is_ok_and(|it| it.is_empty());
        if is_clean && self.base(repository) == Some(commit) {
            &self.default
        } else {
            job.name_of_other(&self.default)
        }
    }

    /// Returns the newest commit that a checkout has of the default branch; `None` where git cannot tell, as in a clone
    /// with few commits.
    fn base(&self, repository: &GitCheckout) -> Option<String> {
        let tips = self.default_tips.iter().map(String::as_str);
        let question: Vec<&str> = ["merge-base", "HEAD"].into_iter().chain(tips).collect();
        repository.git(&question).ok()
    }

    /// Returns the branch whose runs are of interest: the present one. The default branch for a commit of a job that is of
    /// no branch: runs of any such commits have its name. `None` if it is unknown.
    pub(crate) fn of_interest(&self) -> Option<&str> {
        let present = self.current.as_deref();
        let is_of_none = present == Some(JobBranch::OF_OTHER_COMMIT);
        let default = Some(self.default.as_str()).filter(|name| !name.is_empty());
        if is_of_none { default } else { present }
    }

    /// Returns when the newest commit was made that the checkout around a directory has of the default branch, in seconds
    /// since 1970; `None` where git cannot tell, as in a clone with few commits.
    pub(crate) fn base_time_s(&self, here: &Path) -> Option<u64> {
        let repository = GitCheckout::around(here).ok()?;
        repository.commit_time_s(&self.base(&repository)?)
    }
}

/// Returns a branch's name, also for a detached head.
pub(crate) fn branch_name(name: &str) -> &str {
    if name.is_empty() { "(no branch)" } else { name }
}
