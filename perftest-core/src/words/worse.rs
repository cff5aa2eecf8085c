//! What a degradation is called.

use crate::model::Metric;

/// A time is slower; anything else is worse.
///
/// ```
/// use perftest_core::{model::Metric, words::worse};
/// assert_eq!((worse(&Metric::wall()), worse(&Metric::allocations())), ("slower", "worse"));
/// ```
pub fn worse(metric: &Metric) -> &'static str {
    if metric.is_time() { "slower" } else { "worse" }
}
