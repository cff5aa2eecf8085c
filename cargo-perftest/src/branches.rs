//! Which branch is looked at, and which one it began from.

use crate::compare::Repository;
use perftest_store::DefaultBranch;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::Path;

/// The branches of the checkout around a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branches {
    /// The one that is checked out; `None` where none is, or nobody knows.
    pub(crate) current: Option<String>,
    /// Empty where nobody tells it.
    pub(crate) default: String,
}

impl Branches {
    /// As the environment and git tell them.
    pub(crate) fn around(here: &Path) -> Self {
        let told = told_default(|name| env::var(name).ok()).unwrap_or_default();
        let Ok(repository) = Repository::around(here) else {
            return Self { current: None, default: told };
        };
        let question = DefaultBranch::question(&told);
        let question: Vec<&str> = question.iter().map(String::as_str).collect();
        let references = repository.git(&question).unwrap_or_default();
        let current = repository.git(&["symbolic-ref", "--short", "-q", "HEAD"]).ok();
        Self {
            current: current.filter(|name| !name.is_empty()),
            default: DefaultBranch::find(&told, &references).name,
        }
    }
}

/// What the user or the CI job says: a job's checkout has no branch to be seen, and often one alone.
fn told_default(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let event = || {
        let text = fs::read(variable("GITHUB_EVENT_PATH")?).ok()?;
        let event: Value = serde_json::from_slice(&text).ok()?;
        Some(event["repository"]["default_branch"].as_str()?.to_owned())
    };
    variable("PERFTEST_DEFAULT_BRANCH").or_else(event).or_else(|| variable("CI_DEFAULT_BRANCH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_stronger_than_the_event_and_the_event_than_the_job() {
        let directory = tempfile::tempdir().unwrap();
        let event = directory.path().join("event.json");
        fs::write(&event, "{\"repository\":{\"default_branch\":\"trunk\"}}").unwrap();
        let told = |pairs: &[(&str, &str)]| {
            let value = |name: &str| pairs.iter().find(|(key, _)| *key == name);
            told_default(|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let user = ("PERFTEST_DEFAULT_BRANCH", "develop");
        let event = ("GITHUB_EVENT_PATH", event.to_str().unwrap());
        let job = ("CI_DEFAULT_BRANCH", "main");
        let name = |pairs: &[(&str, &str)]| told(pairs).unwrap_or_default();
        assert_eq!(name(&[user, event, job]), "develop");
        assert_eq!(name(&[("PERFTEST_DEFAULT_BRANCH", ""), event, job]), "trunk");
        assert_eq!(name(&[("GITHUB_EVENT_PATH", "/nowhere"), job]), "main");
        assert_eq!(name(&[]), "");
    }
}
