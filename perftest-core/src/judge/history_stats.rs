//! Statistics of a history: the level, and the scatter of unchanged code around it.
//!
//! Sources. 2.5 deviations contain 98.8% of a normal distribution. A tenth of slow runs is the
//! smallest mode, as in the notes on a history's modes; `simulate.sh` checks both on worlds with
//! clusters of slow processes.

use super::Policy;
use super::calibration::Calibration;
use super::modality::{modality_of_runs, modality_of_values};
use super::mode_shares::ModeShares;
use crate::list::IntoList;
use crate::model::{Baseline, Note, Observation, Sample};
use crate::order::sort_numbers;
use crate::stats::{RunSpread, ShiftBounds, WeightedSample, shamos_deviation, weighted_quantile};

/// Runs of unchanged code rarely lie further from their center than this many deviations. Where that exceeds the
/// tolerance, the test is too noisy for it. Source: 98.8% of a normal distribution lie within them.
const RUN_DEVIATIONS: f64 = 2.5;

/// Statistics of a sufficient baseline, as logarithms of cost: larger is worse.
#[derive(Debug, Clone)]
pub(super) struct HistoryStats {
    /// The level: the weighted median of the runs' centers, newer ones with more weight.
    pub(super) level: f64,
    /// Number of its runs.
    pub(super) runs: usize,
    /// Bounds of shifts from the runs' values.
    pub(super) bounds: ShiftBounds,
    pub(super) spread: RunSpread,
    pub(super) calibration: Calibration,
    /// Standard deviation of the values of one process.
    pub(super) within: f64,
    /// How far runs of unchanged code may lie above the level.
    pub(super) noise: f64,
    /// The runs beyond the tolerance.
    pub(super) slow: SlowRuns,
    /// Upper end of known runs and expected modes: the slowest run plus the widest gap between two runs,
    /// unless the runs form clear modes.
    pub(super) known_upto: f64,
    /// The modes of the values, where there are several.
    pub(super) modes: Option<ModeShares>,
    /// The modes of its values or runs, where there are several.
    pub(super) modality: Option<Note>,
}

impl HistoryStats {
    /// Creates the statistics of `baseline`. `log` converts its observations to logarithms of cost; `None`
    /// where it cannot convert one.
    pub(super) fn of(
        baseline: &Baseline,
        log: impl Fn(&Observation) -> Option<f64>,
        policy: &Policy,
    ) -> Option<Self> {
        let tolerance = policy.tolerance.ratio().ln();
        let logs = |values: &Vec<Observation>| values.iter().filter_map(&log).into_list();
        let sequences: Vec<Vec<f64>> = baseline.sequences.iter().map(logs).into_list();
        let within = deviation_within(&sequences);
        let is_wide = RUN_DEVIATIONS * within > tolerance;
        let values: Vec<Vec<f64>> = baseline.values().iter().map(logs).into_list();
        let all = values.concat();
        let modes = is_wide.then(|| ModeShares::of(&all, &sequences, tolerance)).flatten();
        // A history whose runs have one mode each gets a note of its own; a learning curve has no
        // modes.
        let are_mixed = || modes.is_some() || ModeShares::of(&all, &sequences, tolerance).is_some();
        let of_runs = modality_of_runs(&logs(&baseline.centers), tolerance);
        let is_scattered = of_runs.is_none();
        let modality = modality_of_values(&all, tolerance).filter(|_| are_mixed()).or(of_runs);
        let folded = |logs: Vec<f64>| match &modes {
            Some(modes) => logs.into_iter().map(|log| modes.fold(log)).into_list(),
            None => logs,
        };
        let sequences: Vec<Vec<f64>> = sequences.into_iter().map(folded).into_list();
        let within = if modes.is_some() { deviation_within(&sequences) } else { within };
        let centers: Vec<f64> = match &modes {
            Some(_) => sequences.iter().filter_map(|it| Sample::median_of(it)).into_list(),
            None => logs(&baseline.centers),
        };
        let values: Vec<Vec<f64>> = values.into_iter().map(folded).into_list();
        let complete = centers.len() == values.len() && values.len() == baseline.centers.len();
        let weights = baseline.weights();
        let figures = BaselineFigures { sequences, centers, values, weights, within };
        let past = complete.then(|| figures.past(policy))??;
        let gap = if is_scattered { widest_gap(&figures.centers) } else { 0.0 };
        Some(Self { modes, modality, known_upto: past.known_upto + gap, ..past })
    }

    /// Returns how far the median of that many measurements of one process may lie from the level, by
    /// the spread between and within processes, at `misrate` on each side.
    pub(super) fn margin_of_middle(&self, measurements: usize, misrate: f64) -> f64 {
        let own = self.within * center_error(measurements);
        let deviation = self.spread.between_processes().hypot(own);
        self.spread.margin(1, misrate) * deviation / self.spread.deviation()
    }

