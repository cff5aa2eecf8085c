//! What kind of quantity a metric is, and so how its values are expected to differ.

use super::Metric;

/// What kind of quantity a metric is. Its unit tells, for a metric of an author's own too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricKind {
    /// A time: it differs from process to process of the same code.
    Time,
    /// Counted one by one: the same code counts as many in every process.
    Count,
    /// Counted one by one, and yet dependent on where a process lies in memory, as its time is.
    CountByPlace,
    /// A number of which nothing is known, in another unit or in none.
    Number,
}

impl Metric {
    /// What kind of quantity it is.
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

    /// Whether it is a [time](MetricKind::Time).
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
    fn instructions_are_counted_whoever_counts_them() {
        let kinds = InstructionCounter::ALL.map(|counter| Metric::instructions(counter).kind());
        assert_eq!(kinds, [MetricKind::Count; InstructionCounter::ALL.len()]);
    }
}
