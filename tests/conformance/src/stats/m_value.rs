//! The m-value: how far a histogram goes up and down.
//!
//! Definition: the sum of the steps between neighbouring bins, the empty room on both sides counted as
//! bins, over the highest bin; 2 for one hump, 4 for two of the same height with nothing between. It is
//! the largest over histograms of the values without Tukey's outliers, whose bins begin at 0.75 times
//! Scott's width and double until they are wider than the range.
//!
//! Source: Gregg, "Frequency Trails: Modes and Modality"; the histogram and the thresholds 2.8, 3.2 and
//! 4.2 ("may have several modes", two, more) are BenchmarkDotNet's. Behaviour: many false alarms, so its
//! author left it for [`modes`](perftest_core::stats::modes); it is here for those who know its numbers. The bins of
//! the histogram are absolute: give nanoseconds.

use super::adaptive_histogram::adaptive_counts;
use super::{Fences, variance_about};
use perftest_analysis::stats::mean;
use perftest_core::model::Sample;
use perftest_core::stats::quantile;

const SCOTT: f64 = 3.5;
const SCOTT_SHARE: f64 = 0.75;
/// A narrower bin is one of values that agree.
const NARROWEST: f64 = 1e-9;

/// The m-value of a sample; `None` where its values are too far apart or too large for a histogram.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::m_value;
/// let humps = Sample::new(vec![1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]).unwrap();
/// assert_eq!(m_value(&humps), Some(4.0));
/// ```
pub fn m_value(sample: &Sample) -> Option<f64> {
    let fences = Fences::tukey(sample, quantile);
    let is_inside = |value: &f64| !(*value < fences.lower || *value > fences.upper);
    let inside: Vec<f64> = sample.sorted().iter().copied().filter(is_inside).collect();
    let range = inside.last()? - inside.first()?;
    let mut width = first_width(&inside)?;
    let mut most: f64 = 0.0;
    loop {
        most = most.max(ups_and_downs(&adaptive_counts(&inside, width)?));
        if width > range {
            return Some(most);
        }
        width *= 2.0;
    }
}

fn first_width(values: &[f64]) -> Option<f64> {
    let deviation = match values {
        [_] => 0.0,
        _ => variance_about(mean(values)?, values)?.sqrt(),
    };
    let width = SCOTT * deviation / (values.len() as f64).cbrt() * SCOTT_SHARE;
    Some(if width < NARROWEST { 1.0 } else { width })
}

fn ups_and_downs(counts: &[usize]) -> f64 {
    let walled: Vec<usize> = [0].iter().chain(counts).chain(&[0]).copied().collect();
    let steps: usize = walled.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
    steps as f64 / walled.into_iter().max().unwrap_or(1).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Option<f64> {
        m_value(&Sample::new(values.to_vec()).unwrap())
    }

    #[test]
    fn humps_are_counted_twice_each() {
        let humps: Vec<f64> = [1.0, 2.0, 3.0].iter().flat_map(|level| [*level; 9]).collect();
        assert_eq!(of(&humps), Some(6.0));
        assert_eq!(of(&[7.0]), Some(2.0));
    }

    #[test]
    fn small_humps_count_by_their_height() {
        let humps = [
            1.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 10.0, 11.0, 11.0, 11.0, 12.0, 40.0, 41.0, 41.0,
            41.0, 42.0,
        ];
        assert!((of(&humps).unwrap() - 2.833_3).abs() < 1e-4);
    }

    #[test]
    fn outliers_do_not_count() {
        let hump: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i * i % 17)).collect();
        let with_outliers = [&hump[..], &[1_000.0, 1_001.0, 1_002.0]].concat();
        assert_eq!(of(&with_outliers), of(&hump));
    }

    #[test]
    fn values_without_a_histogram_have_no_answer() {
        assert_eq!(of(&[-f64::MAX, f64::MAX]), None);
    }
}
