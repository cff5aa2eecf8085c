//! Fences beyond which a value is an outlier.
//!
//! Definition: Tukey's fences lie 1.5 times the distance of the quartiles below the first and
//! above the third one; those of the median absolute deviation (MAD) 3 deviations from the
//! median; the double MAD's as many lower deviations below it and upper ones above it. An outlier
//! lies strictly outside.
//!
//! Source: Tukey, "Exploratory Data Analysis" (1977); Leys et al. 2013; Rosenmai 2013. Behaviour:
//! times are skewed to the slow side, and only the double MAD takes that into account. Where half of
//! the values agree, a fence stands on its middle and every other value would be an outlier: such a
//! fence is moved to twice its middle above and half of it below (of a middle above 0), unless the
//! [`published`](Fences::published) answer is asked for.

use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Quantile};

const QUARTILE_DISTANCES: f64 = 1.5;
const DEVIATIONS: f64 = 3.0;
/// A value this many times the median is an outlier if the values around the median agree.
const TIMES: f64 = 2.0;

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
    /// Whether a fence without a distance is moved away from its center.
    is_guarded: bool,
}

impl Fences {
    /// Tukey's fences, from the quartiles by this estimator.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_analysis::stats::Fences;
    /// use perftest_core::stats::quantile;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0, 6.0, 8.0, 16.0, 1000.0]).unwrap();
    /// assert_eq!(Fences::tukey(&sample, quantile).outliers(&sample), [1000.0]);
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
    /// use perftest_analysis::stats::Fences;
    /// use perftest_core::stats::MedianAbsoluteDeviation;
    /// let sample = Sample::new(vec![9.8, 9.9, 10.0, 10.1, 12.0, 15.0, 40.0]).unwrap();
    /// let fences = Fences::double_mad(&sample, MedianAbsoluteDeviation::INTERPOLATED);
    /// assert_eq!(fences.outliers(&sample), [40.0]);
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
    /// use perftest_analysis::stats::Fences;
    /// use perftest_core::stats::quantile;
    /// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0, 9.0]).unwrap();
    /// let fences = Fences::tukey(&sample, quantile);
    /// assert_eq!((fences.upper, fences.at(3.0).upper), (7.0, 10.0));
    /// ```
    pub fn at(self, k: f64) -> Self {
        Self { is_guarded: self.is_guarded, ..Self::around(self.from, self.distances, k) }
    }

    /// Returns the same fences in their published form: they also count without a distance.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_analysis::stats::Fences;
    /// use perftest_core::stats::MedianAbsoluteDeviation;
    /// let ticks = Sample::new(vec![4.0, 4.0, 4.0, 4.0, 5.0]).unwrap();
    /// let fences = Fences::double_mad(&ticks, MedianAbsoluteDeviation::INTERPOLATED);
    /// assert!(fences.outliers(&ticks).is_empty());
    /// assert_eq!(fences.published().outliers(&ticks), [5.0]);
    /// ```
    pub fn published(self) -> Self {
        Self { is_guarded: false, ..self }
    }

    fn around(from: (f64, f64), distances: (f64, f64), k: f64) -> Self {
        let (lower, upper) = (from.0 - k * distances.0, from.1 + k * distances.1);
        Self { lower, upper, from, distances, is_guarded: true }
    }

    /// Returns whether both fences have a distance.
    pub fn judges(&self) -> bool {
        self.distances.0 > 0.0 && self.distances.1 > 0.0
    }

    /// Returns whether `value` is below the lower fence.
    pub fn is_below(&self, value: f64) -> bool {
        match self.distances.0 > 0.0 || !self.is_guarded {
            true => value < self.lower,
            false => can_be_multiplied(self.from.0) && value <= self.from.0 / TIMES,
        }
    }

    /// Returns whether `value` is above the upper fence.
    pub fn is_above(&self, value: f64) -> bool {
        match self.distances.1 > 0.0 || !self.is_guarded {
            true => value > self.upper,
            false => can_be_multiplied(self.from.1) && value >= TIMES * self.from.1,
        }
    }

    /// Returns the values of `sample` outside the fences, in order of measurement.
    pub fn outliers(&self, sample: &Sample) -> Vec<f64> {
        let values = sample.values().iter().copied();
        values.filter(|value| self.is_below(*value) || self.is_above(*value)).collect()
    }
}

/// Returns whether multiples of this center are useful: those of values near the largest number
/// would overflow.
fn can_be_multiplied(middle: f64) -> bool {
    middle > 0.0 && (TIMES * middle).is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::quantile;

    #[test]
    fn where_most_values_agree_no_other_is_an_outlier() {
        let ticks = Sample::new(vec![9.0, 10.0, 10.0, 10.0, 10.0, 10.0, 11.0, 12.0]).unwrap();
        let deviation = MedianAbsoluteDeviation::INTERPOLATED;
        for fences in [Fences::mad(&ticks, deviation), Fences::double_mad(&ticks, deviation)] {
            assert_eq!(fences.outliers(&ticks), [], "{fences:?}");
        }
    }

    #[test]
    fn where_most_values_agree_a_multiple_of_them_is_an_outlier() {
        let values = [[100.0; 50].as_slice(), &[1000.0, 110.0, 3.0]].concat();
        let sample = Sample::new(values).unwrap();
        let fences = Fences::double_mad(&sample, MedianAbsoluteDeviation::HARRELL_DAVIS);
        assert_eq!(fences.outliers(&sample), [1000.0, 3.0]);
    }

    #[test]
    fn each_side_of_the_double_one_has_its_own_measure() {
        let slow = Sample::new(vec![9.9, 9.95, 10.0, 10.05, 11.0, 12.0, 13.0, 14.0, 8.0]).unwrap();
        let deviation = MedianAbsoluteDeviation::INTERPOLATED;
        assert_eq!(Fences::double_mad(&slow, deviation).outliers(&slow), [8.0]);
        assert_eq!(Fences::tukey(&slow, quantile).outliers(&slow), []);
    }
}
