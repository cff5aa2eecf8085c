//! Student's t of two samples, as Otava asks it.
//!
//! Definition: t = difference of the means / sqrt(pooled variance (1 / n + 1 / m)), two-sided, with
//! n + m - 2 degrees of freedom. The variances that are pooled were divided by n and not by
//! n - 1, and are pooled with weights n - 1 and m - 1. Source: Apache Otava, which hands population
//! deviations to a test that takes sample deviations. Behaviour: p is too small, most for short samples (5
//! and 5 values: t is 1.12 times too large). Where nothing scatters, p is 0 if the means differ and 1
//! if they agree; with no degree of freedom it is 1.

use perftest_analysis::stats::{mean, squared_error_about};
use perftest_core::stats::student_upper_tail;

/// A sample in three numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelSummary {
    /// Number of values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their population deviation.
    pub deviation: f64,
}

impl LevelSummary {
    /// Of at least one value; of none all is 0.
    pub fn of(values: &[f64]) -> Self {
        let mean = mean(values).unwrap_or(0.0);
        let variance = squared_error_about(mean, values) / values.len().max(1) as f64;
        Self { count: values.len(), mean, deviation: variance.sqrt() }
    }

    /// The two-sided probability that both have the same mean.
    ///
    /// ```
    /// use perftest_conformance::detect::LevelSummary;
    /// let of = |values: &[f64]| LevelSummary::of(values);
    /// assert!(of(&[1.0, 1.02, 1.05]).pooled_t_pvalue(&of(&[0.8, 0.82, 0.85])) < 0.001);
    /// assert_eq!(of(&[1.0]).pooled_t_pvalue(&of(&[2.0])), 1.0);
    /// ```
    pub fn pooled_t_pvalue(&self, other: &Self) -> f64 {
        let freedom = (self.count + other.count) as f64 - 2.0;
        let difference = (self.mean - other.mean).abs();
        if freedom <= 0.0 || difference == 0.0 {
            return 1.0;
        }
        let error = |level: &Self| (level.count as f64 - 1.0) * level.deviation * level.deviation;
        let pooled = (error(self) + error(other)) / freedom;
        let shares = 1.0 / self.count as f64 + 1.0 / other.count as f64;
        2.0 * student_upper_tail(freedom, difference / (pooled * shares).sqrt())
    }

    /// How much larger the larger mean is, relative to the smaller; without signs, and a mean of 0
    /// counts as nothing to compare with.
    pub fn magnitude(&self, other: &Self) -> f64 {
        let relative = |from: f64, to: f64| if from == 0.0 { 0.0 } else { (to / from - 1.0).abs() };
        relative(self.mean, other.mean).max(relative(other.mean, self.mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_is_that_of_the_textbook_but_for_the_divisor() {
        let (first, second) = ([1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]);
        // Sample variance 5 / 3, t = 2 / sqrt(5 / 6); population variance 3 / 4 of it.
        let t = 2.0 / (5.0_f64 / 6.0 * 0.75).sqrt();
        let p = LevelSummary::of(&first).pooled_t_pvalue(&LevelSummary::of(&second));
        assert!((p - 2.0 * student_upper_tail(6.0, t)).abs() < 1e-14);
    }

    #[test]
    fn levels_that_do_not_scatter_are_the_same_or_certainly_not() {
        let of = |level: f64| LevelSummary::of(&[level; 5]);
        assert_eq!(of(1.0).pooled_t_pvalue(&of(1.0)), 1.0);
        assert_eq!(of(1.0).pooled_t_pvalue(&of(2.0)), 0.0);
    }

    #[test]
    fn a_magnitude_takes_the_larger_view_and_no_zero() {
        let of = |level: f64| LevelSummary::of(&[level]);
        assert_eq!(of(1.0).magnitude(&of(2.0)), 1.0);
        assert_eq!(of(2.0).magnitude(&of(1.0)), 1.0);
        assert_eq!(of(0.0).magnitude(&of(5.0)), 1.0);
        assert_eq!(of(0.0).magnitude(&of(0.0)), 0.0);
    }
}
