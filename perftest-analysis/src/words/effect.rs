//! The word for a change of a metric.

use crate::detect::Effect;
use perftest_core::model::Metric;
use perftest_core::words::worse;

/// Returns slower or faster for a time, and worse or better for anything else.
///
/// ```
/// use perftest_analysis::detect::Effect;
/// use perftest_core::model::Metric;
/// use perftest_analysis::words::effect;
/// assert_eq!(effect(Effect::Improvement, &Metric::wall()), "faster");
/// assert_eq!(effect(Effect::Degradation, &Metric::allocations()), "worse");
/// ```
pub fn effect(effect: Effect, metric: &Metric) -> &'static str {
    match effect {
        Effect::Degradation => worse(metric),
        Effect::Improvement if metric.is_time() => "faster",
        Effect::Improvement => "better",
        Effect::Mixed => "mixed",
    }
}
