//! Shamos' deviation.
//!
//! Definition: the median distance of two values, times a factor that makes it the standard deviation
//! of a normal sample of the same size. Source: Shamos 1976; the
//! factors are those of `scale_factors.rs`. Behaviour: efficiency 86%, breakdown 29%.

use super::ScaleTable;
use super::pair_ranks::{distance_at, middle};
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
    median_distance(sample.sorted()) * ScaleTable::ShamosBias.factor(sample.size().max(2))
}

/// The median distance of two of these ascending values: 0 for one value.
pub fn median_distance(sorted: &[f64]) -> f64 {
    let size = sorted.len() as u64;
    let last = (size * size.saturating_sub(1) / 2).checked_sub(1);
    last.map_or(0.0, |last| middle(last, |rank| distance_at(sorted, rank)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    #[test]
    fn the_median_distance_is_the_spread_of_pragmastat_to_the_last_bit() {
        let mut random = Random::new(11);
        for case in 0..4_000 {
            let size = 1 + case % 61;
            // Of every other sample many values agree.
            let step = if case % 2 == 0 { 1e-9 } else { 0.25 };
            let value = |_| (random.between(-3.0, 5.0) / step).round() * step;
            let sample = Sample::new((0..size).map(value).collect()).unwrap();
            let spread = pragmastat::estimators::raw::spread(sample.sorted(), true);
            // An error means that the spread is zero.
            assert_eq!(median_distance(sample.sorted()), spread.unwrap_or(0.0), "{sample:?}");
        }
    }

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
