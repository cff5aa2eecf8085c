//! The level a test had before, and what a round of measurements says against it.

use super::calibration::Calibration;
use super::sight::Sight;
use super::{Condition, Normalisation, Policy, round::Round};
use crate::model::{Baseline, Direction, Interval, Measurement, Observation, Reason, Sample};
use crate::stats::{HyndmanFan, RunSpread, ShiftBounds, WeightedSample};

/// Runs of unchanged code rarely lie further from their center than so many deviations: where
/// that exceeds the tolerance, the test itself is too noisy for it.
const RUN_DEVIATIONS: f64 = 2.5;

/// A sufficient baseline with the settings that judge against it. All logarithms are of cost:
/// larger is worse, whatever the metric's direction.
#[derive(Debug, Clone)]
pub(super) struct Level {
    policy: Policy,
    direction: Direction,
    quantity: Quantity,
    normalisation: Normalisation,
    /// The middle of the runs' centers, of which newer ones count more: the level itself.
    log_level: f64,
    /// Runs that it is made of.
    runs: usize,
    /// Of ratios to the runs' values: what a round is compared with.
    bounds: ShiftBounds,
    spread: RunSpread,
    calibration: Calibration,
    /// Standard deviation of the values of one process.
    within: f64,
    /// How far runs of unchanged code may lie above the level.
    noise: f64,
    /// Share of the history's runs that lie beyond the tolerance.
    slow_share: f64,
    /// Logarithm of the largest degradation that is nobody's problem.
    limit: f64,
}

/// What of an observation is compared; `None` where it does not know it.
type Quantity = fn(&Observation) -> Option<f64>;

impl Level {
    /// The level of the metric itself; `None` while the baseline has too few runs.
    pub(super) fn new(baseline: &Baseline, direction: Direction, policy: &Policy) -> Option<Self> {
        Self::of(baseline, |observation| Some(observation.value), direction, policy)
    }

    /// The level of processor time; `None` where the baseline's runs do not all know it.
    pub(super) fn of_processor_time(baseline: &Baseline, policy: &Policy) -> Option<Self> {
        Self::of(baseline, |observation| observation.processor_ns, Direction::Lower, policy)
    }

    fn of(
        baseline: &Baseline,
        quantity: Quantity,
        direction: Direction,
        policy: &Policy,
    ) -> Option<Self> {
        if !baseline.suffices() {
            return None;
        }
        let log = |it: &Observation| Some(log_cost(quantity(it)?, direction, policy));
        let log_costs: Option<Vec<f64>> = baseline.centers.iter().map(log).collect();
        let log_costs = log_costs?;
        let normalisation = Normalisation::fit(&baseline.centers, &log_costs);
        let adjusted = |it: &Observation| Some(normalisation.adjust(log(it)?, &it.probes));
        let all: Vec<f64> = baseline.centers.iter().filter_map(adjusted).collect();
        let logs =
            |values: &[Observation]| values.iter().filter_map(adjusted).collect::<Vec<f64>>();
        let sequences: Vec<Vec<f64>> = baseline.sequences.iter().map(|it| logs(it)).collect();
        let within = deviation_within(&sequences);
        let spread = RunSpread::of_processes(
            &Sample::new(all.clone()).ok()?,
            within * mean_center_error(&sequences),
            within * center_error(policy.round as usize),
        );
        let is_usual = |run: &usize| all[*run] <= spread.held_up_above();
        let usual: Vec<usize> = (0..all.len()).filter(is_usual).collect();
        let (values, weights) = (baseline.values(), baseline.weights());
        let values = usual.iter().flat_map(|run| logs(&values[*run])).collect();
        let log_centers = Sample::new(usual.iter().map(|run| all[*run]).collect()).ok()?;
        let weights: Vec<f64> = usual.iter().map(|run| weights[*run]).collect();
        let log_centers = WeightedSample::new(&log_centers, &weights).ok()?;
        let log_level = HyndmanFan::Type7.weighted_quantile(&log_centers, 0.5)?;
        let log_values = Sample::new(values).ok()?;
        let slow = SlowRuns::among(&all, log_level, policy.tolerance.ratio().ln());
        let accepted_ratio = baseline.accepted_ratio.unwrap_or(1.0).max(1.0);
        Some(Self {
            noise: (RUN_DEVIATIONS * spread.between_processes()).max(slow.mode.unwrap_or(0.0)),
            slow_share: slow.share,
            spread,
            calibration: Calibration::on(&sequences, &Policy::LOOKS, policy.green_misrate / 2.0),
            within,
            limit: (policy.tolerance.ratio() * accepted_ratio).ln(),
            policy: policy.clone(),
            direction,
            quantity,
            normalisation,
            log_level,
            runs: usual.len(),
            bounds: ShiftBounds::from_sample(log_values),
        })
    }

