//! What became of a metric, in a word.

use crate::detect::Effect;
use perftest_core::model::Metric;
use perftest_core::words::worse;

/// A time becomes slower or faster; anything else worse or better.
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
