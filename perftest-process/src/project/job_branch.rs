//! The branch that a job of continuous integration builds.

use super::ci_provider::CiProvider;
use super::default_branch::DefaultBranch;
use super::github_event::GitHubEvent;
use super::repository::Repository;

/// The branch that a job builds. A job checks out a commit, so git does not know the branch.
///
/// ```
/// use perftest_process::JobBranch;
/// let job = [("GITLAB_CI", "true"), ("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_SHA", "5f2a")];
/// let branch = JobBranch::from_variables(&|name| {
///     job.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
/// });
/// assert_eq!((branch.name_of("5f2a", None), branch.name_of("77c1", None)), ("main", ""));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobBranch {
    /// The name; empty if the job names none.
    pub name: String,
    /// The commit for which the job was started; `None` where the job does not name it, and for a request: its job checks
    /// out the newest commit of the branch, or a merge of it.
    commit: Option<String>,
    /// Whether there is a job.
    pub is_present: bool,
}

/// A request to merge a branch.
struct MergeRequest {
    branch: String,
    /// The branch into which it is merged.
    target: Option<String>,
    number: Option<String>,
    is_of_fork: bool,
}

impl JobBranch {
    /// The name for a commit of a job that may not count as one of the default branch. Git lets no branch have it.
    pub const OF_OTHER_COMMIT: &str = "HEAD";

    /// Reads the variables that `get` looks up; an empty one counts as unset.
    pub fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| get(name).filter(|value| !value.is_empty());
        let (request, branch, commit) = match CiProvider::from_variables(get) {
            Some(CiProvider::GitHub) => {
                (MergeRequest::on_github(&value), "GITHUB_REF_NAME", "GITHUB_SHA")
            }
            Some(CiProvider::GitLab) => {
                (MergeRequest::on_gitlab(&value), "CI_COMMIT_BRANCH", "CI_COMMIT_SHA")
            }
            Some(CiProvider::Other) => return Self { is_present: true, ..Self::default() },
            None => return Self::default(),
        };
        let (name, commit) = match request {
            Some(request) => (request.branch_beside(&DefaultBranch::from_variables(get)), None),
            None => (value(branch).unwrap_or_default(), value(commit)),
        };
        Self { name, commit, is_present: true }
    }

    /// Returns the name for the commit that is checked out in `repository`; empty if it is not the job's, such as an
    /// older one, or a tag in a scheduled job. The commit of a job says nothing of its submodules, which are other
    /// repositories: they have the job's branch at any commit.
    pub fn name_of(&self, commit: &str, repository: Option<&Repository>) -> &str {
        let is_of_job = self.commit.as_ref().is_none_or(|it| it == commit);
        let is_submodule = || repository.is_some_and(Repository::is_submodule);
        if is_of_job || is_submodule() { &self.name } else { "" }
    }

    /// Returns the name for a commit for which [`name_of`](Self::name_of) has none, and which git does not find on the
    /// default branch. It must not count as merged: it has the name of a job of another branch, else that of
    /// [any other commit](Self::OF_OTHER_COMMIT). Empty where there is no job, and where neither branch is known.
    pub fn name_of_other(&self, default_branch: &str) -> &str {
        let Self { name, is_present, .. } = self;
        if !is_present || (name.is_empty() && default_branch.is_empty()) {
            ""
        } else if name.is_empty() || default_branch.is_empty() || name == default_branch {
            Self::OF_OTHER_COMMIT
        } else {
            name
        }
    }
}

impl MergeRequest {
    fn on_github(get: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let branch = get("GITHUB_HEAD_REF")?;
        let event = GitHubEvent::from_variables(get);
        let of_event = || Some(event.as_ref()?.request_number()?.to_string());
        // The reference of a pull request is `12/merge`, and that of `pull_request_target` the branch it is merged into.
        let of_reference = || Some(get("GITHUB_REF_NAME")?.strip_suffix("/merge")?.to_owned());
        Some(Self {
            branch,
            target: get("GITHUB_BASE_REF"),
            number: of_event().or_else(of_reference),
            is_of_fork: event.as_ref().is_some_and(GitHubEvent::is_of_fork),
        })
    }

