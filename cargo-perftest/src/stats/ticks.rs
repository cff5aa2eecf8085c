//! Detects the resolution of the clock in the numbers.

use perftest_analysis::stats::{jittered, levels_spread};
use perftest_core::model::Sample;

/// Fewest values for this detection.
const FEWEST: usize = 10;
/// Smaller distances, as shares of the range, are rounding; larger ones are levels.
const TICK: std::ops::Range<f64> = 1e-9..0.34;
/// Smallest tick that may hide a change, as a share of the median: half of the smallest change that is one.
const COARSE: f64 = 0.01;

/// Returns the sample with its ties spread over the resolution as modes need it, and the resolution if
/// ties were spread. `asked` overrides the detected resolution.
pub(super) fn spread(sample: &Sample, asked: Option<f64>) -> (Sample, Option<f64>) {
    let sorted = sample.sorted();
    // Over a resolution beyond twice the range nothing is spread.
    let spreads = |resolution: &f64| {
        *resolution > 0.0
            && sorted[sorted.len() - 1] - sorted[0] >= resolution / 2.0
            && has_ties(sample)
    };
    let resolution = asked.or_else(|| tick(sample)).filter(spreads);
    match resolution {
        Some(resolution) => (jittered(sample, resolution), Some(resolution)),
        None => (levels_spread(sample), None),
    }
}

/// Returns the resolution of the clock of two samples if one has ties: the `asked` one, or the finer one of
/// those that are detected.
pub(super) fn common_tick(samples: [&Sample; 2], asked: Option<f64>) -> Option<f64> {
    let detected = || samples.into_iter().filter_map(tick).min_by(f64::total_cmp);
    asked.or_else(detected).filter(|tick| *tick > 0.0 && samples.into_iter().any(has_ties))
}

/// Returns the sample with each group of ties spread evenly over the tick around it. A value above 0 stays
/// above 0.
///
/// Rank bounds are those of values without ties: of ties they would all be in the same place. Unlike
/// [`jittered`], the ends of the range are spread like other ties, or two medians at their ends would be pulled
/// together.
pub(super) fn within_tick(sample: &Sample, tick: Option<f64>) -> Sample {
    let Some(tick) = tick else { return sample.clone() };
    let spread = sample.sorted().chunk_by(|one, other| one == other).flat_map(|ties| {
        let (value, size) = (ties[0], ties.len() as f64);
        let reach = if value > 0.0 { value.min(tick / 2.0) } else { tick / 2.0 };
        let place = move |rank: usize| (2.0 * rank as f64 + 1.0) / size - 1.0;
        (0..ties.len()).map(move |rank| value + reach * place(rank))
    });
    Sample::new(spread.collect()).unwrap_or_else(|_| sample.clone())
}

/// Returns whether at least half of the values are ties, as a coarse clock makes them.
pub(super) fn has_few_values(sample: &Sample) -> bool {
    let distinct = sample.sorted().chunk_by(|one, other| one == other).count();
    sample.size() >= FEWEST && 2 * distinct <= sample.size()
}

/// Returns the tick of a clock in whose values a change may stay unseen. Values that stay the same between few changes are
/// levels.
pub(crate) fn coarse_tick(series: &Sample) -> Option<f64> {
    let switches = series.values().windows(2).filter(|pair| pair[0] != pair[1]).count();
    let tick = smallest_gap(series).filter(|gap| *gap > COARSE * series.median().abs())?;
    (has_few_values(series) && switches >= FEWEST).then_some(tick)
}

/// The note on such a tick, which is printed with its unit.
pub(crate) fn note_on_ticks(tick: &str) -> String {
    format!(
        "values come in ticks of {tick}: smaller changes may be missed, and levels are known to a tick"
    )
}

fn has_ties(sample: &Sample) -> bool {
    sample.sorted().windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns the smallest distance of two values if at least half of the values are ties.
fn tick(sample: &Sample) -> Option<f64> {
    let sorted = sample.sorted();
    let smallest = smallest_gap(sample)?;
    let share = smallest / (sorted[sorted.len() - 1] - sorted[0]);
    (has_few_values(sample) && TICK.contains(&share)).then_some(smallest)
}

fn smallest_gap(sample: &Sample) -> Option<f64> {
    let gaps = sample.sorted().windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
    gaps.min_by(f64::total_cmp)
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
    fn a_resolution_beyond_the_range_spreads_nothing() {
        let sample = Sample::new(vec![1.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(spread(&sample, Some(100.0)), (sample, None));
    }

    #[test]
    fn ties_are_spread_over_the_whole_tick_and_stay_above_0() {
        let sample = Sample::new(vec![1.0, 1.0, 4.0, 7.0, 7.0]).unwrap();
        assert_eq!(within_tick(&sample, Some(2.0)).sorted(), [0.5, 1.5, 4.0, 6.5, 7.5]);
        assert_eq!(within_tick(&sample, Some(4.0)).sorted(), [0.5, 1.5, 4.0, 6.0, 8.0]);
        assert_eq!(within_tick(&sample, None), sample);
    }

    #[test]
    fn two_samples_have_the_finer_tick_of_both() {
        let ticks = |tick: f64, size: u32| {
            Sample::new((0..size).map(|i| tick * f64::from(1 + i % 7)).collect()).unwrap()
        };
        let (fine, coarse, none) = (ticks(10.0, 60), ticks(30.0, 60), ticks(1.0, 7));
        assert_eq!(common_tick([&coarse, &fine], None), Some(10.0));
        assert_eq!(common_tick([&none, &coarse], None), Some(30.0));
        assert_eq!(common_tick([&none, &none], Some(5.0)), None);
        assert_eq!(common_tick([&fine, &none], Some(0.0)), None);
    }

    #[test]
    fn ticks_may_hide_a_change_where_they_are_coarse_and_values_alternate() {
        let coarse = |values: &mut dyn Iterator<Item = f64>| {
            coarse_tick(&Sample::new(values.collect()).unwrap())
        };
        assert_eq!(coarse(&mut (0..50).map(|i| f64::from(3 + i % 2))), Some(1.0));
        assert_eq!(coarse(&mut (0..50).map(|i| f64::from(300 + i % 2))), None, "fine ticks");
        assert_eq!(coarse(&mut (0..50).map(|i| f64::from(3 + i / 25))), None, "levels");
        assert_eq!(coarse(&mut (0..50).map(f64::from)), None, "no ties");
    }

    #[test]
    fn two_levels_are_no_ticks() {
        assert_eq!(tick_of((0..50).map(|i| f64::from(i % 2) * 100.0)), None);
    }
}
