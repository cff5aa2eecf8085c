//! The error of few measurements, calibrated on the history itself.
//!
//! Rank bounds assume independent measurements, but neighbouring measurements of a process are
//! correlated. So for each number of measurements at which a round is evaluated, the history's
//! sequences are cut into contiguous blocks of that size. The spread of the blocks' medians, with the
//! prior and the prediction interval of [`RunSpread`], is the error of that many measurements.
//! Randomly drawn blocks would lose the correlation.
//!
//! After the calibration of thresholds on the history (`K_n`) by A. Akinshin.
//!
//! Source. Five blocks are a choice, which `simulate.sh` checks: the rates of false greens of its worlds.

use super::Policy;
use crate::list::IntoList;
use crate::model::Sample;
use crate::stats::RunSpread;

/// With fewer blocks of a size, the next smaller size is used, which scatters no less. A convention, which
/// `ci/campaigns/simulate.sh` checks by its rates of false greens.
const FEWEST_BLOCKS: usize = 5;

/// For each look, the logarithm of how much too fast its measurements may appear.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Calibration {
    /// By number of measurements, ascending; each holds from there on.
    blocks: Vec<Blocks>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Blocks {
    size: usize,
    /// Standard deviation of their medians.
    deviation: f64,
    margin: f64,
}

impl Calibration {
    /// Calibrates the looks of a round on the sequences of logarithms of a history. The margin uses half
    /// of the misrate of a green.
    pub(super) fn on(sequences: &[Vec<f64>], policy: &Policy) -> Self {
        let calibrated = |look: &u32| {
            let size = *look as usize;
            let blocks = sequences.iter().flat_map(|sequence| sequence.chunks_exact(size));
            let medians: Vec<f64> = blocks.filter_map(Sample::median_of).into_list();
            let enough = medians.len() >= FEWEST_BLOCKS;
            let sample = Sample::new(medians).ok().filter(|_| enough)?;
            let spread = RunSpread::of_processes(&sample, policy.process_spread, 0.0, 0.0);
            let margin = spread.margin(1, policy.green_misrate / 2.0);
            let deviation = spread.deviation();
            Some(Blocks { size, deviation, margin })
        };
        Self { blocks: Policy::LOOKS.iter().filter_map(calibrated).into_list() }
    }

    /// Returns how much too fast that many measurements may appear; 0 where the history is too short.
    pub(super) fn margin(&self, measurements: usize) -> f64 {
        let fitting = self.blocks.iter().rev().find(|blocks| blocks.size <= measurements);
        fitting.or(self.blocks.first()).map_or(0.0, |blocks| blocks.margin)
    }

    /// Returns the standard deviation that more measurements do not reduce: the scatter of the largest
    /// blocks beyond the `error` of medians of as many independent values.
    pub(super) fn lasting(&self, error: impl Fn(usize) -> f64) -> f64 {
        self.blocks.last().map_or(0.0, |blocks| {
            (blocks.deviation.powi(2) - error(blocks.size).powi(2)).max(0.0).sqrt()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sequences of 30 values that go up and down: every so many of them alike.
    fn waves(alike: usize) -> Vec<Vec<f64>> {
        let value = |run: usize, index: usize| {
            let step = (run * 30 + index) / alike;
            0.05 * (step as f64 * 0.618_033_988_75).fract()
        };
        (0..10).map(|run| (0..30).map(|index| value(run, index)).collect()).collect()
    }

    #[test]
    fn more_measurements_lead_less_astray() {
        let calibration = Calibration::on(&waves(1), &Policy::default());
        assert!(calibration.margin(3) > calibration.margin(15));
        assert_eq!(calibration.margin(60), calibration.margin(15));
    }

    #[test]
    fn neighbours_that_are_alike_lead_as_far_astray_as_one_of_them() {
        let alone = Calibration::on(&waves(1), &Policy::default());
        let alike = Calibration::on(&waves(9), &Policy::default());
        assert!(alike.margin(9) > 1.5 * alone.margin(9));
    }

    #[test]
    fn what_neighbours_have_in_common_lasts_and_what_is_their_own_does_not() {
        // Standard deviation of a uniform sample, and of the medians of n such values.
        let error = |size: usize| 0.05 / 12_f64.sqrt() * (1.57 / size as f64).sqrt();
        let lasting = |alike| Calibration::on(&waves(alike), &Policy::default()).lasting(error);
        assert!(lasting(9) > 2.0 * lasting(1), "{} {}", lasting(9), lasting(1));
    }

    #[test]
    fn what_no_run_is_long_enough_for_is_as_uncertain_as_what_is() {
        let short: Vec<Vec<f64>> = waves(1).into_iter().map(|run| run[..4].to_vec()).collect();
        let calibration = Calibration::on(&short, &Policy::default());
        assert!(calibration.margin(3) > 0.0);
        assert_eq!(calibration.margin(15), calibration.margin(3));
        assert_eq!(Calibration::on(&[], &Policy::default()).margin(3), 0.0);
    }
}
