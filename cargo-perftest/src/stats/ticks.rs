//! Detects the resolution of the clock in the numbers.

use perftest_analysis::stats::{jittered, levels_spread};
use perftest_core::model::Sample;

/// Fewest values for this detection.
const FEWEST: usize = 10;
/// Smaller distances, as shares of the range, are rounding; larger ones are levels.
const TICK: std::ops::Range<f64> = 1e-9..0.34;

/// Returns the sample with its ties spread over the resolution, and the resolution if there were
/// ties. `asked` overrides the detected resolution.
pub(super) fn spread(sample: &Sample, asked: Option<f64>) -> (Sample, Option<f64>) {
    let has_ties = sample.sorted().windows(2).any(|pair| pair[0] == pair[1]);
    let resolution = asked.or_else(|| tick(sample));
    let resolution = resolution.filter(|resolution| *resolution > 0.0 && has_ties);
    match resolution {
        Some(resolution) => (jittered(sample, resolution), Some(resolution)),
        None => (levels_spread(sample), None),
    }
}

/// Returns the smallest distance of two values if at least half of the values are ties.
fn tick(sample: &Sample) -> Option<f64> {
    let sorted = sample.sorted();
    let gaps = || sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
    let distinct = gaps().count() + 1;
    let smallest = gaps().min_by(f64::total_cmp)?;
    let share = smallest / (sorted[sorted.len() - 1] - sorted[0]);
    (sorted.len() >= FEWEST && 2 * distinct <= sorted.len() && TICK.contains(&share))
        .then_some(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick_of(values: impl Iterator<Item = f64>) -> Option<f64> {
        tick(&Sample::new(values.collect()).unwrap())
    }

    #[test]
    fn ticks_are_seen_where_most_values_tie() {
        assert_eq!(tick_of((0..50).map(|i| 250.0 * f64::from(i * i % 7))), Some(250.0));
        assert_eq!(tick_of((0..50).map(f64::from)), None);
        assert_eq!(tick_of((0..5).map(|_| 1.0)), None);
    }

    #[test]
    fn what_has_no_ties_is_left_as_it_is() {
        let sample = Sample::new((0..60).map(f64::from).collect()).unwrap();
        assert_eq!(spread(&sample, Some(1e-9)), (sample, None));
        let tied = Sample::new(vec![1.0, 1.0, 2.0]).unwrap();
        assert_eq!(spread(&tied, Some(0.5)).1, Some(0.5));
    }

    #[test]
    fn two_levels_are_no_ticks() {
        assert_eq!(tick_of((0..50).map(|i| f64::from(i % 2) * 100.0)), None);
    }
}
