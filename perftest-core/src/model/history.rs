//! Runs of one benchmark on one testbed, oldest first.

use super::Run;

/// Runs of one benchmark on one testbed, seen through one metric, oldest first as they were
/// appended. Clocks may step backwards; the order of the record is the order of history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
}

impl History {
    /// The newest run.
    pub fn newest(&self) -> Option<&Run> {
        self.runs.last()
    }

    /// The newest run that has a verdict of its own.
    pub fn newest_judged(&self) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.evidence.is_some())
    }
}
