//! Formatting of the smallest detectable slowdown.

use crate::model::Tolerance;

/// The smallest degradation that is found, as a share of the value. Beyond the largest tolerance that
/// there is, the number would say nothing.
///
/// ```
/// use perftest_core::words::format_detectable;
/// assert_eq!(format_detectable(0.071), "+8 %");
/// assert_eq!(format_detectable(1099.3), "nothing below 10x");
/// ```
pub fn format_detectable(share: f64) -> String {
    if share > Tolerance::LARGEST_SHARE {
        format!("nothing below {:.0}x", 1.0 + Tolerance::LARGEST_SHARE)
    } else {
        format!("+{:.0} %", (100.0 * share).ceil())
    }
}
