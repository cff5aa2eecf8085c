//! The standard error of Harrell-Davis quantiles, and the interval that follows from it.
//!
//! Definition: the root of the weighted mean square deviation from the quantile; the interval is
//! Student's with that error. Source: Maritz and Jarrett (1978).

use perftest_core::model::Interval;
use perftest_core::stats::{
    RankedValues, WeightedSample, harrell_davis_weights, student_quantile, weighted_mean,
};

/// The quantile at `probability` (clamped to 0..=1) with the bounds between which it lies with
/// probability `level`: Student's interval with the standard error of Maritz and Jarrett.
///
/// `None` when the effective size is 1 or less, which has no error.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::harrell_davis_interval;
/// let sample = Sample::new(vec![3.0, 4.0, 7.0]).unwrap();
/// let interval = harrell_davis_interval(&(&sample).into(), 0.5, 0.95).unwrap();
/// assert!((interval.lower + 2.040).abs() < 1e-3);
/// ```
pub fn harrell_davis_interval(
    sample: &WeightedSample,
    probability: f64,
    level: f64,
) -> Option<Interval> {
    let freedom = sample.effective_size() - 1.0;
    if freedom <= 0.0 {
        return None;
    }
    let (estimate, error) = with_error(sample, probability);
    let reach = error * student_quantile(freedom, f64::midpoint(1.0, level));
    Some(Interval { estimate, lower: estimate - reach, upper: estimate + reach })
}

/// The standard error of the quantile at `probability` (clamped to 0..=1), by Maritz and Jarrett; 0
/// for one value.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::harrell_davis_error;
/// let sample = Sample::new(vec![3.0, 4.0, 7.0]).unwrap();
/// assert!((harrell_davis_error(&(&sample).into(), 0.5) - 1.524).abs() < 1e-3);
/// ```
pub fn harrell_davis_error(sample: &WeightedSample, probability: f64) -> f64 {
    with_error(sample, probability).1
}

/// The quantile and its standard error.
fn with_error(sample: &WeightedSample, probability: f64) -> (f64, f64) {
    let (values, weights) = harrell_davis_weights(&RankedValues::from(sample), probability);
    let estimate = weighted_mean(values, &weights);
    let square = |value: f64| (value - estimate) * (value - estimate);
    let variance: f64 =
        values.iter().zip(&weights).map(|(value, weight)| weight * square(*value)).sum();
    (estimate, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Sample;

    #[test]
    fn one_value_has_no_error() {
        let one = Sample::new(vec![1.0]).unwrap();
        assert_eq!(harrell_davis_interval(&(&one).into(), 0.5, 0.95), None);
    }
}
