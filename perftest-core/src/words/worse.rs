//! What a degradation is called.

use crate::model::Metric;

/// A time is slower; anything else is worse.
pub(super) fn worse(metric: &Metric) -> &'static str {
    if metric.is_time() { "slower" } else { "worse" }
}
