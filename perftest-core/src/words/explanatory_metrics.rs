//! Formats the metrics that explain a verdict.

use super::{four_digits, ratio};
use crate::list::IntoList;
use crate::model::ExplanatoryMetric;

/// Smaller changes, as a share of the value before, count as none.
pub(super) const THE_SAME: f64 = 0.01;
/// A rarer event, per iteration, is chance.
pub(super) const HARDLY_EVER: f64 = 0.5;

/// Formats `processor time +25%, allocations the same`; `None` if no earlier value is known.
///
/// ```
/// use perftest_core::model::ExplanatoryMetric;
/// use perftest_core::words::explanatory_metrics;
/// let of = |name: &str, before, now| ExplanatoryMetric { name: name.into(), now, before: Some(before) };
/// let all = [of("cpu", 100.0, 125.0), of("allocs", 7.0, 7.0), of("/lex", 8.0, 6.0)];
/// let words = explanatory_metrics(&all).unwrap();
/// assert_eq!(words, "processor time +25%, allocations the same, stage lex -25%");
/// ```
pub fn explanatory_metrics(explanatory_metrics: &[ExplanatoryMetric]) -> Option<String> {
    let all: Vec<String> = explanatory_metrics.iter().filter_map(describe).into_list();
    (!all.is_empty()).then(|| all.iter().joined(", "))
}

fn describe(explanatory_metric: &ExplanatoryMetric) -> Option<String> {
    let ExplanatoryMetric { now, before, .. } = explanatory_metric;
    let before = (*before)?;
    let is_chance = matches!(
        explanatory_metric.name.as_str(),
        "faults" | "switches" | "branch_misses" | "cache_misses"
    );
    if is_chance && now.max(before) < HARDLY_EVER {
        return None;
    }
    let change = now / before - 1.0;
    let change = if *now == before || change.abs() < THE_SAME {
        "the same".to_owned()
    } else if before == 0.0 {
        format!("{} instead of none", four_digits(*now))
    } else {
        ratio::change(now / before, 0)
    };
    Some(format!("{} {change}", name_of_metric(&explanatory_metric.name)))
}

/// Returns the name of a metric, or of a stage behind a `/`, in words.
pub(super) fn name_of_metric(name: &str) -> String {
    if let Some(stage) = name.strip_prefix('/') {
        return format!("stage {stage}");
    }
    let name = match name {
        "cpu" => "processor time",
        "faults" => "page faults",
        "switches" => "context switches",
        "allocs" => "allocations",
        "alloc_bytes" => "bytes allocated",
        "alloc_peak" => "most bytes held",
        "user" => "user time",
        "system" => "system time",
        "peak_rss" => "most resident memory",
        ExplanatoryMetric::INSTRUCTIONS_BY_VALGRIND => "instructions",
        "branch_misses" => "branch misses",
        "cache_misses" => "cache misses",
        own => own,
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str, before: Option<f64>, now: f64) -> Option<String> {
        explanatory_metrics(&[ExplanatoryMetric { name: name.into(), now, before }])
    }

    #[test]
    fn what_was_not_known_before_and_what_hardly_ever_happens_is_not_reported() {
        assert_eq!(words("cpu", None, 7.0), None);
        assert_eq!(words("faults", Some(0.01), 0.03), None);
        assert_eq!(words("faults", Some(0.01), 3.0).unwrap(), "page faults 300.00x");
        assert_eq!(words("cache_misses", Some(0.02), 0.2), None);
        assert_eq!(words("branch_misses", Some(1.0), 2.0).unwrap(), "branch misses +100%");
    }

    #[test]
    fn the_first_of_its_kind_has_no_percentage() {
        let new = words("allocs", Some(0.0), 2.0).unwrap();
        assert_eq!(new, "allocations 2.000 instead of none");
        assert_eq!(words("allocs", Some(0.0), 0.0).unwrap(), "allocations the same");
    }
}
