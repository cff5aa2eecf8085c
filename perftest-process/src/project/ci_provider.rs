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
}

#[cfg(test)]
mod tests {
    use super::*;

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
