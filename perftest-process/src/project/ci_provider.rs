//! Detects a job of continuous integration and its provider.

/// The provider of a job.
///
/// ```
/// use perftest_process::CiProvider;
/// let on_github = |name: &str| (name == "GITHUB_ACTIONS").then(|| "true".to_owned());
/// assert_eq!(CiProvider::from_variables(&on_github), Some(CiProvider::GitHub));
/// assert_eq!(CiProvider::from_variables(&|_| None), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CiProvider {
    /// GitHub Actions.
    GitHub,
    /// GitLab CI.
    GitLab,
    /// Another provider that sets `CI`.
    Other,
}

impl CiProvider {
    /// Detects the provider by the variables that `get` looks up; an empty one counts as unset.
    /// `None` on a developer's machine.
    pub fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        if get("GITHUB_ACTIONS").is_some() {
            Some(Self::GitHub)
        } else if get("GITLAB_CI").is_some() {
            Some(Self::GitLab)
        } else {
            get("CI").filter(|value| value != "false").map(|_| Self::Other)
        }
    }

    /// Returns the branch whose code the job builds, by the variables that `get` looks up; an empty one counts as
    /// unset. `None` where the job names none. A job checks out a commit, so git does not know the branch.
    pub fn branch(self, get: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let names: &[&str] = match self {
            // The reference of a pull request is `12/merge`.
            Self::GitHub => &["GITHUB_HEAD_REF", "GITHUB_REF_NAME"],
            Self::GitLab => &["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"],
            Self::Other => &[],
        };
        names.iter().find_map(|name| get(name).filter(|value| !value.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_builds_its_own_branch_and_not_its_number() {
        let branch = |provider: CiProvider, pairs: &[(&str, &str)]| {
            let value = |name: &str| pairs.iter().find(|(key, _)| *key == name);
            provider.branch(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let push = [("GITHUB_REF_NAME", "main"), ("GITHUB_HEAD_REF", "")];
        assert_eq!(branch(CiProvider::GitHub, &push).as_deref(), Some("main"));
        let request = [("GITHUB_REF_NAME", "12/merge"), ("GITHUB_HEAD_REF", "faster")];
        assert_eq!(branch(CiProvider::GitHub, &request).as_deref(), Some("faster"));
        let request = [("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "faster")];
        assert_eq!(branch(CiProvider::GitLab, &request).as_deref(), Some("faster"));
        let push = [("CI_COMMIT_BRANCH", "main")];
        assert_eq!(branch(CiProvider::GitLab, &push).as_deref(), Some("main"));
        assert_eq!(branch(CiProvider::GitLab, &[]), None);
        assert_eq!(branch(CiProvider::Other, &push), None);
    }

    #[test]
    fn a_job_is_reported_by_its_provider_or_by_a_variable_that_is_neither_empty_nor_false() {
        let provider = |pairs: &[(&str, &str)]| {
            let value = |name: &str| pairs.iter().find(|(key, _)| *key == name);
            CiProvider::from_variables(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(
            provider(&[("CI", "true"), ("GITHUB_ACTIONS", "true")]),
            Some(CiProvider::GitHub)
        );
        assert_eq!(provider(&[("CI", "true"), ("GITLAB_CI", "true")]), Some(CiProvider::GitLab));
        assert_eq!(provider(&[("CI", "1"), ("GITLAB_CI", "")]), Some(CiProvider::Other));
        for nothing in [&[("CI", "false")][..], &[("CI", "")], &[("GITHUB_ACTIONS", "")], &[]] {
            assert_eq!(provider(nothing), None, "{nothing:?}");
        }
    }
}
