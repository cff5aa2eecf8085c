//! Gamma effect size.
//!
//! Definition: the difference of two quantiles, current minus before, by the pooled median absolute deviation: the root of
//! the deviations' squares, weighted with the sizes less one. Where neither sample deviates it is 0 for quantiles that
//! agree and infinite otherwise.
//!
//! Source: Akinshin, "Nonparametric Cohen's d-consistent effect size" (2020). Behaviour: Cohen's
//! d for normal samples, robust for others, and one number for each quantile. In samples of
//! several modes the deviation measures the distance between modes and hides real shifts: compare
//! mode by mode.

use perftest_core::model::Sample;
use perftest_core::stats::MedianAbsoluteDeviation;

/// The effect size of a shift between two quantiles of samples with this [pooled deviation](pooled_absolute_deviation).
///
/// ```
/// use perftest_analysis::stats::gamma_effect_size;
/// assert_eq!(gamma_effect_size(-3.0, 2.0), -1.5);
/// assert_eq!(gamma_effect_size(0.0, 0.0), 0.0);
/// ```
pub fn gamma_effect_size(shift: f64, deviation: f64) -> f64 {
    if shift == 0.0 { 0.0 } else { shift / deviation }
}

/// The pooled median absolute deviation of two samples.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::pooled_absolute_deviation;
/// let (one, two) = (Sample::new(vec![1.0, 3.0]).unwrap(), Sample::new(vec![5.0; 2]).unwrap());
/// assert!((pooled_absolute_deviation(&one, &two) - 1.253).abs() < 1e-3);
/// ```
pub fn pooled_absolute_deviation(before: &Sample, current: &Sample) -> f64 {
    let square = |sample: &Sample| MedianAbsoluteDeviation::INTERPOLATED.of(sample).powi(2);
    let freedom = [before, current].map(|sample| (sample.size() - 1) as f64);
    let squares = freedom[0] * square(before) + freedom[1] * square(current);
    (squares / (freedom[0] + freedom[1]).max(1.0)).sqrt()
}
