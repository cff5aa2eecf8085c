//! The kind of quantity that a metric measures, which decides how its values vary.

use super::Metric;

/// The kind of quantity. It follows from the unit, also for an author's own metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricKind {
    /// A time: it differs from process to process of the same code.
    Time,
    /// A count: the same code has the same count in every process.
    Count,
    /// A count that depends on where a process lies in memory, as its time does.
    CountByPlace,
    /// An unknown number, in another unit or in none.
    Number,
}

impl Metric {
    /// Returns the kind of quantity.
    ///
    /// ```
    /// use perftest_core::model::{Metric, MetricKind};
    /// assert_eq!(Metric::wall().kind(), MetricKind::Time);
    /// assert_eq!(Metric::peak_bytes().kind(), MetricKind::Count);
    /// assert_eq!(Metric::cycles().kind(), MetricKind::CountByPlace);
    /// ```
    pub fn kind(&self) -> MetricKind {
        match self.unit.as_str() {
            "ns" => MetricKind::Time,
            "allocs" | "bytes" | "faults" | "switches" => MetricKind::Count,
            "instructions" | "instructions (valgrind)" => MetricKind::Count,
            "cycles" | "misses" => MetricKind::CountByPlace,
            _ => MetricKind::Number,
        }
    }

    /// Returns whether it is a [time](MetricKind::Time).
    ///
    /// ```
    /// use perftest_core::model::Metric;
    /// assert!(Metric::wall().is_time() && !Metric::allocations().is_time());
    /// ```
    pub fn is_time(&self) -> bool {
        self.kind() == MetricKind::Time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstructionCounter, SeriesKind};

    #[test]
    fn of_every_built_in_metric_it_is_known_what_kind_it_is() {
        let of_kind = |kind| {
            let metrics = SeriesKind::all_built_in().map(|series_kind| series_kind.metric());
            metrics.filter(|it| it.kind() == kind).map(|it| it.name).collect::<Vec<_>>()
        };
        assert_eq!(of_kind(MetricKind::Time), ["wall", "cpu", "thread_cpu", "user", "system"]);
        assert_eq!(
            of_kind(MetricKind::Count),
            [
                "faults",
                "switches",
                "allocs",
                "alloc_bytes",
                "alloc_peak",
                "peak_rss",
                "instructions"
            ]
        );
        assert_eq!(of_kind(MetricKind::CountByPlace), ["cycles", "branch_misses", "cache_misses"]);
        assert_eq!(of_kind(MetricKind::Number), [""; 0]);
    }

    #[test]
    fn instructions_are_counts_with_every_counter() {
        let kinds = InstructionCounter::ALL.map(|counter| Metric::instructions(counter).kind());
        assert_eq!(kinds, [MetricKind::Count; InstructionCounter::ALL.len()]);
    }
}
