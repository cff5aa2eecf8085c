//! The median of values that do not count alike.
//!
//! Definition: with the values sorted, t the running share of their weights, n* the effective size
//! (sum w)^2 / sum w^2 (Kish) and h = (n* - 1) / 2 + 1, each value counts by how much of its
//! stretch of t lies in [(h - 1) / n*, h / n*], and the median is the mean of the values so counted.
//! With equal weights that is the ordinary median. Source: A. Akinshin, "Weighted quantile
//! estimators" (2023), the weighted type 7 quantile at 1/2.

use crate::model::Sample;

/// The weighted median of `sample`; `weights` belong to its values in order of measurement, and a
/// value without one counts nothing.
///
/// Without any positive weight it is the ordinary median.
///
/// ```
/// use perftest_core::{model::Sample, stats::weighted_median};
/// let sample = Sample::new(vec![9.0, 1.0, 2.0, 3.0]).unwrap();
/// assert_eq!(weighted_median(&sample, &[1.0; 4]), 2.5);
/// assert_eq!(weighted_median(&sample, &[0.0, 1.0, 1.0, 1.0]), 2.0);
/// ```
pub fn weighted_median(sample: &Sample, weights: &[f64]) -> f64 {
    let mut weighed: Vec<(f64, f64)> =
        sample.values().iter().copied().zip(weights.iter().copied()).collect();
    weighed.retain(|(_, weight)| *weight > 0.0);
    weighed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let sum: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let squares: f64 = weighed.iter().map(|(_, weight)| weight * weight).sum();
    if squares == 0.0 {
        return sample.median();
    }
    let size = sum * sum / squares;
    let begin = (size - 1.0) / 2.0;
    // Up to which part of the middle a share of the weights reaches.
    let part = |share: f64| (size * share - begin).clamp(0.0, 1.0);
    let (mut cumulated, mut median) = (0.0, 0.0);
    for (value, weight) in weighed {
        let before = cumulated;
        cumulated += weight / sum;
        median += (part(cumulated) - part(before)) * value;
    }
    // The parts sum to 1 but for the rounding of the shares.
    median / part(cumulated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn median(values: &[f64], weights: &[f64]) -> f64 {
        weighted_median(&Sample::new(values.to_vec()).unwrap(), weights)
    }

    #[test]
    fn equal_weights_give_the_ordinary_median() {
        for size in 1..40 {
            let values: Vec<f64> = (0..size).map(|n| f64::from((n * 17) % 41)).collect();
            let ordinary = Sample::new(values.clone()).unwrap().median();
            let weighted = median(&values, &vec![0.3; values.len()]);
            assert!((weighted - ordinary).abs() < 1e-9, "{size}: {weighted} {ordinary}");
        }
    }

    #[test]
    fn the_heavier_half_decides() {
        let values = [1.0, 1.0, 1.0, 1.0, 2.0, 2.0];
        assert_eq!(median(&values, &[1.0, 1.0, 1.0, 1.0, 9.0, 9.0]), 2.0);
        assert_eq!(median(&values, &[1.0; 6]), 1.0);
    }

    #[test]
    fn weights_that_are_missing_or_all_zero_do_no_harm() {
        assert_eq!(median(&[3.0, 1.0, 2.0], &[]), 2.0);
        assert_eq!(median(&[3.0, 1.0, 2.0], &[0.0; 3]), 2.0);
        assert_eq!(median(&[3.0, 1.0, 2.0], &[1.0]), 3.0);
    }
}
