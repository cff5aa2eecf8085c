//! Quantiles from one or two order statistics (Hyndman-Fan types 1 to 9).
//!
//! Definition: with x(1) to x(n) ascending, a quantile is x(f) + (h - f)(x(f+1) - x(f)), f the
//! whole part of a place h between 1 and n. Types 4 to 9 differ in h: n p, n p + 1/2, (n + 1) p,
//! (n - 1) p + 1, (n + 1/3) p + 1/3, (n + 1/4) p + 3/8. Types 1 to 3 take a value that was
//! measured (type 2 the middle of two): n p rounded up, the same with the middle of both
//! neighbours where n p is whole, n p rounded to the nearest with halves to the even one.
//!
//! With weights (types 4 to 9 only) n is the effective size, and a value counts with the part of
//! the interval from (h - 1) / n to h / n that its share of the weights covers.
//!
//! Source: Hyndman and Fan, "Sample quantiles in statistical packages", The American
//! Statistician 50 (1996); for the weights Akinshin, "Weighted quantile estimators",
//! arXiv 2304.07265. Behaviour: as robust as the two order statistics, which alone count.
//! Type 7 is the default of R, NumPy and Excel.

use perftest_core::model::Sample;
use perftest_core::stats::{WeightedSample, weighted_mean};

/// The nine types of Hyndman and Fan, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HyndmanFan {
    /// Inverse of the empirical distribution.
    Type1,
    /// The same, with the middle of two values at a step.
    Type2,
    /// Nearest value, the even one of two.
    Type3,
    /// Linear interpolation of the empirical distribution.
    Type4,
    /// Linear between the middles of its steps.
    Type5,
    /// Divides by n + 1 (Minitab, SPSS).
    Type6,
    /// From the smallest value to the largest (R, NumPy, Excel): [`quantile`](perftest_core::stats::quantile).
    Type7,
    /// Median-unbiased for every distribution.
    Type8,
    /// Unbiased for the normal distribution.
    Type9,
}

impl HyndmanFan {
    /// All of them, by their numbers.
    pub const ALL: [Self; 9] = [
        Self::Type1,
        Self::Type2,
        Self::Type3,
        Self::Type4,
        Self::Type5,
        Self::Type6,
        Self::Type7,
        Self::Type8,
        Self::Type9,
    ];

    /// The quantile of `sample` at `probability`, which is clamped to 0..=1.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::stats::HyndmanFan;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    /// assert_eq!(HyndmanFan::Type1.quantile(&sample, 0.5), 2.0);
    /// assert_eq!(HyndmanFan::Type6.quantile(&sample, 0.25), 1.25);
    /// ```
    pub fn quantile(self, sample: &Sample, probability: f64) -> f64 {
        let (sorted, size) = (sample.sorted(), sample.size() as f64);
        let place = self.place(size, probability.clamp(0.0, 1.0)).clamp(1.0, size);
        let below = place.floor();
        let lower = sorted[below as usize - 1];
        let upper = sorted[place.ceil() as usize - 1];
        lower + (place - below) * (upper - lower)
    }

    /// The quantile of values that do not count alike, at `probability`, which is clamped to
    /// 0..=1; `None` for types 1 to 3, which have no weighted form.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::stats::HyndmanFan;
    /// use perftest_core::stats::WeightedSample;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0]).unwrap();
    /// let weighted = WeightedSample::new(&sample, &[0.0, 1.0, 1.0]).unwrap();
    /// assert_eq!(HyndmanFan::Type7.weighted_quantile(&weighted, 0.5), Some(2.5));
    /// ```
    pub fn weighted_quantile(self, sample: &WeightedSample, probability: f64) -> Option<f64> {
        if matches!(self, Self::Type1 | Self::Type2 | Self::Type3) {
            return None;
        }
        let size = sample.effective_size();
        let place = self.place(size, probability.clamp(0.0, 1.0)).clamp(1.0, size.max(1.0));
        let covered = |share: f64| (share * size - (place - 1.0)).clamp(0.0, 1.0);
        let shares = sample.cumulative_shares();
        let below = |rank: usize| rank.checked_sub(1).map_or(0.0, |before| covered(shares[before]));
        let weight = |rank: usize| covered(shares[rank]) - below(rank);
        let weights: Vec<f64> = (0..shares.len()).map(weight).collect();
        Some(weighted_mean(sample.sorted(), &weights))
    }

