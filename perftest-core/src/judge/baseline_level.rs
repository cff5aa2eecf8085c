//! The level of a baseline, and the comparison of a round of measurements with it.
//!
//! Source. The misrate of the shares is a choice, which `simulate.sh` checks on worlds of several modes.

use super::detection_model::DetectionModel;
use super::history_stats::HistoryStats;
use super::{Floor, Normalisation, Policy, round::Round};
use crate::list::IntoList;
use crate::model::{Baseline, Covariate, Direction, Interval, Note, Observation, Reason, Sample};

/// Misrate of the test for risen shares of slow modes. Such a rise forbids a green, and many measurements are needed
/// to detect it. A convention, which `ci/campaigns/simulate.sh` checks on worlds of several modes: a lower one misses
/// more of them.
const SHARES_MISRATE: f64 = 0.05;

/// A sufficient baseline with the settings of the comparison. All logarithms are of cost: larger is
/// worse, whatever the metric's direction.
#[derive(Debug, Clone)]
pub(super) struct BaselineLevel {
    policy: Policy,
    direction: Direction,
    quantity: Extractor,
    normalisation: Normalisation,
    past: HistoryStats,
    /// Logarithm of the largest tolerated degradation.
    limit: f64,
}

/// Returns the compared value of an observation; `None` where it is missing.
type Extractor = fn(&Observation) -> Option<f64>;

impl BaselineLevel {
    /// Creates the level of the metric itself; `None` while the baseline has too few runs.
    pub(super) fn new(baseline: &Baseline, direction: Direction, policy: &Policy) -> Option<Self> {
        Self::of(baseline, |observation| Some(observation.value), direction, policy)
    }

    /// Creates the same level with other settings.
    pub(super) fn under(&self, baseline: &Baseline, policy: &Policy) -> Option<Self> {
        Self::of(baseline, self.quantity, self.direction, policy)
    }

    /// Creates the level of processor time; `None` where a run of the baseline lacks it.
    pub(super) fn of_processor_time(baseline: &Baseline, policy: &Policy) -> Option<Self> {
        Self::of(baseline, |observation| observation.processor_ns, Direction::Lower, policy)
    }

    fn of(
        baseline: &Baseline,
        quantity: Extractor,
        direction: Direction,
        policy: &Policy,
    ) -> Option<Self> {
        if !baseline.suffices() {
            return None;
        }
        let log = |it: &Observation| Some(log_cost(quantity(it)?, direction, policy.floor));
        let log_costs = baseline.centers.iter().map(log).into_list_of_some()?;
        let normalisation = Normalisation::fit(&baseline.centers, &log_costs);
        let adjusted = |it: &Observation| Some(normalisation.adjust(log(it)?, &it.probes));
        Some(Self {
            past: HistoryStats::of(baseline, adjusted, policy)?,
            limit: policy.tolerance.beside_accepted(baseline.accepted_ratio).ratio().ln(),
            policy: policy.clone(),
            direction,
            quantity,
            normalisation,
        })
    }

    /// Returns the displayed estimate and bounds of the round's degradation: at 1% on each side where
    /// the size of the round or the spread of the runs allows it, else wider.
    pub(super) fn shown(&self, round: &Round) -> Option<Interval> {
        let sample = self.logs(&round.fair())?;
        let by_ranks = |rate| self.past.bounds.both(&sample, rate);
        let wider = || [0.05, 0.5].into_iter().find_map(by_ranks);
        let logs = by_ranks(0.01).or_else(|| self.by_spread(&sample, 0.01)).or_else(wider)?;
        Some(logs.map(f64::exp))
    }

    /// Returns the covariate of the normalisation; `None` without one.
    pub(super) fn normalised_by(&self) -> Option<Covariate> {
        self.normalisation.covariate()
    }

    /// Returns the note on the modes of the history; `None` with a single mode.
    pub(super) fn modality(&self) -> Option<&Note> {
        self.past.modality.as_ref()
    }

