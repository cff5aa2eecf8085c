//! The load average. It lags behind by a minute, so it informs and decides nothing.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::text::Text;

/// One-minute load average, thousandths.
pub(super) fn read_milli(tree: &Tree) -> SensorAnswer<u64> {
    tree.parse("proc/loadavg", parse_milli)
}

/// The first number of `/proc/loadavg`, in thousandths.
fn parse_milli(text: &str) -> Option<u64> {
    let load: f64 = number(text.words().next()?)?;
    // The bound keeps the conversion exact; no machine comes near it.
    (0.0..1e9).contains(&load).then(|| (load * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_average_counts() {
        assert_eq!(parse_milli("6.55 2.73 1.06 7/179 28733\n"), Some(6_550));
        assert_eq!(parse_milli("0.00 0.11 0.09 1/104 24892\n"), Some(0));
    }

    #[test]
    fn what_is_no_load_is_refused() {
        for text in ["", "NaN 0 0", "inf 0 0", "-1.0 0 0", "1e300 0 0", "load 1.0"] {
            assert_eq!(parse_milli(text), None, "{text}");
        }
    }
}