    /// Folds a value onto the mode in which all are compared.
    pub(super) fn fold(&self, log: f64) -> f64 {
        self.modes.as_ref().map_or(log, |modes| modes.fold(log))
    }
}

/// The values of a baseline as logarithms, each field by run.
struct BaselineFigures {
    sequences: Vec<Vec<f64>>,
    centers: Vec<f64>,
    values: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// Standard deviation of the values of one process.
    within: f64,
}

impl BaselineFigures {
    fn past(&self, policy: &Policy) -> Option<HistoryStats> {
        let within = self.within;
        let spread = RunSpread::of_processes(
            &Sample::new(self.centers.clone()).ok()?,
            policy.process_spread,
            within * mean_center_error(&self.sequences),
            within * center_error(policy.round as usize),
        );
        let is_usual = |run: &usize| self.centers[*run] <= spread.held_up_above();
        let usual: Vec<usize> = (0..self.centers.len()).filter(is_usual).into_list();
        let level = self.level(&usual)?;
        let values = usual.iter().flat_map(|run| &self.values[*run]).copied().into_list();
        let slow = SlowRuns::among(&self.centers, level, policy.tolerance.ratio().ln());
        let calibration = Calibration::on(&self.sequences, policy);
        let lasting = calibration.lasting(|size| within * center_error(size));
        let lasting = lasting.max(spread.between_processes());
        Some(HistoryStats {
            level,
            runs: usual.len(),
            bounds: ShiftBounds::from_sample(Sample::new(values).ok()?),
            spread,
            calibration,
            within,
            noise: (RUN_DEVIATIONS * lasting).max(slow.mode.unwrap_or(0.0)),
            slow,
            known_upto: self.centers.iter().fold(level, |slowest, it| slowest.max(*it)) - level,
            modes: None,
            modality: None,
        })
    }

    /// Returns the weighted median of these runs.
    fn level(&self, runs: &[usize]) -> Option<f64> {
        let of = |all: &[f64]| runs.iter().map(|run| all[*run]).into_list();
        let centers = Sample::new(of(&self.centers)).ok()?;
        let centers = WeightedSample::new(&centers, &of(&self.weights))?;
        Some(weighted_quantile(&centers, 0.5))
    }
}

/// The runs of a history beyond the tolerance, although nothing changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SlowRuns {
    /// Distance of each above the level.
    rises: Vec<f64>,
    /// Number of runs in the history, slow or not.
    runs: usize,
    /// The distance of slow runs above the level, if they are frequent enough to be a mode: the
    /// same code is sometimes that slow, with another layout or start.
    mode: Option<f64>,
}

impl SlowRuns {
    /// One slow run in ten, and more than a single one, are a mode of the test. A convention, which
    /// `ci/campaigns/simulate.sh` checks on worlds with clusters of slow processes.
    const MODE_SHARE: f64 = 0.1;

    fn among(log_centers: &[f64], level: f64, tolerance: f64) -> Self {
        let rises = log_centers.iter().map(|center| center - level);
        let rises: Vec<f64> = rises.filter(|rise| *rise > tolerance).into_list();
        let runs = log_centers.len();
        let is_mode = rises.len() > 1 && rises.len() as f64 >= Self::MODE_SHARE * runs as f64;
        let mode = Sample::median_of(&rises).filter(|_| is_mode);
        Self { rises, runs, mode }
    }

    /// Returns the share of the history's runs that lie further above the level than `rise`, which
    /// is at least the tolerance.
    pub(super) fn share_beyond(&self, rise: f64) -> f64 {
        self.rises.iter().count_where(|it| **it > rise) as f64 / self.runs as f64
    }
}

/// Returns the widest gap between neighbours among these values.
fn widest_gap(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sort_numbers(&mut sorted);
    sorted.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

/// Standard deviation of the values of one process around its median; 0 if no run has two values.
fn deviation_within(sequences: &[Vec<f64>]) -> f64 {
    let several = sequences.iter().filter(|sequence| sequence.len() > 1);
    let samples = several.filter_map(|sequence| Sample::new(sequence.clone()).ok());
    let deviations: Vec<f64> = samples.map(|sample| shamos_deviation(&sample)).into_list();
    Sample::median_of(&deviations).unwrap_or(0.0)
}

/// Standard deviation of the median of this many normal values, in deviations of one value.
fn center_error(size: usize) -> f64 {
    (std::f64::consts::FRAC_PI_2 / size.max(1) as f64).sqrt()
}

/// Standard deviation of the runs' centers, as the root of the mean square.
fn mean_center_error(sequences: &[Vec<f64>]) -> f64 {
    let squares: f64 = sequences.iter().map(|it| center_error(it.len()).powi(2)).sum();
    (squares / sequences.len().max(1) as f64).sqrt()
}
