//! The cumulated distribution of a symmetric sum of many small parts, nearly.
//!
//! Definition: Edgeworth's expansion about the normal distribution: with k4 and k6 the cumulants of
//! the standardised sum, P(Z <= z) = Phi(z) - phi(z) (k4 / 24 He3(z) + k6 / 720 He5(z) +
//! k4^2 / 1152 He7(z)), He the Hermite polynomials. Counts are asked half a step above.
//!
//! The cumulants of Mann and Whitney's count of n and m values are B_2k / 2k times
//! S_2k(n + m) - S_2k(n) - S_2k(m), those of Wilcoxon's sum of ranks B_2k (4^k - 1) / 2k times
//! S_2k(n), with Bernoulli's numbers B and the sums S_2k(n) = 1 + 2^2k + .. + n^2k.
//!
//! Source: Fix and Hodges 1955 for the expansion; the cumulants from the generating functions.
//! Behaviour: of 200 and 200 values a margin at 5e-4 is that of the exact distribution.

use super::normal::{normal_density, normal_upper_tail};

/// The distribution of a count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edgeworth {
    mean: f64,
    deviation: f64,
    third: f64,
    fifth: f64,
    seventh: f64,
}

impl Edgeworth {
    /// How many pairs of `n` and `m` values of the same distribution have the first one larger.
    pub(super) fn mann_whitney(n: usize, m: usize) -> Self {
        let (n, m) = (n as f64, m as f64);
        let sum = |power: fn(f64) -> f64| power(n + m) - power(n) - power(m);
        let variance = sum(squares) / 12.0;
        let fourth = -sum(fourth_powers) / 120.0 / variance.powi(2);
        let sixth = sum(sixth_powers) / 252.0 / variance.powi(3);
        Self {
            mean: n * m / 2.0,
            deviation: variance.sqrt(),
            third: fourth / 24.0,
            fifth: sixth / 720.0,
            seventh: fourth * fourth / 1152.0,
        }
    }

    /// The sum of those of the ranks 1 to `n` that heads are tossed for; to the first term.
    pub(super) fn signed_ranks(n: usize) -> Self {
        let n = n as f64;
        let variance = squares(n) / 4.0;
        let fourth = -fourth_powers(n) / 8.0 / variance.powi(2);
        Self {
            mean: n * (n + 1.0) / 4.0,
            deviation: variance.sqrt(),
            third: fourth / 24.0,
            fifth: 0.0,
            seventh: 0.0,
        }
    }

    /// The last count up to `most` whose cumulated probability is below `misrate`; `None` if even 0
    /// is too frequent.
    pub(super) fn last_below(&self, misrate: f64, most: u64) -> Option<u64> {
        let is_below = |count: u64| self.upto(count) < misrate;
        if !is_below(0) {
            return None;
        }
        let (mut low, mut high) = (0, most + 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if is_below(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// The probability of this count or a smaller one.
    fn upto(&self, count: u64) -> f64 {
        let z = (count as f64 - self.mean + 0.5) / self.deviation;
        let square = z * z;
        let hermite3 = z * (square - 3.0);
        let hermite5 = z * (square * (square - 10.0) + 15.0);
        let hermite7 = z * (square * (square * (square - 21.0) + 105.0) - 105.0);
        let terms = self.third * hermite3 + self.fifth * hermite5 + self.seventh * hermite7;
        (normal_upper_tail(-z) - normal_density(z) * terms).clamp(0.0, 1.0)
    }
}

fn squares(n: f64) -> f64 {
    n * (n + 1.0) * (2.0 * n + 1.0) / 6.0
}

fn fourth_powers(n: f64) -> f64 {
    squares(n) * (3.0 * n * (n + 1.0) - 1.0) / 5.0
}

fn sixth_powers(n: f64) -> f64 {
    squares(n) * (3.0 * n * (n * n * (n + 2.0) - 1.0) + 1.0) / 7.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_sums_are_sums_of_powers() {
        let sum = |power: i32| (1..=9).map(|i| f64::from(i).powi(power)).sum::<f64>();
        assert_eq!([squares(9.0), fourth_powers(9.0), sixth_powers(9.0)], [2, 4, 6].map(sum));
    }
}
