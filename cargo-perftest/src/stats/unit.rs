//! Numbers in the user's unit.

use perftest_core::model::Interval;
use perftest_core::words::{quantity, range};

/// A unit, empty for bare numbers.
pub(crate) struct Unit<'a>(pub(crate) &'a str);

impl Unit<'_> {
    /// A number to four digits.
    pub(crate) fn told(&self, number: f64) -> String {
        quantity(number, self.0).trim_end().to_owned()
    }

    /// An estimate with its bounds.
    pub(crate) fn range(&self, interval: Interval) -> String {
        match self.0 {
            "" => range(interval, "").replace("  [", " ["),
            unit => range(interval, unit),
        }
    }

    /// Two ends.
    pub(crate) fn ends(&self, lower: f64, upper: f64) -> String {
        format!("[{}, {}]", self.told(lower), self.told(upper))
    }
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        percent if percent < 10.0 && percent.fract() != 0.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// `1 value`, `2 values`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
