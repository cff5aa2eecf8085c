//! Describes a run in a few words.

use perftest_core::model::{Evidence, Reason, Run};
use std::fmt;

/// A verdict as it is shown: a green that needed an acceptance is a verdict of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ShownVerdict {
    /// Green only by an acceptance.
    Accepted,
    /// Of this reason.
    Of(Reason),
}

impl ShownVerdict {
    /// The verdict of a run, if it has one.
    pub(crate) fn of_run(run: &Run) -> Option<Self> {
        run.evidence.as_ref().map(Self::of)
    }

    pub(crate) fn of(evidence: &Evidence) -> Self {
        if evidence.is_accepted() { Self::Accepted } else { Self::Of(evidence.reason) }
    }
}

impl fmt::Display for ShownVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Of(reason) => f.write_str(&reason.name().replace('_', " ")),
        }
    }
}

/// The verdict in words; `-` for none.
pub(crate) fn verdict_in_words(verdict: Option<ShownVerdict>) -> String {
    verdict.map_or_else(|| "-".to_owned(), |it| it.to_string())
}

/// Returns the value in the result line of a run: the median over all processes of its decision. Without a verdict,
/// that of the run alone; `None` without any.
pub(crate) fn decided_value(run: &Run) -> Option<f64> {
    let decided = run.evidence.as_ref().and_then(|evidence| evidence.now);
    decided.map(|now| now.estimate).or_else(|| run.center())
}

/// Returns the abbreviated commit; `?` if it is unknown.
pub(crate) fn short_commit(commit: &str) -> String {
    if commit.is_empty() { "?".into() } else { commit.chars().take(9).collect() }
}
