//! A run in a few words.

use perftest_core::model::Run;

/// What a run was judged to be: the stored name, readable.
pub(crate) fn verdict(run: &Run) -> String {
    match &run.evidence {
        Some(evidence) => evidence.reason.name().replace('_', " "),
        None => "-".into(),
    }
}

/// The median of a run's undisturbed values; `None` when it measured nothing.
pub(crate) fn center(run: &Run) -> Option<f64> {
    run.center()
}

/// As much of a commit as people read; `?` when it is not known.
pub(crate) fn short_commit(commit: &str) -> String {
    if commit.is_empty() { "?".into() } else { commit.chars().take(9).collect() }
}
