//! Median absolute deviation, double or single.
//!
//! Definition: the median distance of the values from their median, times a factor that makes it
//! the standard deviation of a normal sample of the same size. The lower and the upper one look
//! only at the values up to and from the median, with the factor of the whole sample. One value
//! has a deviation of 0.
//!
//! Source: Hampel 1974; the factors are those of `scale_factors.rs`; the double one Rosenmai
//! 2013. Behaviour: breakdown 50%, efficiency 37%; with Harrell-Davis medians more precise and
//! less robust. Where more than half of the values agree it is 0: a caller that divides by it must
//! look. In samples of several modes it measures the distance between them.

use super::{ScaleTable, harrell_davis, quantile};
use crate::list::IntoList;
use crate::model::Sample;

/// An estimator of quantiles of a sample.
pub type Quantile = fn(&Sample, f64) -> f64;

/// A median absolute deviation by the quantiles it is made of.
#[derive(Debug, Clone, Copy)]
pub struct MedianAbsoluteDeviation {
    quantile: Quantile,
    table: ScaleTable,
}

impl MedianAbsoluteDeviation {
    /// With interpolated medians.
    pub const INTERPOLATED: Self = Self { quantile, table: ScaleTable::MadBias };
    /// With Harrell-Davis medians.
    pub const HARRELL_DAVIS: Self =
        Self { quantile: harrell_davis, table: ScaleTable::HarrellDavisMad };

    /// The median that deviations are taken from.
    pub fn median(&self, sample: &Sample) -> f64 {
        (self.quantile)(sample, 0.5)
    }

    /// The deviation of all values.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_core::stats::MedianAbsoluteDeviation;
    /// let sample = Sample::new(vec![10.0, 20.0]).unwrap();
    /// let deviation = MedianAbsoluteDeviation::INTERPOLATED.of(&sample);
    /// assert!((deviation - 8.860_75).abs() < 1e-5);
    /// ```
    pub fn of(&self, sample: &Sample) -> f64 {
        self.among(sample, |_, _| true)
    }

    /// The deviation of the values up to the median.
    #[inline]
    pub fn below(&self, sample: &Sample) -> f64 {
        self.among(sample, |value, median| value <= median)
    }

    /// The deviation of the values from the median up.
    #[inline]
    pub fn above(&self, sample: &Sample) -> f64 {
        self.among(sample, |value, median| value >= median)
    }

    fn among(&self, sample: &Sample, counts: impl Fn(f64, f64) -> bool) -> f64 {
        if sample.size() == 1 {
            return 0.0;
        }
        let median = self.median(sample);
        let counted = sample.sorted().iter().filter(|value| counts(**value, median));
        // The median lies between the smallest and the largest value, so one counts at least.
        let deviations = Sample::new(counted.map(|value| (value - median).abs()).into_list());
        deviations.map_or(0.0, |deviations| {
            self.table.factor(sample.size()) * (self.quantile)(&deviations, 0.5)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skewed_sample_has_a_longer_upper_side() {
        let sample = Sample::new((1..40).map(|i| f64::from(i).exp2().sqrt()).collect()).unwrap();
        for deviation in
            [MedianAbsoluteDeviation::INTERPOLATED, MedianAbsoluteDeviation::HARRELL_DAVIS]
        {
            assert!(deviation.above(&sample) > 10.0 * deviation.below(&sample));
        }
    }

    #[test]
    fn values_that_agree_deviate_by_nothing() {
        let same = Sample::new(vec![0.1; 6]).unwrap();
        assert_eq!(MedianAbsoluteDeviation::INTERPOLATED.of(&same), 0.0);
        assert_eq!(MedianAbsoluteDeviation::HARRELL_DAVIS.above(&same), 0.0);
    }
}
