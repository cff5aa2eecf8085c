//! Formats rates with their bounds.

use perftest_core::model::Interval;

/// A rate in percent with its bounds.
pub(crate) fn rate(rate: Interval) -> String {
    let [estimate, lower, upper] = [rate.estimate, rate.lower, rate.upper].map(|it| 100.0 * it);
    format!("{estimate:.2}% [{lower:.2}, {upper:.2}]")
}
