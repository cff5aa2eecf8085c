//! The regularised incomplete beta function.
//!
//! Definition: `I_x(a, b)`, the share of the beta distribution's mass below x. Algorithm: Lentz's
//! method on the continued fraction (DLMF 8.17.22), using `I_x(a, b) = 1 - I_(1-x)(b, a)` where it
//! converges faster; the logarithm of the gamma function by the Lanczos series (g = 7, nine
//! terms). Accuracy: 1e-13 for parameters up to 300 and 4e-12 up to 5000, against 40-digit values;
//! relative where the value is small.

/// `I_x(a, b)` for `a, b > 0`; x is clamped to 0..=1.
///
/// ```
/// use perftest_core::stats::incomplete_beta;
/// assert!((incomplete_beta(2.0, 3.0, 0.4) - 0.5248).abs() < 1e-12);
/// ```
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    BetaDistribution::new(a, b).below(x)
}

/// A beta distribution whose mass is needed below many places.
///
/// ```
/// use perftest_core::stats::{BetaDistribution, incomplete_beta};
/// let distribution = BetaDistribution::new(2.0, 3.0);
/// assert_eq!(distribution.below(0.4), incomplete_beta(2.0, 3.0, 0.4));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BetaDistribution {
    a: f64,
    b: f64,
    /// Logarithm of the factor in front, without its powers, and the same with `a` and `b` exchanged.
    log_factors: [f64; 2],
}

impl BetaDistribution {
    /// The distribution with these parameters, above 0.
    pub fn new(a: f64, b: f64) -> Self {
        let (of_both, of_a, of_b) = (ln_gamma(a + b), ln_gamma(a), ln_gamma(b));
        // Equal up to rounding. Exchanged parameters give the same digits as these.
        Self { a, b, log_factors: [of_both - of_a - of_b, of_both - of_b - of_a] }
    }

    /// The share of the mass below `x`, which is clamped to 0..=1.
    pub fn below(&self, x: f64) -> f64 {
        let Self { a, b, log_factors } = *self;
        if x <= 0.0 {
            return 0.0;
        }
        if x >= 1.0 {
            return 1.0;
        }
        if x > (a + 1.0) / (a + b + 2.0) {
            let mirrored = Self { a: b, b: a, log_factors: [log_factors[1], log_factors[0]] };
            return 1.0 - mirrored.below(1.0 - x);
        }
        let log_front = log_factors[0] + a * x.ln() + b * (1.0 - x).ln();
        log_front.exp() / a * continued_fraction(a, b, x)
    }
}

/// Some multiples of the root of the larger parameter suffice; the rest is for a million values.
const MOST_TERMS: u32 = 20_000;

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=MOST_TERMS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function, for `x > 0`.
pub(super) fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let tail: f64 = TERMS.iter().zip(0..).skip(1).map(|(term, i)| term / (x + f64::from(i))).sum();
    let t = x + G + 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + (TERMS[0] + tail).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a, b, x and the value.
    const ROWS: [(f64, f64, f64, f64); 6] = [
        (3.01, 297.99, 0.01, 0.5755587070438949),
        (150.5, 150.5, 0.45, 0.04111832748950316),
        (150.5, 150.5, 0.33, 6.166953943759484e-10),
        (0.06, 5.94, 0.2, 0.9902097691853181),
        (30.3, 0.7, 0.9, 0.021118927966396986),
        (231.77, 69.23, 0.8, 0.8948082929042903),
    ];

    #[test]
    fn closed_forms_are_met() {
        // I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a, I_1/2(a, a) = 1/2.
        for b in [0.5, 1.0, 3.5, 40.0] {
            for x in [0.01, 0.3, 0.7, 0.99] {
                assert!((incomplete_beta(1.0, b, x) - (1.0 - (1.0 - x).powf(b))).abs() < 1e-12);
                assert!((incomplete_beta(b, 1.0, x) - x.powf(b)).abs() < 1e-12);
            }
            assert!((incomplete_beta(b, b, 0.5) - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn values_of_forty_digit_arithmetic_are_met() {
        for (a, b, x, expected) in ROWS {
            let actual = incomplete_beta(a, b, x);
            assert!((actual - expected).abs() < 5e-12 * expected, "{a} {b} {x}: {actual}");
        }
    }
}
