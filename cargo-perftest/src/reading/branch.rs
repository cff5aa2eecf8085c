//! Whose runs are read.

use crate::compare::Repository;
use perftest_core::model::Run;
use perftest_store::DefaultBranch;
use std::env;

/// The runs of a branch, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Branch {
    Every,
    /// This one, as was asked for.
    Named(String),
    /// This one if there are enough of them.
    Default(String),
}

impl Branch {
    /// The one that was asked for, else the default one where it is known.
    pub(super) fn of(asked: Option<&str>, default: Option<String>) -> Self {
        match (asked, default) {
            (Some("*"), _) | (None, None) => Self::Every,
            (Some(name), _) => Self::Named(name.to_owned()),
            (None, Some(name)) => Self::Default(name),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Every => None,
            Self::Named(name) | Self::Default(name) => Some(name),
        }
    }

    /// Whether the run is of a commit of it, and of nothing else.
    pub(super) fn has(&self, run: &Run) -> bool {
        self.name().is_none_or(|name| run.revision.branch == name && !run.revision.dirty)
    }
}

/// The project's default branch: what the environment says, else what git knows.
pub(super) fn default_branch(repository: Option<&Repository>) -> Option<String> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let told = variable("PERFTEST_DEFAULT_BRANCH").or_else(|| variable("CI_DEFAULT_BRANCH"));
    let told = told.unwrap_or_default();
    let question = DefaultBranch::question(&told);
    let question: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = repository.and_then(|repository| repository.git(&question).ok());
    let name = DefaultBranch::find(&told, &answer.unwrap_or_default()).name;
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_counts_more_than_the_default_branch() {
        let default = || Some("main".to_owned());
        assert_eq!(Branch::of(None, default()), Branch::Default("main".into()));
        assert_eq!(Branch::of(Some("topic"), default()), Branch::Named("topic".into()));
        assert_eq!(Branch::of(Some("*"), default()), Branch::Every);
        assert_eq!(Branch::of(None, None), Branch::Every);
    }
}
