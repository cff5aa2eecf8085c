//! Gamma effect size.
//!
//! Definition: the difference of two quantiles (type 7), current minus before, by the pooled
//! median absolute deviation: the root of the deviations' squares, weighted with the sizes less
//! one. Where neither sample deviates it is 0 for quantiles that agree and infinite otherwise.
//!
//! Source: Akinshin, "Nonparametric Cohen's d-consistent effect size" (2020). Behaviour: Cohen's
//! d for normal samples, robust for others, and one number for each quantile. In samples of
//! several modes the deviation measures the distance between modes and hides real shifts: compare
//! mode by mode.

use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, quantile};

/// The effect size between `before` and `current` at `probability` (clamped to 0..=1); above 0
/// where `current` is larger.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::gamma_effect_size;
/// let sample = |from: u32| Sample::new((from..from + 30).map(f64::from).collect()).unwrap();
/// assert!((gamma_effect_size(&sample(0), &sample(10), 0.5) - 0.88).abs() < 0.01);
/// let same = Sample::new(vec![2.0]).unwrap();
/// assert_eq!(gamma_effect_size(&same, &same, 0.5), 0.0);
/// ```
pub fn gamma_effect_size(before: &Sample, current: &Sample, probability: f64) -> f64 {
    let shift = quantile(current, probability) - quantile(before, probability);
    let deviation = pooled_absolute_deviation(before, current);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_samples_is_the_sign() {
        let low = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let high = Sample::new(vec![2.0, 4.0, 5.0]).unwrap();
        let up = gamma_effect_size(&low, &high, 0.5);
        assert!(up > 0.0);
        assert_eq!(up, -gamma_effect_size(&high, &low, 0.5));
    }
}