    /// Returns the logarithms of the normalised costs of the observations that have the value.
    fn costs(&self, observations: &[Observation]) -> Vec<f64> {
        let log = |observation: &Observation| {
            let value = (self.quantity)(observation)?;
            let log_cost = log_cost(value, self.direction, self.policy.floor);
            Some(self.normalisation.adjust(log_cost, &observation.probes))
        };
        observations.iter().filter_map(log).into_list()
    }

    /// Returns the logarithms of the costs, each folded onto one mode.
    fn logs(&self, observations: &[Observation]) -> Option<Sample> {
        let costs = self.costs(observations).into_iter();
        Sample::new(costs.map(|log| self.past.fold(log)).into_list()).ok()
    }

    /// Returns how much slower the modes' shares alone make the processes, beyond chance at this
    /// misrate.
    fn shift_of_shares(&self, processes: &[Vec<Observation>], misrate: f64) -> f64 {
        self.past.modes.as_ref().map_or(0.0, |modes| {
            let costs: Vec<Vec<f64>> = processes.iter().map(|it| self.costs(it)).into_list();
            modes.shift(&costs, misrate)
        })
    }

    /// Logarithm of the cost of the round's median.
    fn log_center(&self, round: &Round) -> Option<f64> {
        self.logs(&round.fair()).map(|logs| logs.median())
    }

    /// Upper bound of the logarithm of the round's degradation.
    fn at_most(&self, round: &Round) -> Option<f64> {
        let misrate = self.policy.green_misrate / self.policy.looks();
        let fair = round.fair();
        let logs = self.logs(&fair)?;
        let at_most = self.past.bounds.upper(&logs, misrate);
        let at_most = at_most.or_else(|| Some(self.by_spread(&logs, misrate)?.upper))?;
        Some(at_most + self.shift_of_shares(&[fair], SHARES_MISRATE))
    }

    /// Lower bound of the logarithm of the round's degradation.
    fn at_least(&self, round: &Round) -> Option<f64> {
        let lower = |observations: Vec<Observation>| {
            let (logs, misrate) = (self.logs(&observations)?, self.red_misrate());
            let lower = self.past.bounds.lower(&logs, misrate);
            let lower = lower.or_else(|| Some(self.by_spread(&logs, misrate)?.lower))?;
            Some(lower + self.shift_of_shares(&[observations], self.red_misrate()))
        };
        let bounds = [lower(round.clean()), lower(round.excused())];
        bounds.into_iter().flatten().max_by(f64::total_cmp)
    }

    /// Returns how far the median lies above the level, with bounds from the spread of the runs' medians.
    /// For rounds with too few measurements for rank bounds.
    fn by_spread(&self, logs: &Sample, misrate: f64) -> Option<Interval> {
        let estimate = logs.median() - self.past.level;
        let margin = self.past.margin_of_middle(logs.size(), misrate);
        let is_short = self.policy.is_short_of_room();
        let bounds = Interval { estimate, lower: estimate - margin, upper: estimate + margin };
        is_short.then_some(bounds)
    }

    fn red_misrate(&self) -> f64 {
        self.policy.red_misrate / self.policy.looks()
    }

    /// Whether the round proves that there is no relevant degradation; `Unstable` where the noise of the
    /// test makes that proof worthless.
    pub(super) fn proves_green(&self, round: &Round) -> Option<Reason> {
        let proven = self.proven_by(self.at_most(round)?)?;
        (self.is_calibrated(round) && !self.hides_shares(round)).then_some(proven)
    }

    /// What this upper bound of the degradation (logarithm) proves.
    fn proven_by(&self, at_most: f64) -> Option<Reason> {
        if at_most >= self.limit {
            return None;
        }
        let faster = -self.past.noise.max(self.policy.tolerance.ratio().ln());
        let improved = at_most < faster && at_most + self.margin(1) < faster;
        Some(match self.is_unstable() {
            _ if improved => Reason::Improved,
            true => Reason::Unstable,
            false => Reason::Green,
        })
    }

