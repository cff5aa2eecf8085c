//! Fences beyond which a value is an outlier.
//!
//! Definition: those of the double median absolute deviation (double MAD) lie 3 lower deviations below
//! the median and 3 upper ones above it. An outlier lies strictly outside.
//!
//! Source: Leys et al. 2013; Rosenmai 2013. Behaviour: times are skewed to the slow side, which the double
//! MAD takes into account. Where half of the values on a side of the median agree, a fence would stand
//! just beside them, and every other value would be an outlier: such a fence is moved to twice their value above and
//! half of it below (of one above 0).

use perftest_core::model::Sample;
use perftest_core::stats::MedianAbsoluteDeviation;

const DEVIATION: MedianAbsoluteDeviation = MedianAbsoluteDeviation::HARRELL_DAVIS;
/// Is 0 where half of the values agree.
const TIES: MedianAbsoluteDeviation = MedianAbsoluteDeviation::INTERPOLATED;
const DEVIATIONS: f64 = 3.0;
/// A value this many times the median is an outlier if the values around the median agree.
const TIMES: f64 = 2.0;

/// The fences of a sample's outliers.
#[derive(Debug)]
pub(super) struct Fences {
    median: f64,
    /// On a side with a deviation of 0, the value that half of its values have.
    agreed: f64,
    /// Deviation of the values up to the median.
    lower: f64,
    /// Deviation of the values from the median on.
    upper: f64,
}

impl Fences {
    pub(super) fn of(sample: &Sample) -> Self {
        // A Harrell-Davis median gives a weight to each value, so its deviation is hardly ever 0.
        let unless_half_agrees = |interpolated: f64, deviation: f64| match interpolated {
            0.0 => 0.0,
            _ => deviation,
        };
        Self {
            median: DEVIATION.median(sample),
            agreed: TIES.median(sample),
            lower: unless_half_agrees(TIES.below(sample), DEVIATION.below(sample)),
            upper: unless_half_agrees(TIES.above(sample), DEVIATION.above(sample)),
        }
    }

    /// Returns whether `value` is below the lower fence.
    pub(super) fn is_below(&self, value: f64) -> bool {
        if self.lower > 0.0 {
            value < self.median - DEVIATIONS * self.lower
        } else {
            can_be_multiplied(self.agreed) && value <= self.agreed / TIMES
        }
    }

    /// Returns whether `value` is above the upper fence.
    pub(super) fn is_above(&self, value: f64) -> bool {
        if self.upper > 0.0 {
            value > self.median + DEVIATIONS * self.upper
        } else {
            can_be_multiplied(self.agreed) && value >= TIMES * self.agreed
        }
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

    fn outliers(values: Vec<f64>) -> Vec<f64> {
        let sample = Sample::new(values).unwrap();
        let fences = Fences::of(&sample);
        let is_outside = |value: &f64| fences.is_below(*value) || fences.is_above(*value);
        sample.values().iter().copied().filter(is_outside).collect()
    }

    #[test]
    fn where_most_values_agree_no_other_is_an_outlier() {
        let values = [[10.0; 50].as_slice(), &[9.0, 11.0, 12.0]].concat();
        assert!(outliers(values).is_empty());
        let values = [[40.0; 45].as_slice(), &[41.0; 10], &[39.0; 5]].concat();
        assert!(outliers(values.clone()).is_empty());
        assert_eq!(outliers([values.as_slice(), &[400.0]].concat()), [400.0]);
        assert!(outliers([[0.0; 9].as_slice(), &[1.0]].concat()).is_empty());
    }

    #[test]
    fn where_most_values_agree_a_multiple_of_them_is_an_outlier() {
        let values = [[100.0; 50].as_slice(), &[1000.0, 110.0, 3.0]].concat();
        assert_eq!(outliers(values), [1000.0, 3.0]);
    }
}
