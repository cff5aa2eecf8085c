//! Quantities in people's notation, for settings that no macro reads at compile time.

use std::time::Duration;

const NS_PER_UNIT: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60.0 * 1e9), ("h", 3_600.0 * 1e9)];

/// Parses a time above zero: `500ms`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, ns_per_unit) = NS_PER_UNIT.iter().find(|(name, _)| *name == unit)?;
    let number = number.trim_end();
    // `f64` alone would also take "inf", "+1" and "1e9".
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let ns = (number.parse::<f64>().ok().filter(|_| is_plain)? * ns_per_unit).round();
    // 2^64 itself is the first value that does not fit.
    (ns >= 1.0 && ns < u64::MAX as f64).then(|| Duration::from_nanos(ns as u64))
}

/// Formats a share in percent, without the last digits of binary fractions: `5%`.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", (share * 1e8).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_and_is_above_zero() {
        assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(duration("1.5 s"), Some(Duration::from_millis(1500)));
        assert_eq!(duration("20us"), Some(Duration::from_micros(20)));
        for text in ["", "s", "3", "0s", "-1s", "1e3s", "infs", "99999999999h", "2 weeks"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_is_reported_as_it_was_meant() {
        assert_eq!(
            (percent(1.1 - 1.0), percent(0.05), percent(0.005)),
            ("10%".into(), "5%".into(), "0.5%".into())
        );
    }
}