    /// How much faster the machine is than in all runs of the baseline, as a share, where that alone may
    /// have brought the proof: code slower by so much would look the same.
    pub(super) fn speed_behind(&self, proven: Reason, round: &Round) -> Option<f64> {
        let probes = Observation::center(&round.fair())?.probes;
        let ahead = self.normalisation.machine_ahead(&probes);
        let still_proven = self.proven_by(self.at_most(round)? + ahead);
        (still_proven != Some(proven)).then(|| ahead.exp() - 1.0)
    }

    /// Whether the round is too short to detect more frequent slow modes.
    fn hides_shares(&self, round: &Round) -> bool {
        self.past.modes.is_some() && (round.fair().len() as u32) < self.policy.round
    }

    /// Whether a degradation of twice the tolerance would rarely look as fast as this round, by the
    /// calibration on equally few measurements of unchanged code.
    fn is_calibrated(&self, round: &Round) -> bool {
        let tolerance = self.policy.tolerance;
        let twice = self.limit + (tolerance.twice_ratio() / tolerance.ratio()).ln();
        let luck = self.past.calibration.margin(round.fair().len());
        let rise = self.log_center(round).map(|now| now - self.past.level);
        self.is_unstable() || rise.is_some_and(|rise| rise + luck < twice)
    }

    /// Whether the round is slower beyond the uncertainty of its own values. The spread between
    /// processes is not included.
    pub(super) fn proves_slower(&self, round: &Round) -> bool {
        self.beyond_limit(round, 0.0) || self.is_beyond_modes(round)
    }

    /// Whether the rounds of one process are a candidate red: even the fastest is beyond the limit, the
    /// curve is reached and the shift exceeds the floor. Values of an unstable test beyond all its known
    /// runs need not wait for the scaled curve.
    pub(super) fn suspects(&self, rounds: &[Round], measurements: u32, most: u32) -> bool {
        let Some(fastest_round) = self.fastest_round(rounds) else {
            return false;
        };
        let reaches_curve = |most: u32| self.reaches_curve(&[&fastest_round], measurements, most);
        let is_beyond_limit = || self.beyond_limit(&fastest_round, self.suspicion());
        (is_beyond_limit() && reaches_curve(most)
            || self.is_beyond_modes(&fastest_round) && reaches_curve(measurements))
            && self.shift(&fastest_round) >= self.policy.floor.shift
    }

    /// Whether the processes together are beyond the limit by more than the spread between processes,
    /// and beyond the curve after all their measurements. For an unstable test it also suffices that
    /// enough processes lie beyond all known runs.
    pub(super) fn proves_red(&self, processes: &[&Round], measurements: u32) -> bool {
        let rise = self.rise(processes);
        (rise - self.margin(processes.len() as u32) > self.red_limit()
            || self.are_beyond_modes(processes))
            && self.reaches_curve(processes, measurements, measurements)
    }

    /// Whether the whole round lies beyond all runs and modes of an unstable test by more than the
    /// tolerance, so that no known mode explains it.
    fn is_beyond_modes(&self, round: &Round) -> bool {
        let fastest = || Some(self.logs(&round.clean())?.sorted()[0] - self.past.level);
        self.is_unstable()
            && !round.is_disturbed()
            && fastest().is_some_and(|fastest| fastest > self.known_limit())
    }

    /// Whether one process, as many others as must confirm it, and most of all processes lie beyond the
    /// modes.
    fn are_beyond_modes(&self, processes: &[&Round]) -> bool {
        let beyond = processes.iter().count_where(|round| self.is_beyond_modes(round));
        beyond > self.policy.confirmations as usize && 2 * beyond > processes.len()
    }

    fn known_limit(&self) -> f64 {
        self.past.known_upto + self.limit
    }

