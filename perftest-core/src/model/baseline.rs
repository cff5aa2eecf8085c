//! The part of a history that a rule selects to compare with.

use super::{
    Acceptance, CodeState, CoreKind, Evidence, History, Observation, Reason, Run, RunId, Sample,
};

/// Which runs teach and which are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaselineRule {
    /// Runs a verdict needs.
    pub needed: usize,
    /// Newest runs that are kept.
    pub window: usize,
    /// Runs of one code state that may teach once the baseline has what it needs: running the
    /// same code again and again must not move its own baseline.
    pub per_code_state: usize,
}

impl Default for BaselineRule {
    fn default() -> Self {
        Self { needed: 5, window: Baseline::WINDOW, per_code_state: 3 }
    }
}

/// The runs to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Middle of each run's clean measurements, oldest run first.
    pub centers: Vec<Observation>,
    /// Clean measurements of each run in the order they were taken, runs in the same order.
    pub sequences: Vec<Vec<Observation>>,
    /// Kind of core that most of the newest run's measurements were taken on.
    pub core_kind: Option<CoreKind>,
    /// The runs' ids, in the same order.
    pub ids: Vec<RunId>,
    /// Distinct commits among them.
    pub commits: u32,
    /// Commit of the newest, empty when not known.
    pub newest_commit: String,
    /// Runs a verdict needs.
    pub needed: usize,
    /// Set while an accepted new level has too few runs of its own: the allowed ratio to the
    /// runs here, which are of the old level.
    pub accepted_ratio: Option<f64>,
}

impl Baseline {
    /// Newest runs that are compared with, at most.
    pub const WINDOW: usize = 30;

    /// Values a run is compared by: enough for its shape, and no run may
    /// outvote the others by having been measured longer.
    const VALUES_PER_RUN: usize = 10;

    /// No run at all: the test only learns.
    pub fn empty(rule: &BaselineRule) -> Self {
        Self {
            centers: Vec::new(),
            sequences: Vec::new(),
            core_kind: None,
            ids: Vec::new(),
            commits: 0,
            newest_commit: String::new(),
            needed: rule.needed,
            accepted_ratio: None,
        }
    }

    /// Whether there is enough to compare with.
    pub fn suffices(&self) -> bool {
        self.centers.len() >= self.needed
    }

    /// Clean measurements of one run, at most ten, evenly over their ranks.
    ///
    /// # Panics
    /// When there are not so many runs.
    pub fn values_of(&self, run: usize) -> Vec<Observation> {
        spread_over(&self.sequences[run])
    }

    /// The values of the runs' centers as a sample; `None` without a run.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(self.centers.iter().map(|center| center.value).collect()).ok()
    }
}

impl BaselineRule {
    /// Selects what a run with this `config` is compared with.
    ///
    /// Runs that teach and share the configuration, newest last, at most the window. A red run
    /// never joins the level it was red against: it begins a new one, which counts only after an
    /// acceptance. `acceptance` is the newest entry that covers the benchmark.
    pub fn select(
        &self,
        history: &History,
        config: &str,
        acceptance: Option<&Acceptance>,
    ) -> Baseline {
        let level = self.level(history, config, acceptance);
        let newest = &level.runs[level.runs.len().saturating_sub(self.window)..];
        let mut baseline =
            Baseline { accepted_ratio: level.accepted_ratio, ..Baseline::empty(self) };
        for run in newest {
            let clean = run.clean();
            if let Some(center) = Observation::center(&clean) {
                baseline.ids.push(run.id.clone());
                baseline.centers.push(center);
                baseline.sequences.push(clean);
                baseline.core_kind = run.core_kind().or(baseline.core_kind);
            }
        }
        let mut commits: Vec<&str> =
            newest.iter().map(|run| run.revision.commit.as_str()).collect();
        if let Some(commit) = commits.last() {
            baseline.newest_commit = (*commit).to_owned();
        }
        commits.sort_unstable();
        commits.dedup();
        baseline.commits = commits.len() as u32;
        baseline
    }

    /// Whether a run of this code may teach, by provenance alone: a first try, in a trusted
    /// state, and not one too many of the same code.
    ///
    /// Until the baseline has what a verdict needs, the cap is that number, so that a newcomer's
    /// next run has a verdict.
    pub fn may_teach(
        &self,
        history: &History,
        config: &str,
        acceptance: Option<&Acceptance>,
        code: &CodeState,
        attempt: u32,
    ) -> bool {
        if attempt > 1 {
            return false;
        }
        let level = self.level(history, config, acceptance);
        let young = level.runs.len() < self.needed || level.accepted_ratio.is_some();
        let cap = if young { self.needed } else { self.per_code_state };
        let same_code = |run: &&Run| teaches(run, config) && run.code == *code;
        let level_of = |run: &&Run| acceptance.is_none_or(|entry| entry.holds_for(run));
        history.runs.iter().filter(same_code).filter(level_of).count() < cap
    }

    fn level<'a>(
        &self,
        history: &'a History,
        config: &str,
        acceptance: Option<&Acceptance>,
    ) -> Level<'a> {
        let teaching: Vec<&Run> = history
            .runs
            .iter()
            .filter(|run| teaches(run, config))
            .filter(|run| run.evidence.as_ref().is_none_or(speaks_for_its_code))
            .collect();
        let Some(acceptance) = acceptance else {
            return Level { runs: teaching, accepted_ratio: None };
        };
        let accepted_ratio = Some(acceptance.max_ratio);
        if acceptance.is_temporary() {
            return Level { runs: teaching, accepted_ratio };
        }
        let (new, old): (Vec<&Run>, Vec<&Run>) =
            teaching.into_iter().partition(|run| acceptance.holds_for(run));
        if new.len() >= self.needed {
            Level { runs: new, accepted_ratio: None }
        } else {
            Level { runs: old, accepted_ratio }
        }
    }
}

/// A run without a single measurement has nothing to say and takes nobody's place.
fn teaches(run: &Run, config: &str) -> bool {
    run.teaches && run.config == config && !run.measurements.is_empty()
}

/// Not a run that was red, and not one whose process alone was slow: fresh ones acquitted its code.
fn speaks_for_its_code(evidence: &Evidence) -> bool {
    evidence.reason != Reason::Red && evidence.slow_processes == 0
}

struct Level<'a> {
    runs: Vec<&'a Run>,
    accepted_ratio: Option<f64>,
}

/// Some of the observations, evenly over their ranks.
fn spread_over(sequence: &[Observation]) -> Vec<Observation> {
    let mut sorted = sequence.to_vec();
    sorted.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
    let taken = sorted.len().min(Baseline::VALUES_PER_RUN);
    (0..taken).map(|place| sorted[(2 * place + 1) * sorted.len() / (2 * taken)]).collect()
}
