//! The evidence of a verdict.

use super::{
    Covariate, Direction, Environment, ExplanatoryMetric, Interval, LevelStart, Metric, Note,
    Obstacle, PairedResult, Reason, Tolerance,
};

/// The numbers behind one verdict, kept beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The reason of the verdict.
    pub reason: Reason,
    /// Degradation against the baseline: above 1 is worse. `None` without a baseline. The lower
    /// bound includes the history's spread between runs.
    pub degradation: Option<Interval>,
    /// The measured value per iteration, in the metric's unit: median, smallest and largest
    /// undisturbed measurement of all processes.
    pub now: Option<Interval>,
    /// The baseline's value per iteration: median, smallest and largest run.
    pub before: Option<Interval>,
    /// Runs in the baseline.
    pub baseline_runs: u32,
    /// Commits in the baseline.
    pub baseline_commits: u32,
    /// Newest commit in the baseline; empty if it is unknown.
    pub baseline_commit: String,
    /// Number of commits between it and the base commit; `None` if the baseline has no merged runs,
    /// or the distance is unknown.
    pub commits_before_base: Option<u32>,
    /// Whether processes of a first run are in the baseline.
    pub baseline_is_provisional: bool,
    /// The beginning of the baseline's level; `None` if no change was found before it.
    pub level_began: Option<LevelStart>,
    /// Runs that a verdict needs.
    pub baseline_needed: u32,
    /// The tolerance that was applied.
    pub tolerance: Tolerance,
    /// The absolute limit of the test, in the metric's unit; `None` without one.
    pub limit: Option<f64>,
    /// Whether the test seemed to exceed its limit, and no fresh process could confirm or exclude
    /// it.
    pub limit_is_open: bool,
    /// The allowed ratio to the old level, if an acceptance was applied.
    pub accepted_ratio: Option<f64>,
    /// The smallest degradation that this history finds with 99%, as a share: 0.08 is +8%.
    pub smallest_detectable: Option<f64>,
    /// Expected share of reds among decisions on unchanged code, by this history.
    pub false_alarm_rate: Option<f64>,
    /// How much runs of unchanged code differ in this history, as a share: 0.09 is 9%.
    pub noise: Option<f64>,
    /// Measurements of one process that would have proven green or red, if an unclear verdict
    /// lacked only measurements.
    pub needed_measurements: Option<u32>,
    /// The budget with which the pairs with the last good build would have proven green or red, if
    /// an unclear verdict lacked only pairs.
    pub needed_budget_s: Option<f64>,
    /// Measurements taken, in all processes.
    pub measurements: u32,
    /// Of those, the measurements that were disturbed by other work and do not count against the
    /// code.
    pub suspects: u32,
    /// Processes measured: 1, and the fresh ones of a confirmation.
    pub processes: u32,
    /// Of those, the processes that confirmed the degradation.
    pub slow_processes: u32,
    /// The result of the pairs with the last good build, if they decided; `None` if the history
    /// alone decided.
    pub paired_result: Option<PairedResult>,
    /// Metrics beside the wall time of a whole test that explain it.
    pub explanatory_metrics: Vec<ExplanatoryMetric>,
    /// The covariate of the normalisation; `None` without one.
    pub normalised_by: Option<Covariate>,
    /// Notes on what limited the verdict or its use, in printed order.
    pub notes: Vec<Note>,
}

impl Evidence {
    /// Returns whether pairs with the last good build proved the verdict. A disturbance of the
    /// machine affects both sides of a pair alike.
    pub fn is_proven_by_pairs(&self) -> bool {
        let is_proven = matches!(self.reason, Reason::Green | Reason::Improved | Reason::Red);
        is_proven && self.paired_result.is_some()
    }

    /// Returns whether the code was cleared by a wider tolerance than this one alone. A first run was held to none, and the
    /// upper bound of a good result may be within both. Pairs are of a base that may have been slower than its level.
    pub fn is_cleared_by_wider(&self, tolerance: Tolerance) -> bool {
        let tolerated = tolerance.beside_accepted(self.accepted_ratio).ratio();
        let of_base = self.paired_result.as_ref().map_or(1.0, |it| it.machine_ratio.max(1.0));
        let is_within = |it: Interval| self.reason.is_good() && it.upper * of_base < tolerated;
        self.tolerance > tolerance
            && self.reason.clears_code()
            && self.reason != Reason::NoBaseline
            && !self.degradation.is_some_and(is_within)
    }

    /// Returns whether the placement of code can be the cause of a red: it slows by at most 20%, and executes the
    /// same instructions as far as they were counted. Moved code alone was up to 15% slower in measured relinks
    /// (`docs/evidence/placement.md`).
    pub fn may_be_placement(&self, metric: &Metric) -> bool {
        const LARGEST_RATIO: f64 = 1.20;
        let counted = self.paired_result.as_ref().and_then(|it| it.instructions);
        self.reason == Reason::Red
            && metric.is_time()
            && self.degradation.is_some_and(|it| it.estimate <= LARGEST_RATIO)
            && counted.is_none_or(|it| it.are_equal())
    }