    /// The place of the quantile among the order statistics, counted from 1, not yet clamped.
    fn place(self, n: f64, p: f64) -> f64 {
        // A product like 100 * 0.07 is whole but for the last bits.
        let step = n * p;
        let step = if (step - step.round()).abs() <= 4.0 * f64::EPSILON * step {
            step.round()
        } else {
            step
        };
        match self {
            Self::Type1 => step.ceil(),
            Self::Type2 => f64::midpoint(step.ceil(), (step + 1.0).floor()),
            Self::Type3 => step.round_ties_even(),
            Self::Type4 => step,
            Self::Type5 => step + 0.5,
            Self::Type6 => (n + 1.0) * p,
            Self::Type7 => (n - 1.0) * p + 1.0,
            Self::Type8 => (n + 1.0 / 3.0) * p + 1.0 / 3.0,
            Self::Type9 => (n + 0.25) * p + 0.375,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::{quantile, weighted_quantile};

    #[test]
    fn the_nine_types_of_ten_values_are_those_of_their_definitions() {
        // The 0.37 quantile of 1 to 10 is its own place.
        let sample = Sample::new((1..=10).map(f64::from).collect()).unwrap();
        let places = [4.0, 4.0, 4.0, 3.7, 4.2, 4.07, 4.33, 4.156_666_666_666_667, 4.1675];
        for (kind, place) in HyndmanFan::ALL.into_iter().zip(places) {
            assert!((kind.quantile(&sample, 0.37) - place).abs() < 1e-12, "{kind:?}");
        }
    }

    #[test]
    fn a_step_is_taken_as_the_definition_says_where_the_product_is_whole() {
        let sample = Sample::new((1..=100).map(f64::from).collect()).unwrap();
        assert_eq!(HyndmanFan::Type1.quantile(&sample, 0.07), 7.0);
        assert_eq!(HyndmanFan::Type2.quantile(&sample, 0.07), 7.5);
        assert_eq!(HyndmanFan::Type3.quantile(&sample, 0.065), 6.0);
    }

    #[test]
    fn no_type_leaves_the_range_of_the_sample() {
        let sample = Sample::new(vec![2.0, 5.0, 9.0]).unwrap();
        for kind in HyndmanFan::ALL {
            assert_eq!(kind.quantile(&sample, 0.0), 2.0, "{kind:?}");
            assert_eq!(kind.quantile(&sample, 1.0), 9.0, "{kind:?}");
            assert_eq!(kind.quantile(&sample, -3.0), 2.0, "{kind:?}");
        }
    }

    #[test]
    fn type_7_is_what_perftest_ships() {
        let sample = Sample::new(vec![4.0, 1.0, 3.0, 2.0, 8.0]).unwrap();
        let weighted = WeightedSample::new(&sample, &[1.0, 0.0, 2.0, 3.0, 1.0]).unwrap();
        for p in [0.0, 0.1, 0.33, 0.5, 0.95, 1.0] {
            assert_eq!(HyndmanFan::Type7.quantile(&sample, p), quantile(&sample, p));
            let shipped = weighted_quantile(&weighted, p);
            assert_eq!(HyndmanFan::Type7.weighted_quantile(&weighted, p), Some(shipped));
        }
    }

    #[test]
    fn equal_weights_change_nothing() {
        let sample = Sample::new(vec![4.0, 1.0, 3.0, 2.0, 8.0]).unwrap();
        let weighted = WeightedSample::from(&sample);
        for kind in &HyndmanFan::ALL[3..] {
            for p in [0.0, 0.1, 0.33, 0.5, 0.95, 1.0] {
                let difference =
                    kind.weighted_quantile(&weighted, p).unwrap() - kind.quantile(&sample, p);
                assert!(difference.abs() < 1e-12, "{kind:?} {p}");
            }
        }
        assert_eq!(HyndmanFan::Type1.weighted_quantile(&weighted, 0.5), None);
    }
}
