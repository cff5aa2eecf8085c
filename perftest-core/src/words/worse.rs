//! The word for a degradation.

use crate::model::Metric;

/// Returns "slower" for a time, and "worse" for anything else.
///
/// ```
/// use perftest_core::{model::Metric, words::worse};
/// assert_eq!((worse(&Metric::wall()), worse(&Metric::allocations())), ("slower", "worse"));
/// ```
pub fn worse(metric: &Metric) -> &'static str {
    if metric.is_time() { "slower" } else { "worse" }
}