    fn on_gitlab(get: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let source = get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID");
        Some(Self {
            branch: get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")?,
            target: get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
            number: get("CI_MERGE_REQUEST_IID"),
            is_of_fork: source != get("CI_MERGE_REQUEST_PROJECT_ID"),
        })
    }

    /// Returns the name of the branch. A fork's branch may have the name of the default branch, and is another one: the
    /// number of the request comes before it.
    fn branch_beside(self, default_branch: &str) -> String {
        let Self { branch, target, number, is_of_fork } = self;
        // Within one repository a branch is not merged into itself.
        let is_target = target.as_ref() == Some(&branch);
        if is_target || is_of_fork && branch == default_branch {
            format!("{}/{branch}", number.as_deref().unwrap_or("fork"))
        } else {
            branch
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::fs;
    use std::path::Path;

    const GITHUB: (&str, &str) = ("GITHUB_ACTIONS", "true");
    const GITLAB: (&str, &str) = ("GITLAB_CI", "true");

    fn of_job(variables: &[(&str, &str)]) -> JobBranch {
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name);
        JobBranch::from_variables(&|name| value(name).map(|(_, value)| (*value).to_owned()))
    }

    fn name(variables: &[(&str, &str)]) -> String {
        of_job(variables).name
    }

    #[test]
    fn a_pull_request_builds_its_own_branch_and_not_its_number() {
        let push = [GITHUB, ("GITHUB_REF_NAME", "main"), ("GITHUB_HEAD_REF", "")];
        assert_eq!(name(&push), "main");
        let request = [GITHUB, ("GITHUB_REF_NAME", "12/merge"), ("GITHUB_HEAD_REF", "faster")];
        assert_eq!(name(&request), "faster");
        let request = [GITLAB, ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "faster")];
        assert_eq!(name(&request), "faster");
        let push = ("CI_COMMIT_BRANCH", "main");
        assert_eq!(name(&[GITLAB, push]), "main");
        assert_eq!(name(&[GITLAB]), "");
        assert_eq!(name(&[("CI", "true"), push]), "");
        assert_eq!(name(&[push]), "", "no job");
    }

    #[test]
    fn the_main_of_a_fork_on_github_is_not_the_default_branch() {
        let directory = scratch("event-of-fork");
        let event = |head: &str| {
            let file = directory.join("event.json");
            let text = format!(
                "{{\"repository\": {{\"default_branch\": \"main\"}}, \"pull_request\": {{\"number\": 12, \"head\": {{\"repo\": {head}}}, \
                 \"base\": {{\"repo\": {{\"id\": 1}}}}}}}}"
            );
            fs::write(&file, text).unwrap();
            file
        };
        let request = |branch: &str, target: &str, event: &Path| {
            let path = event.to_str().unwrap();
            let branches = [("GITHUB_HEAD_REF", branch), ("GITHUB_BASE_REF", target)];
            let rest = [GITHUB, ("GITHUB_REF_NAME", "12/merge"), ("GITHUB_EVENT_PATH", path)];
            name(&[&branches[..], &rest].concat())
        };
        let nowhere = Path::new("/nowhere/event.json");
        assert_eq!(request("main", "main", nowhere), "12/main", "what is merged into another main");
        assert_eq!(request("main", "release", nowhere), "main");
        for of_fork in ["{\"id\": 2}", "null"] {
            let event = event(of_fork);
            assert_eq!(request("main", "release", &event), "12/main", "{of_fork}");
            assert_eq!(request("faster", "main", &event), "faster", "{of_fork}");
        }
        assert_eq!(request("main", "release", &event("{\"id\": 1}")), "main");
        // The reference of `pull_request_target` has no number.
        let from_base = |event: &Path| {
            let branches = [("GITHUB_HEAD_REF", "main"), ("GITHUB_BASE_REF", "main")];
            let event = ("GITHUB_EVENT_PATH", event.to_str().unwrap());
            name(&[&branches[..], &[GITHUB, ("GITHUB_REF_NAME", "main"), event]].concat())
        };
        assert_eq!(from_base(&event("{\"id\": 2}")), "12/main");
        assert_eq!(from_base(nowhere), "fork/main");
    }

