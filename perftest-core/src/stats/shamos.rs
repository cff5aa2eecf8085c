//! Shamos' deviation.
//!
//! Definition: the median distance of two values (`pragmastat`'s spread), times a factor that
//! makes it the standard deviation of a normal sample of the same size. Source: Shamos 1976; the
//! factors are those of `scale_factors.rs`. Behaviour: efficiency 86%, breakdown 29%.

use super::ScaleTable;
use crate::model::Sample;

/// Shamos' estimate of the standard deviation of `sample`: 0 for one value, or where more than
/// about 71% of the values agree.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::shamos_deviation;
/// let sample = Sample::new(vec![10.0, 20.0]).unwrap();
/// assert!((shamos_deviation(&sample) - 8.860_7).abs() < 1e-3);
/// ```
pub fn shamos_deviation(sample: &Sample) -> f64 {
    // An error means that the spread is zero.
    let spread = pragmastat::estimators::raw::spread(sample.sorted(), true).unwrap_or(0.0);
    spread * ScaleTable::ShamosBias.factor(sample.size().max(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_agree_deviate_by_nothing() {
        for values in [vec![3.0], vec![3.0; 9]] {
            assert_eq!(shamos_deviation(&Sample::new(values).unwrap()), 0.0);
        }
    }

    #[test]
    fn a_quarter_of_far_values_does_not_break_it() {
        let values = |far: f64| (0..40).map(|i| if i < 10 { far } else { f64::from(i) }).collect();
        let deviation = |far: f64| shamos_deviation(&Sample::new(values(far)).unwrap());
        assert!(deviation(1e9) < 3.0 * deviation(50.0));
    }
}
