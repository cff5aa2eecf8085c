//! Formats numbers: in the user's unit, and in JSON.

use perftest_core::model::Interval;
use perftest_core::words::{quantity, range};
use serde_json::{Value, json};

/// A unit, empty for bare numbers.
pub(crate) struct Unit<'a>(pub(crate) &'a str);

impl Unit<'_> {
    /// Formats a number with four digits.
    pub(crate) fn format(&self, number: f64) -> String {
        let text = match self.is_plain(number) {
            true => quantity(number, self.0),
            false => format!("{number:.3e} {}", self.0),
        };
        text.trim_end().to_owned()
    }

    /// Returns whether [`quantity`] prints few digits.
    fn is_plain(&self, number: f64) -> bool {
        number.abs() < 1e12 || self.0 == "ns" || !number.is_finite()
    }

    /// Formats an estimate with its bounds.
    pub(crate) fn range(&self, interval: Interval) -> String {
        match self.0 {
            _ if !self.is_plain(interval.estimate) => {
                let ends = self.ends(interval.lower, interval.upper);
                format!("{} {ends}", self.format(interval.estimate))
            }
            "" => range(interval, "").replace("  [", " ["),
            unit => range(interval, unit),
        }
    }

    /// Formats two ends.
    pub(crate) fn ends(&self, lower: f64, upper: f64) -> String {
        format!("[{}, {}]", self.format(lower), self.format(upper))
    }
}

/// Formats a share in percent.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        percent if percent < 10.0 && percent.fract() != 0.0 => format!("{percent:.1}%"),
        percent => format!("{percent:.0}%"),
    }
}

/// `1 value`, `2 values`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Converts a number to JSON; one without digits in JSON becomes a word.
pub(crate) fn json_number(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number if number.is_nan() => "NaN".into(),
        number => json!(number),
    }
}

/// Formats a number of fresh processes.
pub(crate) fn fresh_processes(count: usize) -> String {
    format!("{count} fresh {}", if count == 1 { "process" } else { "processes" })
}

/// Formats a number of histories.
pub(crate) fn histories(count: usize) -> String {
    format!("{count} {}", if count == 1 { "history" } else { "histories" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_far_from_one_have_an_exponent() {
        let text = |number| Unit("").format(number);
        assert_eq!([0.0, 0.5, -12_345.6, 2.5e-7].map(text), ["0", "0.5000", "-12346", "2.500e-7"]);
        assert_eq!(Unit("s").format(1e-300), "1.000e-300 s");
        assert_eq!(Unit("ns").format(2.5e12), "2500 s");
        assert_eq!(Unit("ns").format(1e300), "1.000e291 s");
    }

    #[test]
    fn shares_below_ten_percent_have_one_more_digit() {
        assert_eq!([0.0, 0.05, 0.0312, 0.75].map(percent), ["0%", "5%", "3.1%", "75%"]);
    }
}