    #[test]
    fn the_main_of_a_fork_on_gitlab_is_not_the_default_branch() {
        let request = |branch: &str, source: &str| {
            name(&[
                GITLAB,
                ("CI_DEFAULT_BRANCH", "main"),
                ("CI_MERGE_REQUEST_IID", "12"),
                ("CI_MERGE_REQUEST_PROJECT_ID", "1"),
                ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", source),
                ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", branch),
                ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "release"),
            ])
        };
        assert_eq!([request("main", "1"), request("main", "2")], ["main", "12/main"]);
        assert_eq!([request("release", "2"), request("faster", "2")], ["12/release", "faster"]);
    }

    #[test]
    fn the_branch_of_a_job_is_that_of_its_own_commit_alone() {
        let push = [GITHUB, ("GITHUB_REF_NAME", "main")];
        assert_eq!(of_job(&push).name_of("c5", None), "main", "the job does not name its commit");
        let push = [&push[..], &[("GITHUB_SHA", "c9")]].concat();
        assert_eq!(
            [of_job(&push).name_of("c9", None), of_job(&push).name_of("c5", None)],
            ["main", ""]
        );
        let request = [&push[..], &[("GITHUB_HEAD_REF", "faster")]].concat();
        assert_eq!(of_job(&request).name_of("c5", None), "faster", "the head, and not the merge");
    }

    #[test]
    fn another_commit_has_the_name_of_the_job_unless_it_would_count_as_merged() {
        let other = |branch: &str, default_branch: &str| {
            let job = of_job(&[GITLAB, ("CI_COMMIT_BRANCH", branch), ("CI_COMMIT_SHA", "c9")]);
            job.name_of_other(default_branch).to_owned()
        };
        assert_eq!([other("main", "main"), other("main", "")], ["HEAD", "HEAD"]);
        assert_eq!([other("a", "main"), other("b", "main")], ["a", "b"]);
        assert_eq!([other("", "main"), other("", "")], ["HEAD", ""]);
        assert_eq!(of_job(&[("CI", "true")]).name_of_other("main"), "HEAD", "it may be a request");
        assert_eq!(of_job(&[]).name_of_other("main"), "", "no job");
    }

    #[test]
    fn a_submodule_has_the_branch_of_the_job_at_any_commit() {
        let root = scratch("job-with-submodule");
        let repository = |directory: &str, git_directory: &str| {
            let git_directory = root.join(git_directory);
            fs::create_dir_all(&git_directory).unwrap();
            fs::write(git_directory.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            Repository::containing(&root.join(directory)).unwrap()
        };
        let outer = repository("", ".git");
        fs::create_dir_all(root.join("inner")).unwrap();
        fs::write(root.join("inner/.git"), "gitdir: ../.git/modules/inner\n").unwrap();
        let inner = repository("inner", ".git/modules/inner");
        let job = of_job(&[GITLAB, ("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_SHA", "c9")]);
        assert_eq!(
            [job.name_of("c5", Some(&outer)), job.name_of("c5", Some(&inner))],
            ["", "main"]
        );
        fs::write(root.join(".git/modules/inner/commondir"), "../..\n").unwrap();
        let worktree = repository("inner", ".git/modules/inner");
        assert_eq!(job.name_of("c5", Some(&worktree)), "", "of the same repository");
    }
}
