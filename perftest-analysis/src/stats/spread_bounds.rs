//! Bounds of the spread of one sample.
//!
//! Definition: the spread is the median distance of two values (Shamos). The values are shuffled
//! and taken in pairs; the distances of the pairs are independent and each above the spread with
//! probability 1/2, so that the order statistics of the distances bound it as in the sign test,
//! here with the conservative step.
//!
//! Source: Pragmastat's spread bounds, which draw between two steps to miss exactly as often as
//! asked. The shuffle has a fixed seed, so the same values give the same bounds. Behaviour:
//! distribution-free; wide, because pairs that share a value are not used: in normal samples of 50
//! and 500 values 0.9 and 0.3 of the estimate apart at 5%. The estimate uses all pairs and may lie
//! outside.

use super::sign_margin::sign_margin;
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::rank_interval;

const SEED: i64 = 1;

/// Estimate and bounds of the spread, each bound missing with at most `misrate_per_side`; `None`
/// when the sample is too small for that misrate, which must be 2^-(n/2) at least, or has no
/// spread.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::spread_bounds;
/// let sample = Sample::new((1..=60).map(f64::from).collect()).unwrap();
/// let bounds = spread_bounds(&sample, 0.025).unwrap();
/// assert_eq!(bounds.estimate, 18.0);
/// assert!(bounds.lower > 3.0 && bounds.upper < 40.0);
/// assert!(spread_bounds(&sample, 1e-10).is_none());
/// ```
pub fn spread_bounds(sample: &Sample, misrate_per_side: f64) -> Option<Interval> {
    let estimate = pragmastat::estimators::raw::spread(sample.sorted(), true).ok()?;
    let shuffled = pragmastat::Rng::from_seed(SEED).shuffle(sample.values());
    let distances: Vec<f64> =
        shuffled.chunks_exact(2).map(|pair| (pair[0] - pair[1]).abs()).collect();
    let margin = sign_margin(distances.len(), misrate_per_side)?;
    Some(Interval { estimate, ..rank_interval(distances, margin) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_miss_the_true_spread_no_more_often_than_asked() {
        // Uniform on 0..=1: the median distance is 1 - 1 / sqrt(2).
        let truth = 1.0 - 0.5_f64.sqrt();
        let mut random = pragmastat::Rng::from_seed(7);
        let mut missed = 0;
        for _ in 0..1000 {
            let values = (0..30).map(|_| random.uniform_f64()).collect();
            let bounds = spread_bounds(&Sample::new(values).unwrap(), 0.05).unwrap();
            missed += usize::from(bounds.lower > truth || bounds.upper < truth);
        }
        // At most 100 expected, with a deviation of 10; by the exact step 35.
        assert!(missed <= 100, "{missed} of 1000");
    }

    #[test]
    fn a_sample_without_spread_has_no_bounds() {
        assert_eq!(spread_bounds(&Sample::new(vec![2.0; 40]).unwrap(), 0.05), None);
        assert_eq!(spread_bounds(&Sample::new(vec![2.0]).unwrap(), 0.5), None);
    }
}
