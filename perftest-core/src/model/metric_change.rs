//! The change of a metric beside the judged one, from the last good build to the judged build.

use super::Interval;

/// The change of one metric between two builds, over their pairs of fresh processes: it explains, and
/// has no verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricChange {
    /// Name of the metric, of the stage with a `/` before it, or [`BLOCKED`](Self::BLOCKED).
    pub name: String,
    /// Median of the processes of the last good build, per iteration.
    pub before: f64,
    /// Median of the processes of the judged build, per iteration.
    pub now: f64,
    /// Now less before within the pairs, in the metric's unit: the center and its bounds.
    pub change: Interval,
}

impl MetricChange {
    /// The name of the time in which the measuring thread neither ran nor waited for a processor, in
    /// nanoseconds: sleep, locks, input and output.
    pub const BLOCKED: &'static str = "blocked";

    /// Returns whether the bounds exclude that nothing changed.
    pub fn is_proven(&self) -> bool {
        self.change.lower > 0.0 || self.change.upper < 0.0
    }

    /// Returns whether the bounds exclude a change by more than `difference` in either direction.
    ///
    /// ```
    /// use perftest_core::model::{Interval, MetricChange};
    /// let change = Interval { estimate: 0.0, lower: -0.2, upper: 0.1 };
    /// let faults = MetricChange { name: "faults".into(), before: 7.0, now: 7.0, change };
    /// assert!(faults.is_within(0.5) && !faults.is_proven());
    /// ```
    pub fn is_within(&self, difference: f64) -> bool {
        self.change.lower >= -difference && self.change.upper <= difference
    }
}