    fn reaches_curve(&self, processes: &[&Round], measurements: u32, most: u32) -> bool {
        self.rise(processes) >= self.needed(measurements, most).ln()
    }

    /// Returns the degradation that a red needs after so many of at most `most` measurements.
    pub(super) fn needed(&self, measurements: u32, most: u32) -> f64 {
        let Policy { curve, tolerance, .. } = &self.policy;
        curve.needed(measurements, most, *tolerance, self.past.spread)
    }

    /// Returns the degradation of the median of these observations; `None` without any.
    pub(super) fn degradation_of(&self, observations: &[Observation]) -> Option<f64> {
        Some((self.logs(observations)?.median() - self.past.level).exp())
    }

    /// Whether most of several processes are faster than all known runs and modes by more than the tolerance, at least
    /// one undisturbed, and each that is undisturbed.
    pub(super) fn are_below_modes(&self, processes: &[&Round]) -> bool {
        let is_below = |process: &Round| {
            let rise = self.log_center(process).map(|center| center - self.past.level);
            rise.is_some_and(|rise| self.is_below_modes(rise))
        };
        let below = processes.iter().count_where(|process| is_below(process));
        let mut undisturbed = processes.iter().filter(|process| !process.is_disturbed()).peekable();
        below > 1
            && 2 * below > processes.len()
            && undisturbed.peek().is_some()
            && undisturbed.all(|process| is_below(process))
    }

    /// Whether this distance above the level (logarithm) is below all known runs and modes by more than the tolerance.
    pub(super) fn is_below_modes(&self, rise: f64) -> bool {
        rise < self.past.known_from - self.tolerance()
    }

    /// Whether this degradation (logarithm) is an improvement beyond the noise of the history.
    pub(super) fn is_beyond_noise(&self, at_most: f64) -> bool {
        at_most < -self.past.noise.max(self.tolerance())
    }

    /// Returns the reason when neither green nor red was proven.
    pub(super) fn undecided(&self) -> Reason {
        if self.is_unstable() { Reason::Unstable } else { Reason::Unclear }
    }

    /// Whether the runs differ too much for this tolerance. Such a test is never green, and red only
    /// beyond its own variation.
    pub(super) fn is_unstable(&self) -> bool {
        self.past.noise > self.policy.tolerance.ratio().ln()
    }

    /// Returns how far above the level runs of unchanged code may lie, as a share.
    pub(super) fn noise_share(&self) -> f64 {
        self.past.noise.exp() - 1.0
    }

    /// Returns the limit of a red: the tolerance, or the own variation of an unstable test.
    fn red_limit(&self) -> f64 {
        self.limit.max(self.past.noise)
    }

    /// How far one process must lie beyond the limit to be a candidate red. Runs of a stable test rarely
    /// do, and a candidate costs only fresh processes. An unstable test needs near certainty.
    fn suspicion(&self) -> f64 {
        if self.is_unstable() { self.margin(1) } else { 0.0 }
    }

    /// Returns the fastest round of one process, because interference only makes code slower. The shares
    /// of the modes come from all rounds.
    pub(super) fn fastest_round(&self, rounds: &[Round]) -> Option<Round> {
        match self.past.modes {
            Some(_) => Some(Round::together(rounds)),
            None => self.fastest(rounds).cloned(),
        }
    }

