//! What somebody wrote down about an alert.

use super::{BenchmarkId, RunId};

/// "This alert is known, because ..", reviewed with the code.
///
/// It speaks of one alert, by the run that opened it or, where the history is another clone's, by the commit.
/// An alert that is opened again was opened by another run and needs another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Acknowledgement {
    /// Identity of the entry.
    pub id: String,
    /// Name of the threshold that alarmed.
    pub threshold: String,
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// What was measured.
    pub metric: String,
    /// Where.
    pub testbed: String,
    /// On which branch.
    pub branch: String,
    /// The run that opened the alert.
    pub opened_by: RunId,
    /// Its commit, with a `+` behind it where files differed; empty when not known.
    pub opened_at: String,
    /// The newest run when it was given: from there on it holds.
    pub given_after: RunId,
    /// The value that was acknowledged.
    pub value: f64,
    /// Why, in the author's words.
    pub reason: String,
    /// Who gave it; empty when not known.
    pub by: String,
    /// When, milliseconds since the Unix epoch.
    pub given_ms: u64,
}