    /// Estimate and bounds of the round's degradation as they are shown: at 1 % on each side
    /// where its size allows, else wider.
    pub(super) fn shown(&self, round: &Round) -> Option<Interval> {
        let sample = self.logs(&round.fair())?;
        let logs =
            [0.01, 0.05, 0.5].into_iter().find_map(|rate| self.bounds.both(&sample, rate))?;
        Some(Interval {
            estimate: logs.estimate.exp(),
            lower: logs.lower.exp(),
            upper: logs.upper.exp(),
        })
    }

    /// What the values are normalised by, in words; empty when by nothing.
    pub(super) fn normalised_by(&self) -> &'static str {
        self.normalisation.covariate().map_or("", |covariate| covariate.name())
    }

    /// Logarithms of the normalised costs of those that know the quantity.
    fn logs(&self, observations: &[Observation]) -> Option<Sample> {
        let log = |observation: &Observation| {
            let value = (self.quantity)(observation)?;
            let log_cost = log_cost(value, self.direction, &self.policy);
            Some(self.normalisation.adjust(log_cost, &observation.probes))
        };
        Sample::new(observations.iter().filter_map(log).collect()).ok()
    }

    /// Logarithm of the cost of the round's middle value.
    fn log_center(&self, round: &Round) -> Option<f64> {
        self.logs(&round.fair()).map(|logs| logs.median())
    }

    /// Upper bound of the logarithm of the round's degradation.
    fn at_most(&self, round: &Round) -> Option<f64> {
        let misrate = self.policy.green_misrate / self.policy.looks();
        self.bounds.upper(&self.logs(&round.fair())?, misrate)
    }

    /// Lower bound of the logarithm of the round's degradation.
    fn at_least(&self, round: &Round) -> Option<f64> {
        let lower = |observations: Vec<Observation>| {
            self.bounds.lower(&self.logs(&observations)?, self.red_misrate())
        };
        let bounds = [lower(round.clean()), lower(round.excused())];
        bounds.into_iter().flatten().max_by(f64::total_cmp)
    }

    fn red_misrate(&self) -> f64 {
        self.policy.red_misrate / self.policy.looks()
    }

    /// Whether the round proves that there is no degradation that matters; `Unstable` where the
    /// test's own noise makes that proof worthless.
    pub(super) fn acquits(&self, round: &Round) -> Option<Reason> {
        let at_most = self.at_most(round).filter(|at_most| *at_most < self.limit)?;
        if !self.is_calibrated(round) {
            return None;
        }
        let faster = -self.noise.max(self.policy.tolerance.ratio().ln());
        let improved = at_most < faster && at_most + self.margin(1) < faster;
        Some(match self.is_unstable() {
            _ if improved => Reason::Improved,
            true => Reason::Unstable,
            false => Reason::Green,
        })
    }

    /// Whether a degradation of twice the tolerance would hardly look as fast as the round does, by
    /// what so few measurements of unchanged code did before.
    fn is_calibrated(&self, round: &Round) -> bool {
        let tolerance = self.policy.tolerance;
        let twice = self.limit + (tolerance.twice_ratio() / tolerance.ratio()).ln();
        let luck = self.calibration.margin(round.fair().len());
        let rise = self.rise_of(round);
        self.is_unstable() || rise.is_some_and(|rise| rise + luck < twice)
    }

    /// Whether the round is slower beyond doubt about its own values. The spread between
    /// processes is not in it yet.
    pub(super) fn accuses(&self, round: &Round) -> bool {
        self.beyond_limit(round, 0.0)
    }

    /// Whether the rounds of one process are worth looking into: even the fastest is beyond the
    /// limit, the curve is reached and the shift is large enough to mean something.
    pub(super) fn suspects(&self, rounds: &[Round], measurements: u32, most: u32) -> bool {
        let Some(fastest) = self.fastest(rounds) else {
            return false;
        };
        self.beyond_limit(fastest, self.suspicion())
            && self.reaches_curve(&[fastest], measurements, most)
            && self.shift(fastest) >= self.policy.floor.shift
    }

    /// Whether the processes together are beyond the limit, with the spread between processes
    /// taken off, and beyond what the curve needs after all their measurements.
    pub(super) fn convicts(&self, processes: &[&Round], measurements: u32) -> bool {
        self.rise(processes) - self.margin(processes.len() as u32) > self.red_limit()
            && self.reaches_curve(processes, measurements, measurements)
    }

    fn reaches_curve(&self, processes: &[&Round], measurements: u32, most: u32) -> bool {
        let Policy { curve, tolerance, .. } = &self.policy;
        self.rise(processes) >= curve.needed(measurements, most, *tolerance, self.spread).ln()
    }

    /// The reason when neither green nor red was proven.
    pub(super) fn undecided(&self) -> Reason {
        if self.is_unstable() { Reason::Unstable } else { Reason::Unclear }
    }

    /// Whether the runs differ too much to judge by this tolerance: such a test is neither green
    /// nor, for anything that its runs do by themselves, red.
    pub(super) fn is_unstable(&self) -> bool {
        self.noise > self.policy.tolerance.ratio().ln()
    }

    /// How far above the level runs of unchanged code may lie, as a share.
    pub(super) fn noise_share(&self) -> f64 {
        self.noise.exp() - 1.0
    }

    /// What lies beyond is red: more than is tolerated, and than an unstable test does by itself.
    fn red_limit(&self) -> f64 {
        self.limit.max(self.noise)
    }

    /// How far one process has to be beyond the limit to be looked into. The runs of a stable test
    /// hardly ever are, and a suspicion costs fresh processes and no verdict; what is unstable is
    /// not suspected before it is nearly certain.
    fn suspicion(&self) -> f64 {
        if self.is_unstable() { self.margin(1) } else { 0.0 }
    }

    /// The round with the lowest center: interference only makes code slower.
    pub(super) fn fastest<'a>(&self, rounds: &'a [Round]) -> Option<&'a Round> {
        let center = |round: &Round| self.log_center(round);
        rounds
            .iter()
            .filter(|round| center(round).is_some())
            .min_by(|a, b| center(a).unwrap_or(f64::MAX).total_cmp(&center(b).unwrap_or(f64::MAX)))
    }

    /// The fastest round of a process that was measured in one go.
    pub(super) fn fastest_of_process(
        &self,
        measured: &[Measurement],
        conditions: &[Condition],
    ) -> Round {
        let size = self.policy.round as usize;
        let rounds = measured.chunks(size).zip(conditions.chunks(size));
        let rounds: Vec<Round> =
            rounds.map(|(measured, conditions)| Round::of(measured, conditions)).collect();
        self.fastest(&rounds).cloned().unwrap_or_default()
    }

    /// The degradation the processes show, with the spread between processes in its bounds.
    pub(super) fn degradation(&self, processes: &[&Round]) -> Interval {
        let (rise, margin) = (self.rise(processes), self.margin(processes.len() as u32));
        Interval {
            estimate: rise.exp(),
            lower: (rise - margin).exp(),
            upper: (rise + margin).exp(),
        }
    }

    /// What the test can see with this history.
    pub(super) fn sight(&self) -> Sight {
        Sight {
            limit: self.red_limit(),
            least_ratio: self.policy.curve.least(self.policy.tolerance),
            spread: self.spread,
            suspicion: self.suspicion(),
            conviction: self.margin(1 + self.policy.confirmations),
            within: self.within,
            values: self.bounds.before().size(),
            runs: self.runs,
            slow_share: self.slow_share,
            confirmations: (self.policy.confirmations, self.policy.max_confirmations),
            round: self.policy.round,
            misrate: self.red_misrate(),
        }
    }

    /// Measurements of one process that would prove one or the other; `None` where the spread
    /// between processes, and not that within them, is what leaves it open.
    pub(super) fn measurements_to_settle(&self, rounds: &[Round]) -> Option<u32> {
        let rise = self.rise(&[self.fastest(rounds)?]);
        self.sight().measurements_within((rise - self.limit).abs())
    }

    fn beyond_limit(&self, round: &Round, margin: f64) -> bool {
        self.at_least(round).is_some_and(|at_least| at_least - margin > self.red_limit())
    }

    fn margin(&self, processes: u32) -> f64 {
        self.spread.margin(processes, self.policy.red_misrate / 2.0)
    }

    /// Logarithm of the degradation of the processes' middle center.
    fn rise(&self, processes: &[&Round]) -> f64 {
        let blamed = |round: &&Round| Some(self.logs(&round.blamed())?.median());
        let centers = processes.iter().filter_map(blamed).collect();
        Sample::new(centers).map_or(0.0, |now| now.median() - self.log_level)
    }

    /// Logarithm of how far the middle of the round lies above the level.
    pub(super) fn rise_of(&self, round: &Round) -> Option<f64> {
        self.log_center(round).map(|now| now - self.log_level)
    }

    /// The value that lies so far above the level.
    pub(super) fn value_at(&self, rise: f64) -> f64 {
        self.value(self.log_level + rise)
    }

    /// Logarithm of the largest degradation that is nobody's problem.
    pub(super) fn limit(&self) -> f64 {
        self.limit
    }

    /// The same without what was accepted.
    pub(super) fn tolerance(&self) -> f64 {
        self.policy.tolerance.ratio().ln()
    }

    /// How far the middles of so many processes of each of two executables may lie apart although
    /// both are equally fast.
    pub(super) fn margin_of_pairs(&self, pairs: u32) -> f64 {
        let pairs = f64::from(pairs.max(1));
        self.spread.margin_between(pairs, pairs, self.policy.red_misrate / 2.0)
    }

    /// How far the round lies from the level, in the metric's unit.
    fn shift(&self, round: &Round) -> f64 {
        let before = self.value(self.log_level);
        self.log_center(round).map_or(0.0, |now| (self.value(now) - before).abs())
    }

    /// The value of which [`log_cost`](Self::log_cost) is the logarithm.
    fn value(&self, log_cost: f64) -> f64 {
        self.direction.degradation(log_cost.exp())
    }
}

