//! Describes a run in a few words.

use perftest_core::model::{Evidence, Run};

/// The verdict of a test that is green only by an acceptance.
pub(crate) const ACCEPTED: &str = "accepted";

/// Returns the verdict of a run in readable form.
pub(crate) fn verdict(run: &Run) -> String {
    match &run.evidence {
        Some(evidence) => verdict_of(evidence),
        None => "-".into(),
    }
}

/// Returns a verdict in readable form.
pub(crate) fn verdict_of(evidence: &Evidence) -> String {
    if evidence.is_accepted() {
        return ACCEPTED.to_owned();
    }
    evidence.reason.name().replace('_', " ")
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
