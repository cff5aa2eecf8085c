//! The runs that a new run is compared with.

use super::{BaselineRule, CoreKind, LevelStart, Observation, Run, RunId, Sample, Tolerance};
use crate::list::IntoList;
use crate::order::sort;
use crate::stats::exponential_decay_weights;
use std::sync::Arc;

/// The runs to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The runs, oldest first. Copies of the baseline share them.
    pub runs: Arc<[Run]>,
    /// The median of each run's undisturbed measurements, in the same order.
    pub centers: Vec<Observation>,
    /// The undisturbed measurements of each run in order of time, runs in the same order.
    pub sequences: Vec<Vec<Observation>>,
    /// Kind of core of most measurements in the newest run.
    pub core_kind: Option<CoreKind>,
    /// Number of distinct commits.
    pub commits: u32,
    /// Commit of the newest run; empty if it is unknown.
    pub newest_commit: String,
    /// Number of commits between the newest run and the base commit; `None` if the runs are not
    /// merged ones, or the distance is unknown.
    pub commits_before_base: Option<u32>,
    /// Number of runs that a verdict needs.
    pub needed: usize,
    /// The allowed ratio to these runs, which are of the old level, while an accepted new level has
    /// too few runs of its own.
    pub accepted_ratio: Option<f64>,
    /// Whether processes of one first run are among these. They were measured within a second, so
    /// the history alone gives no red.
    pub is_provisional: bool,
    /// The beginning of the level of these runs; `None` if no change was found before them.
    pub began: Option<LevelStart>,
    /// The present tolerance: what a wider one let pass proves nothing for it.
    pub tolerance: Tolerance,
}

impl Baseline {
    /// Number of values of the newest run: enough for its shape. A longer run gets no more, so that it does not
    /// outvote the others. The number is a convention.
    const VALUES_PER_RUN: usize = 10;
    /// Fewest values of an old run. A convention: the fewest with a middle.
    const FEWEST_VALUES: usize = 3;
    /// A run this many runs further back counts half. A convention: half of the largest baseline. The source of these
    /// weights (Akinshin 2021) names no default.
    const HALF_LIFE_RUNS: f64 = 15.0;

    /// Returns an empty baseline: the test only records.
    pub fn empty(rule: &BaselineRule) -> Self {
        Self {
            runs: Arc::default(),
            centers: Vec::new(),
            sequences: Vec::new(),
            core_kind: None,
            commits: 0,
            newest_commit: String::new(),
            commits_before_base: None,
            needed: rule.needed,
            accepted_ratio: None,
            is_provisional: false,
            began: None,
            tolerance: Tolerance::default(),
        }
    }

    /// Returns the same baseline for a run that is judged by this tolerance.
    #[must_use]
    pub fn held_to(self, tolerance: Tolerance) -> Self {
        Self { tolerance, ..self }
    }

    /// Returns a baseline without runs that keeps what is accepted against these: their values are of
    /// another machine speed, and the last good build is still one of them.
    #[must_use]
    pub fn without_runs(&self) -> Self {
        Self { accepted_ratio: self.accepted_ratio, ..Self::empty(&BaselineRule::default()) }
    }

    /// Creates a baseline of these runs, oldest first. Skips runs without a measurement.
    pub(super) fn of(runs: &[&Run], rule: &BaselineRule) -> Self {
        let (mut baseline, mut with_center) = (Self::empty(rule), Vec::new());
        for run in runs {
            let clean = run.clean();
            if let Some(center) = Observation::center(&clean) {
                with_center.push((*run).clone());
                baseline.centers.push(center);
                baseline.sequences.push(clean);
                baseline.core_kind = run.core_kind().or(baseline.core_kind);
                baseline.is_provisional |= run.is_provisional();
            }
        }
        let mut commits: Vec<&str> =
            runs.iter().map(|run| run.revision.commit.as_str()).into_list();
        if let Some(commit) = commits.last() {
            baseline.newest_commit = (*commit).to_owned();
        }
        sort(&mut commits);
        commits.dedup();
        baseline.runs = with_center.into();
        baseline.commits = commits.len() as u32;
        baseline
    }

    /// Returns the same baseline with only the runs that `kept` marks.
    pub(crate) fn only(&self, kept: &[bool]) -> Self {
        fn those<T: Clone>(all: &[T], kept: &[bool]) -> Vec<T> {
            all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(it, _)| it.clone()).into_list()
        }
        Self {
            centers: those(&self.centers, kept),
            sequences: those(&self.sequences, kept),
            runs: those(&self.runs, kept).into(),
            ..self.clone()
        }
    }

    /// Returns whether this run is one of the baseline.
    pub fn has_run(&self, id: &RunId) -> bool {
        self.runs.iter().any(|run| run.id == *id)
    }

    /// Returns whether there are enough runs for a verdict.
    pub fn suffices(&self) -> bool {
        self.centers.len() >= self.needed
    }

    /// Returns the values of each run for the comparison: undisturbed measurements, evenly over
    /// their ranks, ten of the newest run and fewer of an older one, by its
    /// [weight](Self::weights).
    pub fn values(&self) -> Vec<Vec<Observation>> {
        let most = |weight: &f64| (weight * Self::VALUES_PER_RUN as f64).round() as usize;
        let weights = self.weights();
        let sequences = self.sequences.iter().zip(&weights);
        let values = |(sequence, weight): (&Vec<Observation>, &f64)| {
            spread_over(sequence, most(weight).max(Self::FEWEST_VALUES))
        };
        sequences.map(values).into_list()
    }

    /// Returns the medians of the runs as a sample; `None` without a run.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(self.centers.iter().map(|center| center.value).into_list()).ok()
    }

    /// Returns the weight of each of the [`centers`](Self::centers) in the level: 1 for the newest,
    /// half as much every fifteen runs further back.
    pub fn weights(&self) -> Vec<f64> {
        exponential_decay_weights(self.centers.len(), Self::HALF_LIFE_RUNS)
    }
}

/// Returns at most `most` of the observations, evenly over their ranks.
fn spread_over(sequence: &[Observation], most: usize) -> Vec<Observation> {
    let mut sorted = sequence.to_vec();
    sorted.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
    let taken = sorted.len().min(most);
    (0..taken).map(|place| sorted[(2 * place + 1) * sorted.len() / (2 * taken)]).into_list()
}