/// The runs of a history that lie beyond the tolerance although nothing changed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SlowRuns {
    share: f64,
    /// How far above the level they lie, where they are so many that the test is one of two
    /// modes: its own code, placed or started differently, is sometimes that slow.
    mode: Option<f64>,
}

impl SlowRuns {
    /// One slow run in ten, and more than a single one, are a mode of the test.
    const MODE_SHARE: f64 = 0.1;

    fn among(log_centers: &[f64], level: f64, tolerance: f64) -> Self {
        let rises = log_centers.iter().map(|center| center - level);
        let slow: Vec<f64> = rises.filter(|rise| *rise > tolerance).collect();
        let share = slow.len() as f64 / log_centers.len() as f64;
        let is_mode = slow.len() > 1 && share >= Self::MODE_SHARE;
        let mode = Sample::new(slow).ok().filter(|_| is_mode).map(|slow| slow.median());
        Self { share, mode }
    }
}

/// Standard deviation of the values of one process around its middle; 0 where no run has two.
fn deviation_within(sequences: &[Vec<f64>]) -> f64 {
    /// The spread of a normal sample in standard deviations (Shamos).
    const SPREAD: f64 = 0.953_9;
    let spread = |it: &Vec<f64>| pragmastat::estimators::raw::spread(it, false).ok();
    let spreads = Sample::new(sequences.iter().filter_map(spread).collect());
    spreads.map_or(0.0, |spreads| spreads.median() / SPREAD)
}

/// Standard deviation of the median of so many values, in deviations of one: that of a normal
/// sample.
fn center_error(size: usize) -> f64 {
    (std::f64::consts::FRAC_PI_2 / size.max(1) as f64).sqrt()
}

/// That of the runs' centers, as a root of the mean square.
fn mean_center_error(sequences: &[Vec<f64>]) -> f64 {
    let squares: f64 = sequences.iter().map(|it| center_error(it.len()).powi(2)).sum();
    (squares / sequences.len().max(1) as f64).sqrt()
}

/// Logarithm of a value's cost: larger is worse, whatever the metric's direction.
pub(super) fn log_cost(value: f64, direction: Direction, policy: &Policy) -> f64 {
    direction.degradation(value.max(policy.floor.value)).ln()
}