    /// Returns the round with the lowest center.
    pub(super) fn fastest<'a>(&self, rounds: &'a [Round]) -> Option<&'a Round> {
        let center = |round: &Round| self.log_center(round);
        rounds
            .iter()
            .filter(|round| center(round).is_some())
            .min_by(|a, b| center(a).unwrap_or(f64::MAX).total_cmp(&center(b).unwrap_or(f64::MAX)))
    }

    /// Returns the degradation of the processes; its bounds include the spread between processes.
    pub(super) fn degradation(&self, processes: &[&Round]) -> Interval {
        let (rise, margin) = (self.rise(processes), self.margin(processes.len() as u32));
        let known = if self.are_beyond_modes(processes) { self.known_limit() } else { f64::MIN };
        Interval {
            estimate: rise.exp(),
            lower: (rise - margin).max(known).exp(),
            upper: (rise + margin).exp(),
        }
    }

    /// Returns the model for the smallest slowdown that the test can detect with this history.
    pub(super) fn detection_model(&self) -> DetectionModel {
        DetectionModel {
            limit: self.red_limit(),
            tolerated: self.limit,
            known_limit: self.is_unstable().then(|| self.known_limit()),
            least_ratio: self
                .policy
                .curve
                .least(self.policy.tolerance)
                .max(self.ratio_of_least_shift()),
            spread: self.past.spread,
            suspicion: self.suspicion(),
            red_margin: self.margin(1 + self.policy.confirmations),
            within: self.past.within,
            values: self.past.bounds.before().size(),
            runs: self.past.runs,
            slow_share: self.past.slow.share_beyond(self.red_limit() + self.suspicion()),
            confirmations: (self.policy.confirmations, self.policy.max_confirmations),
            round: self.policy.round,
            misrate: self.red_misrate(),
        }
    }

    /// Returns the measurements of one process that would prove green or red; `None` where the spread
    /// between processes, not within them, leaves it undecided.
    pub(super) fn measurements_to_settle(&self, rounds: &[Round]) -> Option<u32> {
        let rise = self.rise(&[self.fastest(rounds)?]);
        self.detection_model().measurements_within((rise - self.limit).abs())
    }

    fn beyond_limit(&self, round: &Round, margin: f64) -> bool {
        self.at_least(round).is_some_and(|at_least| at_least - margin > self.red_limit())
    }

    fn margin(&self, processes: u32) -> f64 {
        self.past.spread.margin(processes, self.policy.red_misrate / 2.0)
    }

    /// Logarithm of the degradation of the processes' median center.
    fn rise(&self, processes: &[&Round]) -> f64 {
        let blamed: Vec<Vec<Observation>> =
            processes.iter().map(|round| round.blamed()).into_list();
        let center = |observations: &Vec<Observation>| Some(self.logs(observations)?.median());
        let centers = Sample::new(blamed.iter().filter_map(center).into_list());
        let rise = centers.map_or(0.0, |now| now.median() - self.past.level);
        rise + self.shift_of_shares(&blamed, self.red_misrate())
    }

    /// Returns the logarithm of the distance of the round's median above the level, plus the shift of
    /// its modes' shares.
    pub(super) fn rise_of(&self, round: &Round) -> Option<f64> {
        /// The rise alone, with nothing subtracted for chance: Student's quantile at one half is 0.
        const AS_IT_IS: f64 = 0.5;
        let rise = self.log_center(round)? - self.past.level;
        Some(rise + self.shift_of_shares(&[round.fair()], AS_IT_IS))
    }

    /// Returns the limit without accepted slowdowns.
    pub(super) fn tolerance(&self) -> f64 {
        self.policy.tolerance.ratio().ln()
    }

    /// Returns the distance of the round from the level, in the metric's unit.
    fn shift(&self, round: &Round) -> f64 {
        let now = self.value(self.past.level + self.rise(&[round]));
        (now - self.value(self.past.level)).abs()
    }

    /// Returns the degradation that is the smallest shift of a red.
    fn ratio_of_least_shift(&self) -> f64 {
        1.0 + self.policy.floor.shift / self.value(self.past.level)
    }

    /// Converts a [`log_cost`](Self::log_cost) back to a value.
    fn value(&self, log_cost: f64) -> f64 {
        self.direction.degradation(log_cost.exp())
    }
}

/// Logarithm of a value's cost: larger is worse, whatever the metric's direction.
pub(super) fn log_cost(value: f64, direction: Direction, floor: Floor) -> f64 {
    direction.degradation(value.max(floor.value)).ln()
}
