//! Quantile and tail of Student's t distribution.
//!
//! Definition: the t with `P(T <= t) = probability`, and `P(T > t)`. Algorithm: bisection on
//! `P(|T| > t) = I_(f / (f + t^2))(f / 2, 1 / 2)` (Abramowitz and Stegun 26.7.1).

use super::incomplete_beta;

/// The quantile for `freedom` degrees of freedom (a fraction is allowed) at a `probability`
/// above one half and below one; at one half and below it is 0.
///
/// ```
/// use perftest_core::stats::student_quantile;
/// assert!((student_quantile(8.0, 0.999) - 4.5008).abs() < 1e-4);
/// ```
pub fn student_quantile(freedom: f64, probability: f64) -> f64 {
    let tail = 2.0 * (1.0 - probability);
    let beyond = |t: f64| 2.0 * student_upper_tail(freedom, t);
    let (mut low, mut high) = (0.0, 1.0);
    while beyond(high) > tail && high < 1e9 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if beyond(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    if tail >= 1.0 { 0.0 } else { high }
}

/// The probability of a value above `t`, which is not negative.
///
/// ```
/// use perftest_core::stats::student_upper_tail;
/// assert!((student_upper_tail(8.0, 4.5008) - 0.001).abs() < 1e-7);
/// assert_eq!(student_upper_tail(8.0, 0.0), 0.5);
/// ```
pub fn student_upper_tail(freedom: f64, t: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_values_are_met() {
        // Abramowitz and Stegun, table 26.10.
        for (freedom, probability, t) in
            [(1.0, 0.975, 12.706), (4.0, 0.995, 4.604), (10.0, 0.95, 1.812), (120.0, 0.975, 1.980)]
        {
            assert!((student_quantile(freedom, probability) - t).abs() < 6e-4);
        }
    }

    #[test]
    fn the_middle_is_zero() {
        assert_eq!(student_quantile(5.0, 0.5), 0.0);
    }
}
