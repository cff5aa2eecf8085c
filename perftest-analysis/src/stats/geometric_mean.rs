//! The middle of ratios.
//!
//! Definition: the exponential of the mean logarithm. Behaviour: twice as fast and twice as slow are 1
//! together, and no unit counts more than another; one value moves it as it moves any mean. It does not
//! exist where a value is 0 or below.

/// The geometric mean; `None` without values, or where one is not a finite number above 0.
///
/// ```
/// use perftest_analysis::stats::geometric_mean;
/// assert!((geometric_mean(&[2.0, 0.5, 8.0]).unwrap() - 2.0).abs() < 1e-12);
/// assert_eq!(geometric_mean(&[2.0, 0.0]), None);
/// assert_eq!(geometric_mean(&[]), None);
/// ```
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let is_ratio = |value: &f64| *value > 0.0 && value.is_finite();
    let has_mean = !values.is_empty() && values.iter().all(is_ratio);
    let logs = values.iter().map(|value| value.ln()).sum::<f64>();
    has_mean.then(|| (logs / values.len() as f64).exp())
}
