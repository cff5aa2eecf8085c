//! Whether this is a job of continuous integration, and whose.

/// Who runs a job.
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
    /// Somebody else, who sets `CI`.
    Other,
}

impl CiProvider {
    /// As the job tells it in the variables that `get` looks up, of which an empty one says nothing; `None`
    /// on a developer's machine.
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
