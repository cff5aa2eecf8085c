//! Slow modes with too few values to be detected as modes.
//!
//! Definition: among the values of the slowest mode, in ascending order, the range is cut wherever a
//! value of the upper half is at least twice the one before it. What lies between two cuts, or
//! behind the last one, is a rare mode if it holds three values and 1% of the sample. Below 30 values
//! there is none. It is so many times as slow as the mode with the most values.
//!
//! Source: our own; the detectors of modes miss shares of 1 to 5%, and fences only call such values
//! outliers. Behaviour: a download that is retried once in thirty times, or a cache that is
//! sometimes cold, is named with its share. The gap distinguishes a mode from a tail: of a hundred values
//! of a lognormal tail as heavy as a deviation of 1 in the logarithm, one sample in a hundred or so has
//! three values behind such a gap, and lighter tails hardly ever. Values that are less than twice as slow
//! stay outliers. Where one is 0 or below there is no ratio, and no rare mode.

use super::ModeValues;
use perftest_core::model::Sample;

/// A value this many times the one before it belongs to another mode.
const GAP: f64 = 2.0;
/// Fewer values do not count as a mode.
const FEWEST: usize = 3;
/// A smaller share of the sample is a tail.
const SMALLEST_SHARE: f64 = 0.01;
/// Smaller samples have no rare modes.
const ENOUGH: usize = 30;

/// A few values that are far slower than all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RareMode<'a> {
    /// The values in ascending order; never empty.
    pub values: &'a [f64],
    /// Their share of the sample.
    pub share: f64,
    /// The ratio of their median to that of the mode with the most values.
    pub times: f64,
}

/// Returns the rare slow modes of a sample, ascending, after the `modes` it has.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::{mode_values, rare_modes};
/// use perftest_core::stats::modes;
/// let usual = (0..96).map(|i| 100.0 + f64::from(i * 37 % 96) / 10.0);
/// let sample = Sample::new(usual.chain([410.0, 395.0, 402.0, 420.0]).collect()).unwrap();
/// let rare = rare_modes(&sample, &mode_values(&sample, &modes(&sample)));
/// assert_eq!((rare.len(), rare[0].values.len(), rare[0].share), (1, 4, 0.04));
/// assert!((3.5..4.5).contains(&rare[0].times));
/// ```
pub fn rare_modes<'a>(sample: &'a Sample, modes: &[ModeValues<'_>]) -> Vec<RareMode<'a>> {
    let sorted = sample.sorted();
    let size = modes.last().map_or(0, |it| it.below.len() + it.inside.len() + it.above.len());
    let slowest = &sorted[sorted.len() - size..];
    if sorted.len() < ENOUGH || slowest.first().is_none_or(|least| *least <= 0.0) {
        return Vec::new();
    }
    let is_gap = |place: &usize| slowest[*place] >= GAP * slowest[place - 1];
    let cuts: Vec<usize> = (size / 2 + 1..size).filter(is_gap).chain([size]).collect();
    let Some(usual) = usual(modes, cuts[0]) else {
        return Vec::new();
    };
    let mode = |cuts: &[usize]| {
        let values = &slowest[cuts[0]..cuts[1]];
        let share = values.len() as f64 / sorted.len() as f64;
        let times = Sample::median_of(values)? / usual;
        let is_mode = values.len() >= FEWEST && share >= SMALLEST_SHARE;
        is_mode.then_some(RareMode { values, share, times })
    };
    cuts.windows(2).filter_map(mode).collect()
}

/// Returns the median of the mode with the most values above 0, with its outliers; of the slowest mode only so many
/// values count.
fn usual(modes: &[ModeValues<'_>], of_slowest: usize) -> Option<f64> {
    let values = |it: &ModeValues<'_>| [it.below, it.inside, it.above].concat();
    let mut values: Vec<Vec<f64>> = modes.iter().map(values).collect();
    values.last_mut()?.truncate(of_slowest);
    let positive = values.iter().filter(|it| it.first().is_some_and(|least| *least > 0.0));
    Sample::median_of(positive.max_by_key(|it| it.len())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::normal;
    use crate::stats::mode_values;
    use perftest_core::stats::{Random, modes};

    /// Returns the sizes of the rare modes.
    fn found(values: Vec<f64>) -> Vec<usize> {
        let sample = Sample::new(values).unwrap();
        let parts = mode_values(&sample, &modes(&sample));
        rare_modes(&sample, &parts).iter().map(|it| it.values.len()).collect()
    }

    /// Returns values with normal logarithms.
    fn lognormal(random: &mut Random, deviation: f64, size: usize) -> Vec<f64> {
        (0..size).map(|_| (deviation * normal(random)).exp()).collect()
    }

    #[test]
    fn three_to_five_percent_several_times_as_slow_are_a_mode() {
        let mut random = Random::new(3);
        for (size, slow, times) in [(100, 3, 3.0), (100, 5, 4.0), (60, 3, 10.0), (1_000, 40, 5.0)] {
            let mut values = lognormal(&mut random, 0.05, size - slow);
            values.extend(lognormal(&mut random, 0.1, slow).iter().map(|it| times * it));
            let sample = Sample::new(values.clone()).unwrap();
            let is_seen = modes(&sample).len() > 1 || found(values) == [slow];
            assert!(is_seen, "{slow} of {size}");
        }
    }

    #[test]
    fn ties_hide_no_rare_mode() {
        assert_eq!(found([vec![7.0; 60], vec![30.0, 31.0, 30.0]].concat()), [3]);
    }

    #[test]
    fn tails_single_values_and_few_values_are_none() {
        let mut random = Random::new(5);
        for deviation in [0.05, 0.3, 0.6] {
            for size in [100, 1_000] {
                for _ in 0..20 {
                    assert!(found(lognormal(&mut random, deviation, size)).is_empty());
                }
            }
        }
        let usual = || lognormal(&mut Random::new(1), 0.05, 60);
        assert!(found([usual(), vec![5.0, 5.1]].concat()).is_empty());
        assert!(found([usual(), vec![5.0, 50.0, 500.0]].concat()).is_empty());
        assert!(found([vec![1.0, 1.1, 1.2, 1.3], vec![9.0; 3]].concat()).is_empty());
    }

    #[test]
    fn values_without_a_ratio_have_no_rare_mode() {
        let around_zero: Vec<f64> = (-30..30).map(f64::from).collect();
        assert!(found([around_zero, vec![1_000.0; 2]].concat()).is_empty());
        assert!(found([vec![-9.0; 40], vec![-1.0; 4]].concat()).is_empty());
    }
}
