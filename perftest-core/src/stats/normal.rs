//! Tail and quantile of the normal distribution.
//!
//! Definition: `Q(x) = P(X > x)` of a standard normal X, and the x with `P(X <= x) = probability`.
//! Algorithm: Mills' ratio `Q(x) / density(x)`, below 2 by the series
//! `1 / (2 density) - (x + x^3 / 3 + x^5 / 15 + ..)` (Marsaglia 2004) and from 2 on by the continued
//! fraction `1 / (x + 1 / (x + 2 / (x + ..)))` (Laplace). The quantile is Newton's method on the
//! logarithm of Q, which is concave: after the first step the root is approached from one side.
//! Accuracy: 1e-14, relative in the upper tail down to 1e-300.

use std::f64::consts::PI;

/// The continued fraction at 2, where it converges slowest, is exact after fewer.
const FRACTION_TERMS: u32 = 200;
const SERIES_UPTO: f64 = 2.0;
const MOST_STEPS: usize = 100;
const LAST_STEP: f64 = 1e-14;

/// The probability of a value above `x`.
///
/// ```
/// use perftest_core::stats::normal_upper_tail;
/// assert!((normal_upper_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
/// assert_eq!(normal_upper_tail(0.0), 0.5);
/// ```
pub fn normal_upper_tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - normal_upper_tail(-x);
    }
    if x.is_infinite() {
        return 0.0;
    }
    normal_density(x) * mills_ratio(x)
}

/// The quantile at `probability`: infinite at 0 and 1.
///
/// ```
/// use perftest_core::stats::normal_quantile;
/// assert!((normal_quantile(0.977) - 1.995_393_310_167_825).abs() < 1e-13);
/// assert_eq!(normal_quantile(0.5), 0.0);
/// ```
#[inline]
pub fn normal_quantile(probability: f64) -> f64 {
    if probability < 0.5 { -above(probability) } else { above(1.0 - probability) }
}

/// The x, not below 0, that is exceeded with probability `tail`, at most one half.
fn above(tail: f64) -> f64 {
    if tail <= 0.0 {
        return f64::INFINITY;
    }
    let mut x: f64 = 0.0;
    for _ in 0..MOST_STEPS {
        let ratio = mills_ratio(x);
        let step = (log_density(x) + ratio.ln() - tail.ln()) * ratio;
        x = (x + step).max(0.0);
        if step.abs() <= LAST_STEP * x {
            break;
        }
    }
    x
}

/// The density at `x`.
pub(super) fn normal_density(x: f64) -> f64 {
    log_density(x).exp()
}

fn log_density(x: f64) -> f64 {
    -0.5 * (x * x + (2.0 * PI).ln())
}

/// The upper tail over the density, for `x` not below 0.
fn mills_ratio(x: f64) -> f64 {
    if x >= SERIES_UPTO {
        return 1.0 / (1..=FRACTION_TERMS).rev().fold(x, |rest, k| x + f64::from(k) / rest);
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term > sum * f64::EPSILON / 4.0 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 / normal_density(x) - sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_forty_digit_arithmetic_are_met() {
        for (x, tail) in [
            (0.5, 0.308_537_538_725_986_9),
            (1.0, 0.158_655_253_931_457_05),
            (3.0, 1.349_898_031_630_094_5e-3),
            (10.0, 7.619_853_024_160_526e-24),
        ] {
            let error = normal_upper_tail(x) / tail - 1.0;
            assert!(error.abs() < 1e-14, "{x}: {error}");
            let below = normal_upper_tail(-x) - (1.0 - tail);
            assert!(below.abs() < 1e-15, "{x}: {below}");
        }
    }

    #[test]
    fn the_quantile_leaves_the_asked_probability_beyond_it() {
        for tail in [1e-300, 1e-16, 1e-3, 0.15, 0.4, 0.499_999] {
            let error = normal_upper_tail(-normal_quantile(tail)) / tail - 1.0;
            assert!(error.abs() < 1e-11, "{tail}: {error}");
        }
    }

    #[test]
    fn the_ends_are_the_ends() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert_eq!(normal_upper_tail(f64::INFINITY), 0.0);
        assert_eq!(normal_upper_tail(f64::NEG_INFINITY), 1.0);
    }
}
