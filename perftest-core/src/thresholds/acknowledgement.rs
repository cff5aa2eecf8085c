//! What somebody wrote down about an alert.

use super::{AlertLife, RunValue};
use crate::model::{BenchmarkId, RunId};

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
    /// Its commit, as [`RunValue::label`](super::RunValue::label) tells it; empty when not known.
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

impl Acknowledgement {
    /// Whether it speaks of the alert that this run opened on a branch with these runs.
    pub(super) fn is_of(&self, opened: &RunValue, own: &[RunValue]) -> bool {
        let is_from_elsewhere = || own.iter().all(|run| run.run != self.opened_by);
        // Of what is not committed the commit tells nothing.
        let is_at_commit =
            || !opened.dirty && !opened.commit.is_empty() && self.opened_at == opened.label();
        self.opened_by == opened.run || (is_at_commit() && is_from_elsewhere())
    }

    /// Lets it hold for a live alert; false where the newest value is beyond it.
    pub(super) fn apply(&self, life: &mut AlertLife) -> bool {
        life.acknowledge_value(&self.reason, self.value)
    }
}
