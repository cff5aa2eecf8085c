//! Whether this is a job of continuous integration.

use std::env;

/// As the variables tell it.
pub(crate) fn is_job() -> bool {
    told_by(|name| env::var(name).ok())
}

/// As these variables tell it; an empty one says nothing.
pub(crate) fn told_by(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let is_named = ["GITHUB_ACTIONS", "GITLAB_CI"].into_iter().any(|name| set(name).is_some());
    is_named || set("CI").is_some_and(|value| value != "false")
}
