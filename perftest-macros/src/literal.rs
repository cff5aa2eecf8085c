//! Quantities written as text: `"5%"`, `"500ms"`.

const NS_PER_UNIT: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60.0 * 1e9), ("h", 3_600.0 * 1e9)];

/// The largest tolerance that still is one, as a share: ten times slower.
const LARGEST_SHARE: f64 = 9.0;

/// A percentage that can be a tolerance, as a share: `"5%"` is 0.05.
pub(crate) fn share_of_percentage(text: &str) -> Option<f64> {
    let percent = decimal(text.strip_suffix('%')?.trim_end())?;
    Some(percent / 100.0).filter(is_tolerance)
}

/// A number with a point that can be a tolerance: below 1 the share, above 1 the ratio. 1 itself
/// could be either.
pub(crate) fn is_tolerance_number(number: &f64) -> bool {
    let share = if *number > 1.0 { number - 1.0 } else { *number };
    *number != 1.0 && is_tolerance(&share)
}

/// Whether a share is above zero and at most the largest tolerance.
fn is_tolerance(share: &f64) -> bool {
    *share > 0.0 && *share <= LARGEST_SHARE
}

/// A time above zero, in nanoseconds: `"500ms"` is 500,000,000.
pub(crate) fn duration_ns(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, ns_per_unit) = NS_PER_UNIT.iter().find(|(name, _)| *name == unit)?;
    let ns = (decimal(number.trim_end())? * ns_per_unit).round();
    // 2^64 itself is the first value that does not fit.
    (ns >= 1.0 && ns < u64::MAX as f64).then_some(ns as u64)
}

/// Digits with at most one point. `f64` alone would also take "inf", "+1" and "1e9".
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::{duration_ns, is_tolerance_number, share_of_percentage};

    #[test]
    fn a_percentage_is_a_share() {
        for (text, expected) in
            [("5%", 0.05), ("0.5%", 0.005), ("10%", 0.1), ("100%", 1.0), ("900%", 9.0)]
        {
            assert_eq!(share_of_percentage(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_tolerance_is_refused() {
        for text in
            ["", "%", "5", "0%", "0.0%", "-5%", "+5%", "901%", "abc", "abc%", "5%%", "1e2%", "inf%"]
        {
            assert_eq!(share_of_percentage(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_is_a_share_or_a_ratio_and_one_is_neither() {
        for (number, is_one) in
            [(0.05, true), (1.05, true), (10.0, true), (1.0, false), (10.5, false), (0.0, false)]
        {
            assert_eq!(is_tolerance_number(&number), is_one, "{number}");
        }
    }

    #[test]
    fn a_duration_is_nanoseconds() {
        for (text, expected) in [
            ("50ns", 50),
            ("1.5us", 1_500),
            ("500ms", 500_000_000),
            ("2s", 2_000_000_000),
            ("1.1s", 1_100_000_000),
            ("2 s", 2_000_000_000),
            ("1m", 60_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(duration_ns(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "s",
            "2",
            "0s",
            "0.0ms",
            "-1s",
            "soon",
            "2 seconds",
            "2S",
            "1e3s",
            "0.0000001ms",
            "99999999999h",
            "1.2.3s",
        ] {
            assert_eq!(duration_ns(text), None, "{text}");
        }
    }
}
