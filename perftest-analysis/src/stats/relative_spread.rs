//! The relative spread: how much values differ, as a share of their size.
//!
//! Definition: `pragmastat`'s spread (the median distance of two values, Shamos) over its center (the
//! median of the middles of two values, Hodges-Lehmann). Source: Pragmastat's relative spread.
//! Behaviour: the robust counterpart of the coefficient of variation: 29% of the values may be anywhere.
//! It does not separate two modes: their spread is the distance of the modes.

use perftest_core::model::Sample;

/// The relative spread: 0 for one value, or where most values agree; `None` where the center is not
/// above 0.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::relative_spread;
/// let sample = Sample::new(vec![98.0, 100.0, 102.0]).unwrap();
/// assert_eq!(relative_spread(&sample), Some(0.02));
/// let sample = Sample::new(vec![-1.0, 0.0, 1.0]).unwrap();
/// assert_eq!(relative_spread(&sample), None);
/// ```
pub fn relative_spread(sample: &Sample) -> Option<f64> {
    let center = pragmastat::estimators::raw::center(sample.sorted(), true).ok()?;
    // An error means that there is no spread.
    let spread = pragmastat::estimators::raw::spread(sample.sorted(), true).unwrap_or(0.0);
    (center > 0.0).then(|| spread / center)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: impl Iterator<Item = f64>) -> Option<f64> {
        relative_spread(&Sample::new(values.collect()).unwrap())
    }

    #[test]
    fn it_is_a_share_whatever_the_unit() {
        let values = || (0..30).map(|i| 100.0 + f64::from(i * 7 % 10));
        let share = spread(values()).unwrap();
        assert!((spread(values().map(|it| 1e6 * it)).unwrap() - share).abs() < 1e-12);
        assert!(share > 0.02 && share < 0.05, "{share}");
    }

    #[test]
    fn values_that_agree_and_far_ones_do_not_break_it() {
        assert_eq!(spread([5.0; 9].into_iter()), Some(0.0));
        assert_eq!(spread([5.0].into_iter()), Some(0.0));
        assert_eq!(spread([0.0; 9].into_iter()), None);
        let far = (0..40).map(|i| if i % 5 == 0 { 1e9 } else { 100.0 + f64::from(i) });
        assert!(spread(far).unwrap() < 0.5);
    }
}
