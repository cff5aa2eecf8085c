//! Rounding to significant digits.

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Most digits that are rounded by arithmetic.
const MOST_DIGITS: usize = 9;
/// A number this near to the middle of two rounded ones needs its exact digits: the product with a power of ten
/// is only exact to 1e-7 there.
const NEAR: f64 = 1e-6;

/// Rounds to this many significant digits, at least one. A number that is infinite or none stays as it is.
///
/// ```
/// use perftest_core::rounding::rounded;
/// assert_eq!(rounded(123_456_789.0, 6), 123_457_000.0);
/// assert_eq!(rounded(0.000_012_345_67, 6), 0.000_012_345_7);
/// ```
pub fn rounded(value: f64, digits: usize) -> f64 {
    let digits = digits.max(1);
    by_arithmetic(value, digits).unwrap_or_else(|| by_digits(value, digits))
}

/// Rounds the exact digits of a number.
fn by_digits(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// Gives the same number for a tenth of the time: records and pages have millions of numbers. `None` where
/// arithmetic cannot decide.
fn by_arithmetic(value: f64, digits: usize) -> Option<f64> {
    let magnitude = value.abs();
    if !(1e-9..1e15).contains(&magnitude) || digits > MOST_DIGITS {
        return None;
    }
    let places = digits as i32 - 1 - magnitude.log10().floor() as i32;
    let ten = TENS[places.unsigned_abs() as usize];
    let scaled = if places < 0 { magnitude / ten } else { magnitude * ten };
    let is_near = (scaled.fract() - 0.5).abs() < NEAR;
    // The logarithm of a number beside a power of ten may be that of the power.
    if is_near || !(TENS[digits - 1]..TENS[digits]).contains(&scaled) {
        return None;
    }
    // Digits and power are exact, so the result is the nearest double, as that of a parser.
    let whole = scaled.round();
    Some(if places < 0 { whole * ten } else { whole / ten }.copysign(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    #[test]
    fn as_many_significant_digits_are_kept_as_asked_for() {
        assert_eq!(rounded(4.098_765, 4), 4.099);
        assert_eq!(rounded(-0.001_234_567, 6), -0.001_234_57);
        assert_eq!(rounded(0.0, 3), 0.0);
        assert_eq!(rounded(3e20, 6), 3e20);
        assert_eq!(rounded(4.7, 0), 5.0);
        assert_eq!(rounded(f64::INFINITY, 6), f64::INFINITY);
        assert!(rounded(f64::NAN, 6).is_nan());
    }

    #[test]
    fn arithmetic_gives_the_number_that_the_exact_digits_give() {
        let mut random = Random::new(1);
        let mut by_arithmetic_alone = 0;
        for _ in 0..100_000 {
            let value = random.between(-1.0, 1.0) * 10_f64.powi(random.below(36) as i32 - 15);
            for digits in 1..=12 {
                let exact = by_digits(value, digits);
                let quick = by_arithmetic(value, digits);
                assert_eq!(
                    quick.unwrap_or(exact).to_bits(),
                    exact.to_bits(),
                    "{value:e} to {digits}"
                );
                by_arithmetic_alone += usize::from(quick.is_some());
            }
        }
        assert!(by_arithmetic_alone > 400_000, "{by_arithmetic_alone}");
    }

    #[test]
    fn numbers_between_two_rounded_ones_and_beside_powers_of_ten_are_rounded_by_their_digits() {
        let middles = [0.5, 1.5, 2.5, 0.125, 1_234.5, 999_999.5, 0.1 + 0.2, 2.675, 1e-9, 1e15];
        let powers = (-9..16).map(|power| format!("1e{power}").parse().unwrap_or(1.0));
        for value in middles.into_iter().chain(powers) {
            for near in [value, f64::next_down(value), f64::next_up(value)] {
                for digits in 1..=9 {
                    assert_eq!(
                        rounded(near, digits),
                        by_digits(near, digits),
                        "{near:e} to {digits}"
                    );
                }
            }
        }
    }
}
