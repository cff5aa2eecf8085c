//! What a verdict rests on.

use super::{
    Covariate, Environment, ExplanatoryMetric, Interval, LevelStart, Note, PairedResult, Reason,
    Tolerance,
};

/// The numbers behind one verdict, kept beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Why the trial ended.
    pub reason: Reason,
    /// Degradation against the baseline: above 1 is worse. `None` without a baseline.
    /// The lower bound holds the between-run spread of the history.
    pub degradation: Option<Interval>,
    /// The measured value per iteration, in the metric's unit: median, smallest, largest of the
    /// clean measurements of all processes.
    pub now: Option<Interval>,
    /// The baseline's value per iteration: median, smallest and largest run.
    pub before: Option<Interval>,
    /// Runs in the baseline.
    pub baseline_runs: u32,
    /// Commits in the baseline.
    pub baseline_commits: u32,
    /// Newest commit in the baseline, empty when not known.
    pub baseline_commit: String,
    /// Commits between it and the one compared with; `None` where the baseline is not made of
    /// merged runs, or the distance is not known.
    pub commits_before_base: Option<u32>,
    /// Processes of a first run are among the runs of the baseline.
    pub baseline_is_provisional: bool,
    /// Where the level of the baseline began; `None` where no change was found before it.
    pub level_began: Option<LevelStart>,
    /// Runs a verdict needs.
    pub baseline_needed: u32,
    /// The tolerance that was applied.
    pub tolerance: Tolerance,
    /// The absolute limit of the test, in the metric's unit; `None` where it has none.
    pub limit: Option<f64>,
    /// The test seemed to exceed its limit, and no fresh process could tell whether it does.
    pub limit_is_open: bool,
    /// A reviewed acceptance that was applied: the ratio to the old level that is allowed.
    pub accepted_ratio: Option<f64>,
    /// The smallest degradation that this history finds with 99%, as a share: 0.08 is +8%.
    pub smallest_detectable: Option<f64>,
    /// Expected share of reds among decisions on unchanged code, by this history.
    pub false_alarm_rate: Option<f64>,
    /// How far apart runs of unchanged code lie on this history, as a share: 0.09 is 9%.
    pub noise: Option<f64>,
    /// Measurements of one process that would have proven one or the other, where their number
    /// is what an unclear verdict lacked.
    pub needed_measurements: Option<u32>,
    /// The budget under which the pairs with the last good build would have proven one or the other,
    /// where their number is what an unclear verdict lacked.
    pub needed_budget_s: Option<f64>,
    /// Measurements taken, in all processes.
    pub measurements: u32,
    /// Of those, interrupted by other work, kept marked and not used against the code.
    pub suspects: u32,
    /// Processes measured: 1, and the fresh ones of a confirmation.
    pub processes: u32,
    /// Of those, the ones in which the degradation stood.
    pub slow_processes: u32,
    /// The test's own code is that of its baseline, as far as known: only its place in memory may have
    /// changed.
    pub same_own_code: bool,
    /// What the last good build showed beside it: the verdict rests on such pairs. `None` when the
    /// history alone decided.
    pub paired_result: Option<PairedResult>,
    /// What was measured beside the wall time of a whole test, and explains it.
    pub explanatory_metrics: Vec<ExplanatoryMetric>,
    /// What the values were normalised by; `None` when by nothing.
    pub normalised_by: Option<Covariate>,
    /// What limited the verdict or its use, in the order in which it is printed.
    pub notes: Vec<Note>,
}

impl Evidence {
    /// Whether pairs with the last good build proved it. What disturbs the machine hits both sides of
    /// a pair alike.
    pub fn is_proven_by_pairs(&self) -> bool {
        let is_proven = matches!(self.reason, Reason::Green | Reason::Improved | Reason::Red);
        is_proven && self.paired_result.is_some()
    }

    /// The share of its tolerance that the degradation takes: 1 at its end, 0 or below where nothing is
    /// slower. `None` without a baseline.
    pub fn share_of_tolerance(&self) -> Option<f64> {
        Some((self.degradation?.estimate - 1.0) / self.tolerance.share())
    }

    /// The same evidence in the light of the run's conditions: in an untrusted environment it is
    /// neither green nor red, unless pairs proved it, and a note names the reasons.
    #[must_use]
    pub fn under(mut self, environment: &Environment) -> Self {
        if environment.is_untrusted() && !self.is_proven_by_pairs() {
            self.reason = Reason::Untrusted;
            self.notes = vec![Note::Distrusted { tags: environment.distrusted.clone() }];
        }
        self
    }

    /// The same evidence on a time: below `floor`, in the metric's unit, it says nothing about the code,
    /// whatever it was compared with, and nothing can be promised of what follows.
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

    /// The same evidence for a test with `on_improved = "fail"`: what improved is unaccepted, unless an
    /// acceptance was applied. One whose own runs have become the level is applied no longer.
    #[must_use]
    pub fn ratcheted(mut self) -> Self {
        if self.reason == Reason::Improved && self.accepted_ratio.is_none() {
            self.reason = Reason::Unaccepted;
        }
        self
    }
}