    /// Returns the value that a proven improvement has by its ratio, and accepted code by its pairs: so many times that
    /// of the baseline. `None` for other verdicts, and for pairs without a sufficient baseline beside them, which are of
    /// another level.
    pub fn value_by_ratio(&self, direction: Direction) -> Option<f64> {
        let ratio = match &self.paired_result {
            _ if self.reason == Reason::Improved => self.degradation?.estimate,
            Some(pairs) if self.is_accepted() => pairs.ratio,
            _ => return None,
        };
        let before = self.before?.estimate;
        let is_known = self.baseline_runs >= self.baseline_needed;
        is_known.then(|| before * direction.degradation(ratio))
    }

    /// Returns whether an acceptance was needed: the degradation exceeds the tolerance, and was judged
    /// by an accepted ratio.
    pub fn needs_acceptance(&self) -> bool {
        let tolerated = self.tolerance.ratio();
        self.accepted_ratio.is_some() && self.degradation.is_some_and(|it| it.estimate > tolerated)
    }

    /// Returns whether the code passed only by an acceptance: it is green and needed one, or the machine is slower and
    /// the pairs needed one.
    pub fn is_accepted(&self) -> bool {
        match (self.reason, &self.paired_result) {
            (Reason::Green, _) => self.needs_acceptance(),
            (Reason::MachineSlower, Some(pairs)) => {
                self.accepted_ratio.is_some() && pairs.ratio > self.tolerance.ratio()
            }
            _ => false,
        }
    }

    /// Returns whether only the accepted ratio proves the green: the upper bound of the degradation
    /// exceeds the tolerance, even where its estimate does not.
    pub fn is_green_by_accepted_ratio(&self) -> bool {
        let tolerated = self.tolerance.ratio();
        self.reason == Reason::Green
            && self.accepted_ratio.is_some()
            && self.degradation.is_some_and(|it| it.upper > tolerated)
    }

    /// Returns the ratio up to which an acceptance of this degradation is suggested, rounded up to whole percent:
    /// its upper bound, and at most the tolerance above its estimate. Bounds of a noisy test are wide, and an
    /// acceptance as wide would let slowdowns pass that nobody measured. At least what is accepted already. `None`
    /// without an upper bound.
    pub fn suggested_max_ratio(&self) -> Option<f64> {
        let degradation = self.degradation.filter(|it| it.upper.is_finite())?;
        let tolerated = degradation.estimate * self.tolerance.ratio();
        let bound = degradation.upper.min(tolerated).max(self.accepted_ratio.unwrap_or_default());
        Some((100.0 * bound).ceil() / 100.0)
    }

    /// Applies the run's conditions: in an untrusted environment the evidence is neither green nor
    /// red, unless pairs proved it, and a note names the reasons.
    #[must_use]
    pub fn under(mut self, environment: &Environment) -> Self {
        if environment.is_untrusted() && !self.is_proven_by_pairs() {
            self.reason = Reason::Untrusted;
            self.notes = vec![Note::Distrusted { tags: environment.distrusted.clone() }];
        }
        self
    }

    /// Returns whether the test has too few runs for a verdict, also where a limit was left open without them.
    pub fn lacks_baseline(&self) -> bool {
        let is_of_limit = self.limit_is_open && self.baseline_runs < self.baseline_needed;
        self.reason == Reason::NoBaseline || is_of_limit
    }

    /// Returns whether this obstacle prevented the verdict, or the record of the run.
    pub fn is_hindered_by(&self, obstacle: &Obstacle) -> bool {
        match obstacle {
            Obstacle::UnreadableHistory(_)
            | Obstacle::UnwritableHistory(_)
            | Obstacle::UnknownCommit(_) => true,
            Obstacle::ChangedFiles => self.lacks_baseline(),
            Obstacle::NoLock(_) => self.reason == Reason::NotAlone,
            Obstacle::NoFreshProcess(_) => {
                matches!(self.reason, Reason::Unclear | Reason::Unstable)
            }
        }
    }

    /// Applies the shortest measurable time: a time below `floor`, in the metric's unit, is no
    /// evidence about the code, and nothing is predicted from it.
    #[must_use]
    pub fn measurable_from(mut self, floor: f64) -> Self {
        if self.now.is_some_and(|now| now.estimate < floor) {
            self.reason = Reason::NotMeasurable;
            self.degradation = None;
            self.smallest_detectable = None;
            self.false_alarm_rate = None;
        }
        self
    }

    /// Applies `on_improved = "fail"`: an improvement becomes unaccepted, unless an acceptance was
    /// applied. An acceptance whose own runs have become the level is not applied any more. Processes of one first run
    /// prove no improvement without pairs.
    #[must_use]
    pub fn ratcheted(mut self) -> Self {
        let is_proven = !self.baseline_is_provisional || self.paired_result.is_some();
        if self.reason == Reason::Improved && self.accepted_ratio.is_none() && is_proven {
            self.reason = Reason::Unaccepted;
        }
        self
    }
}
