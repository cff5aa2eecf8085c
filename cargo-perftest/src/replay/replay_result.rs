//! The decisions of one workload.

use super::decision::Decision;
use super::draw::Draw;
use super::playback::InjectedSlowdown;
use super::replay_counts::ReplayCounts;
use super::workload::Workload;
use perftest_core::judge::Policy;
use perftest_core::model::{BaselineRule, Lineage, Run};
use perftest_core::stats::Random;

/// The settings of a replay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReplaySettings {
    pub(crate) slowdown: f64,
    pub(crate) history_runs: usize,
    /// Most decisions for each workload.
    pub(crate) decisions: usize,
    pub(crate) seed: u64,
}

/// The results of a workload.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReplayResult {
    pub(crate) workload: String,
    pub(crate) runs: usize,
    /// Number of different decisions that its runs allow.
    pub(crate) different: usize,
    pub(crate) figures: ReplayCounts,
}

impl ReplayResult {
    /// Fewest runs of a workload.
    pub(crate) fn fewest_runs() -> usize {
        Draw::fewest_runs(&BaselineRule::default())
    }

    /// Number of those runs for the history.
    pub(crate) fn needed_history() -> usize {
        BaselineRule::default().needed
    }

    /// Makes the decisions with this policy; `None` if the workload has too few runs.
    pub(crate) fn of(
        workload: &Workload,
        policy: &Policy,
        settings: &ReplaySettings,
    ) -> Option<Self> {
        let ReplaySettings { slowdown, history_runs, decisions, seed } = settings;
        let slowdown = InjectedSlowdown { factor: *slowdown, direction: workload.metric.direction };
        let rule = BaselineRule::default();
        let runs = workload.runs();
        let draw = Draw::new(runs.len(), *history_runs, &rule, policy)?;
        let mut random = Random::new(*seed);
        let casts = draw.casts(*decisions, &mut random);
        let mut figures = ReplayCounts::default();
        for same_history in casts.chunk_by(|one, next| one.history == next.history) {
            let history = workload.part(&same_history[0].history);
            let baseline = rule.select(&history, workload.config(), None, &Lineage::default());
            for cast in same_history {
                let candidate = &runs[cast.candidate];
                let decision = Decision {
                    baseline: &baseline,
                    candidate,
                    start: start(candidate, policy, &mut random),
                    confirming_runs: cast
                        .confirming_runs
                        .iter()
                        .map(|index| &runs[*index])
                        .collect(),
                    slowdown,
                    policy,
                };
                figures.count(decision.decide());
            }
        }
        let (workload, runs) = (workload.name.clone(), runs.len());
        Some(Self { workload, runs, different: draw.size(), figures })
    }

    /// Adds up the figures of all workloads.
    pub(crate) fn overall(all: &[Self]) -> ReplayCounts {
        let mut overall = ReplayCounts::default();
        all.iter().for_each(|replayed| overall.add(&replayed.figures));
        overall
    }
}

/// Returns a start in the candidate that leaves enough measurements for a whole trial.
fn start(candidate: &Run, policy: &Policy, random: &mut Random) -> usize {
    let most = (policy.round * policy.rounds) as usize;
    random.below(candidate.measurements.len().saturating_sub(most) + 1)
}
