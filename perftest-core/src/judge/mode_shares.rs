//! Tests with several modes: each value is compared with its own mode, and the modes by their
//! shares.
//!
//! A single number cannot describe times that are 1 or 2 at random: a slowdown to twice the time is found
//! in only a third of the decisions. So each value is folded onto the fastest mode by its distance from
//! the nearest mode, which makes the sample as narrow as its modes. Folding hides more frequent slow
//! modes; the mean of the modes' locations detects them.
//!
//! Sources. All four constants are choices. `simulate.sh` checks them on worlds of several modes,
//! and on the learned input, whose course is no mode.

use crate::list::IntoList;
use crate::model::Sample;
use crate::stats::{modes, student_quantile};

/// The fewest values for more than one mode. A convention: the smallest mode has three of them.
const FEWEST_VALUES: usize = 30;
/// The smallest share of a mode; less is a tail. A convention, which `ci/campaigns/simulate.sh` checks on worlds of
/// several modes.
const SMALLEST_SHARE: f64 = 0.1;
/// The smallest distance of modes in tolerances. Closer modes would absorb the values of slower code. A convention,
/// checked there too: at a tolerance of 5% they are 28% apart.
const FURTHER: f64 = 5.0;
/// With a larger correlation of neighbours the groups are phases of one course, such as a warm-up, and no modes. A
/// convention, which `ci/campaigns/simulate.sh` checks on the learned input.
const LARGEST_CORRELATION: f64 = 0.3;

/// The modes of a history. All values are logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModeShares {
    /// Ascending, at least two.
    locations: Vec<f64>,
    /// Mean location of the history's values.
    mean: f64,
    /// Variance of the location of one value.
    variance: f64,
    /// Variance between the runs' mean locations beyond what chance gives them.
    between: f64,
    values: f64,
    runs: f64,
}

impl ModeShares {
    /// Finds the modes of `values`, some of the runs' `sequences`, where several lie much further apart
    /// than the `tolerance`; closer ones are merged.
    pub(super) fn of(values: &[f64], sequences: &[Vec<f64>], tolerance: f64) -> Option<Self> {
        let all = Sample::new(values.to_vec()).ok()?;
        if all.size() < FEWEST_VALUES {
            return None;
        }
        let mut locations: Vec<f64> = Vec::new();
        for mode in modes(&all).iter().filter(|mode| mode.share >= SMALLEST_SHARE) {
            if locations.last().is_none_or(|last| mode.location - last > FURTHER * tolerance) {
                locations.push(mode.location);
            }
        }
        if locations.len() < 2 {
            return None;
        }
        let modes = Self::at(locations, sequences);
        (modes.correlation(sequences) < LARGEST_CORRELATION).then_some(modes)
    }

    /// Returns the correlation of the locations of neighbours.
    fn correlation(&self, sequences: &[Vec<f64>]) -> f64 {
        let from_mean = |log: f64| nearest(&self.locations, log) - self.mean;
        let pairs = sequences.iter().flat_map(|sequence| sequence.windows(2));
        let products: Vec<f64> =
            pairs.map(|pair| from_mean(pair[0]) * from_mean(pair[1])).into_list();
        if products.is_empty() { 0.0 } else { average(&products) / self.variance }
    }

    fn at(locations: Vec<f64>, sequences: &[Vec<f64>]) -> Self {
        let located = |sequence: &Vec<f64>| -> Vec<f64> {
            sequence.iter().map(|log| nearest(&locations, *log)).into_list()
        };
        let of_runs: Vec<Vec<f64>> =
            sequences.iter().filter(|it| !it.is_empty()).map(located).into_list();
        let all = of_runs.concat();
        let (mean, variance) = (average(&all), variance(&all));
        let means: Vec<f64> = of_runs.iter().map(|run| average(run)).into_list();
        let chance = average(&of_runs.iter().map(|it| 1.0 / it.len() as f64).into_list());
        let between = (self::variance(&means) - variance * chance).max(0.0);
        let (values, runs) = (all.len() as f64, means.len() as f64);
        Self { locations, mean, variance, between, values, runs }
    }

    /// Moves a value to the fastest mode.
    pub(super) fn fold(&self, log: f64) -> f64 {
        log - nearest(&self.locations, log) + self.locations[0]
    }

    /// Returns how much slower the `processes` are by the shares of their modes alone, where that is beyond
    /// chance at this `misrate`; else 0.
    pub(super) fn shift(&self, processes: &[Vec<f64>], misrate: f64) -> f64 {
        let located = |log: &f64| nearest(&self.locations, *log);
        let now: Vec<f64> = processes.iter().flatten().map(located).into_list();
        if now.is_empty() {
            return 0.0;
        }
        let shift = average(&now) - self.mean;
        let chance = self.variance * (1.0 / now.len() as f64 + 1.0 / self.values);
        let apart = self.between * (1.0 / processes.len() as f64 + 1.0 / self.runs);
        let luck = student_quantile(self.runs.max(2.0) - 1.0, 1.0 - misrate);
        if shift > luck * (chance + apart).sqrt() { shift } else { 0.0 }
    }
}

fn nearest(locations: &[f64], log: f64) -> f64 {
    let distance = |location: &&f64| (log - **location).abs();
    let nearest = locations.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.copied().unwrap_or(log)
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = average(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers in 0..1 without a relevant pattern.
    fn wobble(index: usize) -> f64 {
        (index as f64 * 0.618_033_988_75).fract()
    }

    /// Returns runs of 15 values; this share of them is twice as slow.
    fn twice(share: f64) -> Vec<Vec<f64>> {
        let slow = |index: usize| if wobble(7 * index) < share { 2.0_f64.ln() } else { 0.0 };
        let value = |index: usize| slow(index) + 0.01 * wobble(index);
        (0..10).map(|run| (0..15).map(|index| value(15 * run + index)).collect()).collect()
    }

    fn found(sequences: &[Vec<f64>], tolerance: f64) -> Option<ModeShares> {
        ModeShares::of(&sequences.concat(), sequences, tolerance)
    }

    #[test]
    fn a_course_from_one_level_to_another_has_no_modes() {
        let learning: Vec<Vec<f64>> = twice(0.5)
            .into_iter()
            .map(|mut run| {
                run.sort_by(|a, b| b.total_cmp(a));
                run
            })
            .collect();
        assert_eq!(found(&learning, 0.05), None);
    }

    #[test]
    fn a_value_is_folded_onto_the_fastest_mode_from_its_own() {
        let modes = found(&twice(0.5), 0.05).expect("two modes");
        assert_eq!(modes.locations.len(), 2);
        let [fast, slow] = [0.1, 2.0_f64.ln() + 0.1].map(|log| modes.fold(log));
        assert!((fast - 0.1).abs() < 0.02 && (slow - 0.1).abs() < 0.02, "{fast} {slow}");
    }

    #[test]
    fn shares_that_rise_are_reported_and_those_that_vary_are_not() {
        let modes = found(&twice(0.3), 0.05).expect("two modes");
        assert_eq!(modes.shift(&twice(0.3)[..4], 0.001), 0.0);
        assert!(modes.shift(&twice(0.9)[..4], 0.001) > 0.3);
        assert_eq!(modes.shift(&twice(0.05)[..4], 0.001), 0.0);
        assert_eq!(modes.shift(&[], 0.001), 0.0);
    }

    #[test]
    fn one_mode_and_modes_within_the_tolerance_are_one() {
        assert_eq!(found(&twice(0.0), 0.05), None);
        assert_eq!(found(&twice(0.5), 0.2), None);
        assert_eq!(found(&twice(0.5)[..1], 0.05), None);
    }
}
