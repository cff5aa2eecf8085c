//! Formatting of the smallest detectable slowdown.

use crate::model::{Metric, Tolerance};

/// Formats the smallest slowdown that is found, as a share. Above the largest possible tolerance
/// the number would mean nothing.
///
/// ```
/// use perftest_core::words::format_detectable;
/// assert_eq!(format_detectable(0.071), "+8%");
/// assert_eq!(format_detectable(1099.3), "nothing below 10x");
/// ```
#[inline]
pub fn format_detectable(share: f64) -> String {
    if is_too_large(share) { nothing_below() } else { format!("+{}", percent(share)) }
}

/// Formats what a test of this metric detects.
///
/// ```
/// use perftest_core::model::Metric;
/// use perftest_core::words::detects;
/// assert_eq!(detects(0.071, &Metric::wall()), "slowdowns from 8%");
/// assert_eq!(detects(0.071, &Metric::allocations()), "regressions from 8%");
/// ```
pub fn detects(share: f64, metric: &Metric) -> String {
    let what = if metric.is_time() { "slowdowns" } else { "regressions" };
    if is_too_large(share) { nothing_below() } else { format!("{what} from {}", percent(share)) }
}

fn is_too_large(share: f64) -> bool {
    share > Tolerance::LARGEST_SHARE
}

fn nothing_below() -> String {
    format!("nothing below {:.0}x", 1.0 + Tolerance::LARGEST_SHARE)
}

/// Rounds up, so that no test promises too much.
fn percent(share: f64) -> String {
    format!("{:.0}%", (100.0 * share).ceil())
}
