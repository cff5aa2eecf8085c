//! Which branch is looked at, and which one it began from.

use crate::compare::Repository;
use perftest_process::DefaultBranch;
use std::env;
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
        let told = DefaultBranch::told(|name| env::var(name).ok());
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
