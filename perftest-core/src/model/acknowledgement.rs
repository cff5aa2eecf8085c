//! A person's note about an alert.

use super::{BenchmarkId, RunId};

/// "This alert is known, because ..", reviewed with the code.
///
/// It applies to one alert, found by the run that opened it or, in another clone's history, by the
/// commit. A reopened alert was opened by another run and needs another acknowledgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Acknowledgement {
    /// Identity of the entry.
    pub id: String,
    /// Name of the threshold that alarmed.
    pub threshold: String,
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// The name of the metric.
    pub metric: String,
    /// The testbed.
    pub testbed: String,
    /// The branch.
    pub branch: String,
    /// The run that opened the alert.
    pub opened_by: RunId,
    /// The commit of that run, followed by `+` if files differed; empty if it is unknown.
    pub opened_at: String,
    /// The newest run at that time: the acknowledgement holds from there on.
    pub given_after: RunId,
    /// The value that was acknowledged.
    pub value: f64,
    /// Why, in the author's words.
    pub reason: String,
    /// The person; empty if unknown.
    pub by: String,
    /// The time, milliseconds since the Unix epoch.
    pub given_ms: u64,
}
