//! Formats ratios, and rates with their bounds.

use perftest_core::model::Interval;
use perftest_core::words::ratio_number;
use std::ops::RangeInclusive;

/// Formats one ratio.
pub(crate) fn ratio(times: f64) -> String {
    ratio_number(times) + "x"
}

/// Formats a range of ratios: one number if both ends look alike, empty without a range.
pub(crate) fn ratio_range(range: Option<&RangeInclusive<f64>>) -> String {
    let Some(range) = range else {
        return "-".into();
    };
    let [least, most] = [*range.start(), *range.end()].map(ratio);
    if least == most { least } else { format!("{least} to {most}") }
}

/// A rate in percent with its bounds.
pub(crate) fn rate(rate: Interval) -> String {
    let [estimate, lower, upper] = [rate.estimate, rate.lower, rate.upper].map(|it| 100.0 * it);
    format!("{estimate:.2}% [{lower:.2}, {upper:.2}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_reported_in_a_few_digits_however_large_it_is() {
        assert_eq!([1.0, 1.256, 999_999.0].map(ratio), ["1.00x", "1.26x", "999999.00x"]);
        assert_eq!([1e6, 1e300, f64::INFINITY].map(ratio), ["1.00e6x", "1.00e300x", "infx"]);
        assert_eq!([0.05, 0.00075, 0.0].map(ratio), ["0.0500x", "7.50e-4x", "0.00x"]);
        assert_eq!(ratio_range(Some(&(1.251..=1.252))), "1.25x");
        assert_eq!(ratio_range(Some(&(1.25..=2e6))), "1.25x to 2.00e6x");
        assert_eq!(ratio_range(None), "-");
    }
}
