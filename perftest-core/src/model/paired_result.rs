//! What the last good build showed.

use super::Instructions;

/// What the last good build showed, side by side with the one that was judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairedResult {
    /// Commit it was built from, empty when not known.
    pub commit: String,
    /// Middle of its processes, per iteration, in the metric's unit.
    pub now: f64,
    /// Degradation of the judged executable against it: the middle of the pairs of processes.
    pub ratio: f64,
    /// Its own degradation against the history: above 1 is a slower machine, or slower input; 1 where
    /// the history is not known.
    pub machine_ratio: f64,
    /// Pairs of processes that were measured.
    pub pairs: u32,
    /// Instructions of both, where they could be counted.
    pub instructions: Option<Instructions>,
}
