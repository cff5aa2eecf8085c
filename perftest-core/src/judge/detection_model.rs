//! The smallest slowdown that a test can detect with its history.
//!
//! The model behind the figures: the centers of unchanged processes scatter normally around the
//! level with the history's own spread, and the values of one process around its center with the
//! pooled spread inside the runs. Where the history contradicts the model (runs beyond the limit), the
//! share of such runs is used instead.

use super::expected_pairs::ExpectedPairs;
use super::pair_spread::{FOUND, NORMAL};
use crate::stats::{RunSpread, binomial_at_least, student_quantile, student_upper_tail};

/// The largest number of measurements in advice to the user. A convention: the most measurements of the longer last
/// round (docs/reference/verdicts.md). Beyond it the advice has no number.
const MOST_ADVISED: f64 = 2_000.0;

/// The parameters of the model, as logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct DetectionModel {
    /// Beyond this lies a red.
    pub(super) limit: f64,
    /// Beyond this lies a red by pairs.
    pub(super) tolerated: f64,
    /// No known run or mode of an unstable test lies beyond this; `None` for a stable test.
    pub(super) known_limit: Option<f64>,
    /// The least ratio of the curve.
    pub(super) least_ratio: f64,
    /// The spread of the history's runs.
    pub(super) spread: RunSpread,
    /// How far a process must lie beyond the limit to be a candidate red.
    pub(super) suspicion: f64,
    /// How far all processes together must lie beyond it to be red.
    pub(super) red_margin: f64,
    /// Standard deviation of the values of one process.
    pub(super) within: f64,
    /// Number of values in the history.
    pub(super) values: usize,
    /// Number of runs in the history.
    pub(super) runs: usize,
    /// Share of runs so far above the level that such a process would be a candidate red.
    pub(super) slow_share: f64,
    /// Fresh processes that must confirm, and the largest number of them.
    pub(super) confirmations: (u32, u32),
    /// Measurements in a round.
    pub(super) round: u32,
    /// Misrate of one bound of a round.
    pub(super) misrate: f64,
}

impl DetectionModel {
    /// Returns the smallest degradation that is found with 99%, as a share: with or without a last good build.
    pub(super) fn smallest_detectable(&self, pairs: &ExpectedPairs) -> f64 {
        let by_either = self.detectable_by_history().max(self.detectable_by(pairs));
        by_either.exp().max(self.least_ratio) - 1.0
    }

    /// Whether these pairs detect less than the history does.
    pub(super) fn is_held_by(&self, pairs: &ExpectedPairs) -> bool {
        self.detectable_by(pairs) > self.detectable_by_history()
    }

    fn detectable_by(&self, pairs: &ExpectedPairs) -> f64 {
        self.tolerated + pairs.detectable(self.spread.deviation())
    }

    /// Returns the smallest degradation that is found without a last good build (logarithm).
    ///
    /// It must pass two gates, each of which misses it once in 200: the first process must be a
    /// candidate red, and all processes together must be red.
    fn detectable_by_history(&self) -> f64 {
        let missed = (1.0 - FOUND) / 2.0;
        let luck = student_quantile(NORMAL, 1.0 - missed);
        let suspected = self.suspicion + self.bound_width() + luck * self.error(1.0);
        let processes = f64::from(1 + self.confirmations.0);
        let convicted = self.red_margin + luck * self.error(processes);
        let by_spread = self.limit + suspected.max(convicted);
        // The whole round of each process must lie there.
        let beyond_known = |limit: f64| limit + luck * self.error(1.0).hypot(self.within);
        self.known_limit.map_or(by_spread, |limit| by_spread.min(beyond_known(limit)))
    }

    /// Returns the expected share of reds among decisions on unchanged code: one process is beyond the
    /// limit by chance, and then most of the fresh ones, too.
    pub(super) fn false_alarm_rate(&self) -> f64 {
        let far = (self.limit + self.suspicion + self.bound_width()) / self.error(1.0);
        let by_model = student_upper_tail(self.spread.freedom(), far);
        let one = by_model.max(self.slow_share);
        let (needed, most) = self.confirmations;
        one * binomial_at_least(needed.into(), most.into(), one)
    }

    /// Returns the measurements of one process that bring its bound this close to its estimate;
    /// `None` if no reasonable number does.
    pub(super) fn measurements_within(&self, gap: f64) -> Option<u32> {
        let share = (gap / (self.luck_of_a_bound() * self.within)).powi(2);
        let needed = 1.0 / (share - 1.0 / self.values as f64);
        (needed > 0.0 && needed <= MOST_ADVISED).then(|| needed.ceil().max(1.0) as u32)
    }

    /// Standard deviation of the distance between this many processes and the level.
    fn error(&self, processes: f64) -> f64 {
        self.spread.deviation() * (1.0 / processes + 1.0 / self.runs as f64).sqrt()
    }

    /// Returns the distance of a full round's bound from its estimate.
    fn bound_width(&self) -> f64 {
        let share = 1.0 / f64::from(self.round) + 1.0 / self.values as f64;
        self.luck_of_a_bound() * self.within * share.sqrt()
    }

    /// Returns the luck of an estimate by Hodges and Lehmann, whose variance in a normal sample is
    /// pi/3 of the mean's.
    fn luck_of_a_bound(&self) -> f64 {
        student_quantile(NORMAL, 1.0 - self.misrate) * (std::f64::consts::PI / 3.0).sqrt()
    }
}
