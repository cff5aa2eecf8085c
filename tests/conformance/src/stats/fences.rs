//! Fences beyond which a value is an outlier, as published.
//!
//! Definition: Tukey's fences lie 1.5 times the distance of the quartiles below the first and
//! above the third one; those of the median absolute deviation (MAD) 3 deviations from the
//! median; the double MAD's as many lower deviations below it and upper ones above it. An outlier
//! lies strictly outside.
//!
//! Source: Tukey, "Exploratory Data Analysis" (1977); Leys et al. 2013; Rosenmai 2013. Behaviour:
//! times are skewed to the slow side, and only the double MAD takes that into account. Where half of
//! the values agree, every other one is an outlier; perftest's own fences are guarded against that.

use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile};

const QUARTILE_DISTANCES: f64 = 1.5;
const DEVIATIONS: f64 = 3.0;

/// The fences of a sample's outliers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fences {
    /// Values below this are outliers.
    pub lower: f64,
    /// Values above this are outliers.
    pub upper: f64,
    /// The centers of the lower and the upper fence, and their distances.
    from: (f64, f64),
    distances: (f64, f64),
}

impl Fences {
    /// Tukey's fences, from the quartiles by this estimator.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::stats::Fences;
    /// use perftest_core::stats::quantile;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0, 6.0, 8.0, 16.0, 1000.0]).unwrap();
    /// assert_eq!(Fences::tukey(&sample, quantile).outliers(sample.values()), [1000.0]);
    /// ```
    pub fn tukey(sample: &Sample, quantile: Quantile) -> Self {
        let (first, third) = (quantile(sample, 0.25), quantile(sample, 0.75));
        let distance = third - first;
        Self::around((first, third), (distance, distance), QUARTILE_DISTANCES)
    }

    /// The fences of the median absolute deviation.
    pub fn mad(sample: &Sample, deviation: MedianAbsoluteDeviation) -> Self {
        let (median, distance) = (deviation.median(sample), deviation.of(sample));
        Self::around((median, median), (distance, distance), DEVIATIONS)
    }

    /// The fences of the double median absolute deviation.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::stats::Fences;
    /// use perftest_core::stats::MedianAbsoluteDeviation;
    /// let sample = Sample::new(vec![9.8, 9.9, 10.0, 10.1, 12.0, 15.0, 40.0]).unwrap();
    /// let fences = Fences::double_mad(&sample, MedianAbsoluteDeviation::INTERPOLATED);
    /// assert_eq!(fences.outliers(sample.values()), [40.0]);
    /// ```
    pub fn double_mad(sample: &Sample, deviation: MedianAbsoluteDeviation) -> Self {
        let median = deviation.median(sample);
        let distances = (deviation.below(sample), deviation.above(sample));
        Self::around((median, median), distances, DEVIATIONS)
    }

    /// Returns the same fences, `k` distances away instead of 1.5 or 3.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::stats::Fences;
    /// use perftest_core::stats::quantile;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0, 9.0]).unwrap();
    /// let fences = Fences::tukey(&sample, quantile);
    /// assert_eq!((fences.upper, fences.at(3.0).upper), (7.0, 10.0));
    /// ```
    pub fn at(self, k: f64) -> Self {
        Self::around(self.from, self.distances, k)
    }

    fn around(from: (f64, f64), distances: (f64, f64), k: f64) -> Self {
        let (lower, upper) = (from.0 - k * distances.0, from.1 + k * distances.1);
        Self { lower, upper, from, distances }
    }

    /// Returns the values outside the fences, in their order.
    pub fn outliers(&self, values: &[f64]) -> Vec<f64> {
        let is_outside = |value: &f64| *value < self.lower || *value > self.upper;
        values.iter().copied().filter(is_outside).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::quantile;

    #[test]
    fn each_side_of_the_double_one_has_its_own_measure() {
        let slow = Sample::new(vec![9.9, 9.95, 10.0, 10.05, 11.0, 12.0, 13.0, 14.0, 8.0]).unwrap();
        let deviation = MedianAbsoluteDeviation::INTERPOLATED;
        assert_eq!(Fences::double_mad(&slow, deviation).outliers(slow.values()), [8.0]);
        assert!(Fences::tukey(&slow, quantile).outliers(slow.values()).is_empty());
    }
}
