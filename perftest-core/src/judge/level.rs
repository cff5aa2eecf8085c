//! The level a test had before, and what a round of measurements says against it.

use super::{Normalisation, Policy, round::Round};
use crate::model::{Baseline, Direction, Interval, Observation, Reason, Sample};
use crate::stats::{RunSpread, log_ratio_bounds, weighted_median};

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
    /// The runs' values: what a round is compared with.
    log_values: Sample,
    spread: RunSpread,
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
        let log_centers =
            Sample::new(baseline.centers.iter().filter_map(adjusted).collect()).ok()?;
        let log_values = Sample::new(baseline.values.iter().filter_map(adjusted).collect()).ok()?;
        let accepted_ratio = baseline.accepted_ratio.unwrap_or(1.0).max(1.0);
        Some(Self {
            spread: RunSpread::of(&log_centers),
            limit: (policy.tolerance.ratio() * accepted_ratio).ln(),
            policy: policy.clone(),
            direction,
            quantity,
            normalisation,
            log_level: weighted_median(&log_centers, &baseline.weights()),
            log_values,
        })
    }

    /// Estimate and bounds of the round's degradation as they are shown: at 1 % on each side
    /// where its size allows, else wider.
    pub(super) fn shown(&self, round: &Round) -> Option<Interval> {
        let sample = self.logs(&round.fair())?;
        let logs = [0.01, 0.05, 0.5].into_iter().find_map(|rate| self.bounds(&sample, rate))?;
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
        Some(self.bounds(&self.logs(&round.fair())?, misrate)?.upper)
    }

    /// Lower bound of the logarithm of the round's degradation.
    fn at_least(&self, round: &Round) -> Option<f64> {
        let misrate = self.policy.red_misrate / self.policy.looks();
        let lower = |observations: Vec<Observation>| {
            Some(self.bounds(&self.logs(&observations)?, misrate)?.lower)
        };
        let bounds = [lower(round.clean()), lower(round.excused())];
        bounds.into_iter().flatten().max_by(f64::total_cmp)
    }

    fn bounds(&self, logs: &Sample, misrate: f64) -> Option<Interval> {
        log_ratio_bounds(logs, &self.log_values, misrate)
    }

    /// Whether the round proves that there is no degradation that matters.
    pub(super) fn acquits(&self, round: &Round) -> Option<Reason> {
        let at_most = self.at_most(round)?;
        let faster = at_most + self.margin(1) < -self.policy.tolerance.ratio().ln();
        (at_most < self.limit).then_some(if faster { Reason::Improved } else { Reason::Green })
    }

    /// Whether the round is slower beyond doubt about its own values. The spread between
    /// processes is not in it yet.
    pub(super) fn accuses(&self, round: &Round) -> bool {
        self.beyond_limit(round, 0.0)
    }

    /// Whether the rounds of one process make a red likely enough to look into it: even the
    /// fastest is beyond the limit with most of the spread between processes taken off, the curve
    /// is reached and the shift is large enough to mean something.
    pub(super) fn suspects(&self, rounds: &[Round], measurements: u32, most: u32) -> bool {
        let Some(fastest) = self.fastest(rounds) else {
            return false;
        };
        let needed =
            self.policy.curve.needed(measurements, most, self.policy.tolerance, self.spread);
        self.beyond_limit(fastest, self.suspicion())
            && self.rise(&[fastest]) >= needed.ln()
            && self.shift(fastest) >= self.policy.floor.shift
    }

    /// Whether the processes together are beyond the limit, with the spread between processes
    /// taken off.
    pub(super) fn convicts(&self, processes: &[&Round]) -> bool {
        self.rise(processes) - self.margin(processes.len() as u32) > self.limit
    }

    /// The reason when neither green nor red was proven.
    pub(super) fn undecided(&self) -> Reason {
        if self.is_unstable() { Reason::Unstable } else { Reason::Unclear }
    }

    /// Whether the runs differ too much to judge by this tolerance.
    fn is_unstable(&self) -> bool {
        RUN_DEVIATIONS * self.spread.deviation() > self.limit
    }

    /// How far one process has to be beyond the limit to be looked into. A suspicion costs fresh
    /// processes and no verdict, so it may be wrong more often than a red; but what is unstable is
    /// not even suspected before it is nearly certain.
    fn suspicion(&self) -> f64 {
        if self.is_unstable() {
            self.margin(1)
        } else {
            self.spread.margin(1, self.policy.suspicion_misrate)
        }
    }

    /// The round with the lowest center: interference only makes code slower.
    pub(super) fn fastest<'a>(&self, rounds: &'a [Round]) -> Option<&'a Round> {
        let center = |round: &Round| self.log_center(round);
        rounds
            .iter()
            .filter(|round| center(round).is_some())
            .min_by(|a, b| center(a).unwrap_or(f64::MAX).total_cmp(&center(b).unwrap_or(f64::MAX)))
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

    /// The smallest degradation that a confirmation would call red, as a share.
    pub(super) fn sees(&self) -> f64 {
        let margin = self.suspicion().max(self.margin(1 + self.policy.confirmations));
        (self.limit + margin).exp() - 1.0
    }

    fn beyond_limit(&self, round: &Round, margin: f64) -> bool {
        self.at_least(round).is_some_and(|at_least| at_least - margin > self.limit)
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

fn log_cost(value: f64, direction: Direction, policy: &Policy) -> f64 {
    direction.degradation(value.max(policy.floor.value)).ln()
}
