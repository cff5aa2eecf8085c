//! The CI job of this process.

use perftest_process::{CiProvider, JobBranch};

/// The variables of other providers with the number of a request: Drone, Woodpecker, Prow, Jenkins, Buildkite and Travis.
/// Some merge it into the checked-out default branch. Those without a request leave theirs out, empty or `false`.
const REQUESTS: [&str; 6] = [
    "DRONE_PULL_REQUEST",
    "CI_COMMIT_PULL_REQUEST",
    "PULL_NUMBER",
    "CHANGE_ID",
    "BUILDKITE_PULL_REQUEST",
    "TRAVIS_PULL_REQUEST",
];

/// The CI job of this process. A field is empty on a developer's machine, and if the job does not
/// set it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CiJob {
    /// Provider and event, `gha/push` and the like; kept with each run.
    pub name: String,
    /// The branch whose code is built.
    pub branch: JobBranch,
    /// Lines of its log can be annotations of GitHub Actions.
    pub is_github: bool,
    /// The summary of the step that GitHub Actions shows; empty where there is none.
    pub summary_file: String,
}

impl CiJob {
    /// Reads the variables that `get` looks up.
    pub(crate) fn from_lookup(get: &dyn Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| get(name).unwrap_or_default();
        let Some(provider) = CiProvider::from_variables(get) else {
            return Self::default();
        };
        let branch = JobBranch::from_variables(get);
        match provider {
            CiProvider::GitHub => Self {
                name: format!("gha/{}", value("GITHUB_EVENT_NAME")),
                branch,
                is_github: true,
                summary_file: value("GITHUB_STEP_SUMMARY"),
            },
            CiProvider::GitLab => Self {
                name: format!("gitlab/{}", value("CI_PIPELINE_SOURCE")),
                branch,
                ..Self::default()
            },
            CiProvider::Other => {
                let is_request = |name| !["", "false"].contains(&value(name).as_str());
                let is_of_request = REQUESTS.into_iter().any(is_request);
                let name = if is_of_request { "ci/pull_request" } else { "ci/" };
                Self { name: name.to_owned(), branch, ..Self::default() }
            }
        }
    }

    /// Returns whether this process runs in a CI job.
    pub(crate) fn is_present(&self) -> bool {
        !self.name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(pairs: &[(&str, &str)]) -> CiJob {
        CiJob::from_lookup(&|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_developers_machine_is_no_job() {
        assert_eq!(job(&[]), CiJob::default());
        assert!(!job(&[("CI", "false")]).is_present());
        assert_eq!(job(&[("CI", "true")]).name, "ci/");
    }

    #[test]
    fn a_job_of_another_provider_is_of_a_request_where_it_has_its_number() {
        for variable in REQUESTS {
            let name = |number| job(&[("CI", "true"), (variable, number)]).name;
            assert_eq!([name("12"), name("false"), name("")], ["ci/pull_request", "ci/", "ci/"]);
        }
    }

    #[test]
    fn a_job_has_its_event_and_its_branch() {
        let push = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_REF_NAME", "main"),
        ];
        assert_eq!(
            (job(&push).name.as_str(), job(&push).branch.name.as_str()),
            ("gha/push", "main")
        );
        let request = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_REF_NAME", "12/merge"),
            ("GITHUB_HEAD_REF", "faster"),
        ];
        let request = job(&request);
        assert_eq!(
            (request.name.as_str(), request.branch.name.as_str()),
            ("gha/pull_request", "faster")
        );
        let request = job(&[
            ("GITLAB_CI", "true"),
            ("CI_PIPELINE_SOURCE", "merge_request_event"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "faster"),
        ]);
        assert_eq!(request.branch.name, "faster");
    }
}
