//! What makes a quantile absolute deviation the standard deviation of a normal sample, for each size.
//!
//! Definition: the reciprocal of the estimator's mean in samples of n standard normal values: a
//! simulated table for small n, a fitted curve beyond it.
//!
//! Source: Akinshin, "Quantile absolute deviation", arXiv 2208.13459.

use perftest_core::stats::tabled;

/// A published table of factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QadFactors {
    /// Of the standard quantile absolute deviation.
    Standard,
    /// Of the optimal quantile absolute deviation.
    Optimal,
}

impl QadFactors {
    /// The entries of samples of 2 to 100 values.
    ///
    /// ```
    /// use perftest_conformance::stats::QadFactors;
    /// assert_eq!(QadFactors::Standard.entries()[..2], [1.7724, 1.3506]);
    /// ```
    pub const fn entries(self) -> &'static [f64; 99] {
        match self {
            Self::Standard => &STANDARD,
            Self::Optimal => &OPTIMAL,
        }
    }

    /// What an estimate from a sample of `size` values, two at least, is multiplied by.
    ///
    /// ```
    /// use perftest_conformance::stats::QadFactors;
    /// assert_eq!(QadFactors::Standard.factor(2), 1.7724);
    /// assert!((QadFactors::Optimal.factor(1_000_000) - 0.674_731).abs() < 1e-6);
    /// ```
    pub fn factor(self, size: usize) -> f64 {
        match self {
            Self::Standard => tabled(&STANDARD, size, |n| 1.0 + 0.762 / n + 0.967 / (n * n)),
            Self::Optimal => {
                tabled(&OPTIMAL, size, |n| 0.674_730_9 * (1.0 + 1.047 / n + 1.193 / (n * n)))
            }
        }
    }
}

/// Factors of the standard quantile absolute deviation, from two values to 100.
#[rustfmt::skip]
const STANDARD: [f64; 99] = [
    1.7724, 1.3506, 1.3762, 1.1881, 1.1773, 1.1289, 1.1248, 1.092, 1.0943, 1.0764, 1.0738, 1.063,
    1.0637, 1.0533, 1.0537, 1.0482, 1.0468, 1.0419, 1.0429, 1.0377, 1.0376, 1.0351, 1.0343, 1.0314,
    1.032, 1.0292, 1.029, 1.0272, 1.0271, 1.0251, 1.0253, 1.0238, 1.0235, 1.0223, 1.0224, 1.021,
    1.021, 1.0201, 1.0199, 1.0189, 1.0192, 1.018, 1.018, 1.0174, 1.0172, 1.0165, 1.0166, 1.0158,
    1.0158, 1.0152, 1.0152, 1.0146, 1.0146, 1.0141, 1.014, 1.0135, 1.0137, 1.013, 1.0131, 1.0127,
    1.0126, 1.0123, 1.0124, 1.0118, 1.0119, 1.0115, 1.0115, 1.0111, 1.0112, 1.0108, 1.0108, 1.0106,
    1.0106, 1.0102, 1.0103, 1.01, 1.01, 1.0097, 1.0097, 1.0095, 1.0095, 1.0093, 1.0092, 1.009,
    1.0091, 1.0089, 1.0088, 1.0086, 1.0086, 1.0084, 1.0084, 1.0082, 1.0082, 1.0081, 1.0081, 1.0079,
    1.0079, 1.0078, 1.0077,
];

/// Factors of the optimal quantile absolute deviation, from two values to 100.
#[rustfmt::skip]
const OPTIMAL: [f64; 99] = [
    1.7729, 0.9788, 0.9205, 0.8194, 0.811, 0.7792, 0.7828, 0.76, 0.7535, 0.7388, 0.7365, 0.7282,
    0.7284, 0.7241, 0.7234, 0.717, 0.7155, 0.7113, 0.711, 0.7083, 0.7088, 0.7068, 0.7056, 0.703,
    0.7024, 0.7006, 0.7006, 0.6995, 0.6998, 0.6979, 0.6974, 0.696, 0.6958, 0.6949, 0.6949, 0.6944,
    0.694, 0.6929, 0.6927, 0.6918, 0.6918, 0.6913, 0.6914, 0.6907, 0.6904, 0.6897, 0.6896, 0.6891,
    0.6892, 0.6888, 0.6887, 0.6882, 0.688, 0.6875, 0.6875, 0.6871, 0.6872, 0.687, 0.6868, 0.6863,
    0.6862, 0.6859, 0.6859, 0.6857, 0.6858, 0.6854, 0.6853, 0.685, 0.6849, 0.6847, 0.6847, 0.6846,
    0.6845, 0.6842, 0.6841, 0.6839, 0.6839, 0.6837, 0.6838, 0.6836, 0.6834, 0.6833, 0.6832, 0.6831,
    0.683, 0.6829, 0.683, 0.6827, 0.6827, 0.6825, 0.6825, 0.6823, 0.6823, 0.6823, 0.6822, 0.682,
    0.682, 0.6819, 0.6819,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_run_into_their_curves() {
        for factors in [QadFactors::Standard, QadFactors::Optimal] {
            for size in 95..105 {
                let step = factors.factor(size + 1) / factors.factor(size) - 1.0;
                assert!(step.abs() < 2e-3, "{size}: {step}");
            }
        }
    }

    #[test]
    fn large_samples_have_the_factors_of_the_distribution() {
        assert!((QadFactors::Standard.factor(1_000_000) - 1.0).abs() < 1e-5);
        assert!((QadFactors::Optimal.factor(1_000_000) - 0.674_730_9).abs() < 1e-5);
    }
}
