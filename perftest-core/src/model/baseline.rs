//! What a run is compared with.

use super::{BaselineRule, CoreKind, LevelStart, Observation, Run, RunId, Sample};
use crate::list::IntoList;
use crate::order::sort;
use crate::stats::exponential_decay_weights;

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
    /// Commits between the newest run and the commit compared with; `None` where the runs are not
    /// merged ones, or the distance is not known.
    pub commits_before_base: Option<u32>,
    /// Runs a verdict needs.
    pub needed: usize,
    /// Set while an accepted new level has too few runs of its own: the allowed ratio to the
    /// runs here, which are of the old level.
    pub accepted_ratio: Option<f64>,
    /// Processes of one first run are among these: they were measured within a second, so the history
    /// alone gives no red.
    pub is_provisional: bool,
    /// Where the level of these runs began; `None` where no change was found before them.
    pub began: Option<LevelStart>,
}

impl Baseline {
    /// Values the newest run is compared by: enough for its shape, and no run may outvote the
    /// others by having been measured longer.
    const VALUES_PER_RUN: usize = 10;
    /// Values an old run brings at least.
    const FEWEST_VALUES: usize = 3;
    /// So many runs further back, a run counts half.
    const HALF_LIFE_RUNS: f64 = 15.0;

    /// No run at all: the test only learns.
    pub fn empty(rule: &BaselineRule) -> Self {
        Self {
            centers: Vec::new(),
            sequences: Vec::new(),
            core_kind: None,
            ids: Vec::new(),
            commits: 0,
            newest_commit: String::new(),
            commits_before_base: None,
            needed: rule.needed,
            accepted_ratio: None,
            is_provisional: false,
            began: None,
        }
    }

    /// A baseline of these runs, oldest first. A run without a measurement has nothing to say.
    pub(super) fn of(runs: &[&Run], rule: &BaselineRule) -> Self {
        let mut baseline = Self::empty(rule);
        for run in runs {
            let clean = run.clean();
            if let Some(center) = Observation::center(&clean) {
                baseline.ids.push(run.id.clone());
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
        baseline.commits = commits.len() as u32;
        baseline
    }

    /// The same baseline with those runs only whose place in `kept` says so.
    pub(crate) fn only(&self, kept: &[bool]) -> Self {
        fn those<T: Clone>(all: &[T], kept: &[bool]) -> Vec<T> {
            all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(it, _)| it.clone()).into_list()
        }
        Self {
            centers: those(&self.centers, kept),
            sequences: those(&self.sequences, kept),
            ids: those(&self.ids, kept),
            ..self.clone()
        }
    }

    /// Whether there is enough to compare with.
    pub fn suffices(&self) -> bool {
        self.centers.len() >= self.needed
    }

    /// What each run is compared by: clean measurements, evenly over their ranks, ten of the newest
    /// run and of older ones the fewer the less they [count](Self::weights).
    pub fn values(&self) -> Vec<Vec<Observation>> {
        let most = |weight: &f64| (weight * Self::VALUES_PER_RUN as f64).round() as usize;
        let weights = self.weights();
        let sequences = self.sequences.iter().zip(&weights);
        let values = |(sequence, weight): (&Vec<Observation>, &f64)| {
            spread_over(sequence, most(weight).max(Self::FEWEST_VALUES))
        };
        sequences.map(values).into_list()
    }

    /// The values of the runs' centers as a sample; `None` without a run.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(self.centers.iter().map(|center| center.value).into_list()).ok()
    }

    /// How much each of the [`centers`](Self::centers) counts for the level: 1 for the newest,
    /// half as much every fifteen runs further back.
    pub fn weights(&self) -> Vec<f64> {
        exponential_decay_weights(self.centers.len(), Self::HALF_LIFE_RUNS)
    }
}

/// At most so many of the observations, evenly over their ranks.
fn spread_over(sequence: &[Observation], most: usize) -> Vec<Observation> {
    let mut sorted = sequence.to_vec();
    sorted.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
    let taken = sorted.len().min(most);
    (0..taken).map(|place| sorted[(2 * place + 1) * sorted.len() / (2 * taken)]).into_list()
}
