//! The result of pairs with the last good build.

use super::{Instructions, MetricChange};

/// The result of the last good build, side by side with the executable under test.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairedResult {
    /// Commit of the last good build; empty if it is unknown.
    pub commit: String,
    /// Whether it was built of files that differed from that commit.
    pub dirty: bool,
    /// Median of its processes, per iteration, in the metric's unit.
    pub now: f64,
    /// Degradation of the executable under test against it: the median over the pairs of processes.
    pub ratio: f64,
    /// Its own ratio to the history: above 1 is a slower machine, or slower input; 1 if the history
    /// is unknown.
    pub machine_ratio: f64,
    /// Number of measured pairs of processes.
    pub pairs: u32,
    /// Instructions of both, if they could be counted.
    pub instructions: Option<Instructions>,
    /// The changes of the metrics beside the judged one, where the pairs ended in a red.
    pub changes: Vec<MetricChange>,
}

impl PairedResult {
    /// Returns the degradation against the level of the history: the last good build may be slower than that itself.
    pub fn ratio_to_level(&self) -> f64 {
        self.ratio * self.machine_ratio.max(1.0)
    }
}
