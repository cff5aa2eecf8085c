//! Formats values with their unit, to four digits.

use crate::model::Interval;

const TIMES_NS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")];

/// Formats a value in a suitable unit.
///
/// ```
/// use perftest_core::words::quantity;
/// assert_eq!(quantity(71_234.5, "ns"), "71.23 us");
/// assert_eq!(quantity(12_345.0, "bytes"), "12345 bytes");
/// ```
pub fn quantity(value: f64, unit: &str) -> String {
    let (scale, unit) = suitable(value, unit);
    format!("{} {unit}", four_digits(value / scale)).trim_end().to_owned()
}

/// Formats a value as an author writes it, without superfluous digits.
///
/// ```
/// use perftest_core::words::plain_quantity;
/// assert_eq!(plain_quantity(50e6, "ns"), "50 ms");
/// assert_eq!(plain_quantity(1_250.0, "ns"), "1.25 us");
/// ```
pub fn plain_quantity(value: f64, unit: &str) -> String {
    let (scale, unit) = suitable(value, unit);
    format!("{} {unit}", value / scale)
}

/// Formats an estimate with its bounds, all in the unit of the estimate. Leaves out bounds that are not known.
///
/// ```
/// use perftest_core::model::Interval;
/// use perftest_core::words::range;
/// let interval = Interval { estimate: 71_200.0, lower: 70_100.0, upper: 73_000.0 };
/// assert_eq!(range(interval, "ns"), "71.20 us [70.10, 73.00]");
/// ```
pub fn range(interval: Interval, unit: &str) -> String {
    let Interval { estimate, lower, upper } = interval;
    let (scale, unit) = suitable(estimate, unit);
    let scaled = |value: f64| four_digits(value / scale);
    let (estimate, lower, upper) = (scaled(estimate), scaled(lower), scaled(upper));
    let quantity = format!("{estimate} {unit}");
    let quantity = quantity.trim_end();
    if interval.is_without_bounds() {
        return quantity.to_owned();
    }
    format!("{quantity} [{lower}, {upper}]")
}

fn suitable(value: f64, unit: &str) -> (f64, &str) {
    if unit != "ns" {
        return (1.0, unit);
    }
    largest_unit(value, &TIMES_NS).unwrap_or((1.0, "ns"))
}

/// Returns the largest unit that a value fills, of units that become smaller. A value that rounds to 1000 of a unit is
/// printed as 1 of the next.
pub(super) fn largest_unit<'a>(value: f64, units: &[(f64, &'a str)]) -> Option<(f64, &'a str)> {
    units.iter().copied().find(|(scale, _)| value.abs() >= 0.999_95 * scale)
}

/// Larger numbers are printed with an exponent: most of their digits are noise.
pub(super) const LONGEST: f64 = 1e15;
/// So are smaller numbers.
const SMALLEST: f64 = 1e-3;

pub(super) fn four_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if value.abs() >= LONGEST || value.abs() < SMALLEST {
        return format!("{value:.3e}");
    }
    // A number that rounds up to one more whole digit counts with that digit.
    let whole_digits = (value.abs() / 0.999_95).log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - whole_digits).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// Formats a small probability in percent, with two digits.
///
/// ```
/// use perftest_core::words::rare;
/// assert_eq!(rare(0.0234), "2.3%");
/// assert_eq!(rare(0.00041), "0.041%");
/// assert_eq!(rare(1e-9), "<0.001%");
/// ```
pub fn rare(probability: f64) -> String {
    let percent = 100.0 * probability;
    if percent < 0.001 {
        return "<0.001%".to_owned();
    }
    let places = (1.0 - percent.log10().floor()).clamp(0.0, 3.0) as usize;
    format!("{percent:.places$}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_reported_in_a_unit_that_suits_them() {
        let all = [0.0, 0.53, 57.0, 999.9, 71_234.5, 198e3, 1.5e6, 2.25e9, 300e9];
        let expected = [
            "0 ns",
            "0.5300 ns",
            "57.00 ns",
            "999.9 ns",
            "71.23 us",
            "198.0 us",
            "1.500 ms",
            "2.250 s",
            "300.0 s",
        ];
        assert_eq!(all.map(|value| quantity(value, "ns")), expected);
    }

    #[test]
    fn a_value_just_below_the_next_unit_does_not_print_a_thousand() {
        assert_eq!(quantity(999.96, "ns"), "1.000 us");
        assert_eq!(quantity(999.94, "ns"), "999.9 ns");
        assert_eq!(quantity(999.95, "ns"), "1.000 us");
    }

    #[test]
    fn the_largest_numbers_are_reported_by_their_powers_of_ten() {
        assert_eq!(quantity(999_999_999_999_999.0, "bytes"), "999999999999999 bytes");
        assert_eq!(quantity(1e15, "bytes"), "1.000e15 bytes");
        assert_eq!(quantity(f64::MAX, "bytes"), "1.798e308 bytes");
        assert_eq!(quantity(-f64::MAX, ""), "-1.798e308");
        assert_eq!(quantity(f64::MAX, "ns"), "1.798e299 s");
    }

    #[test]
    fn the_smallest_numbers_have_four_digits_too() {
        assert_eq!(quantity(2e-7, ""), "2.000e-7");
        assert_eq!(quantity(-3.2e-6, "s"), "-3.200e-6 s");
        assert_eq!([1e-3, 0.0123].map(|value| quantity(value, "")), ["0.001000", "0.01230"]);
    }

    #[test]
    fn other_units_stay() {
        assert_eq!(quantity(12_345.0, "bytes"), "12345 bytes");
        assert_eq!(quantity(0.25, ""), "0.2500");
    }

    #[test]
    fn bounds_share_the_unit_of_their_estimate() {
        let interval = Interval { estimate: 1_010.0, lower: 990.0, upper: f64::INFINITY };
        assert_eq!(range(interval, "ns"), "1.010 us [0.9900, inf]");
        let unknown = Interval { lower: f64::NEG_INFINITY, ..interval };
        assert_eq!(range(unknown, "ns"), "1.010 us");
    }
}
