//! The decisions of one workload.

use super::decision::Decision;
use super::draw::{Cast, Draw};
use super::figures::Figures;
use super::tape::Slowdown;
use super::workload::Workload;
use perftest_core::judge::Policy;
use perftest_core::model::{Baseline, BaselineRule, Lineage};
use perftest_core::stats::Random;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) slowdown: f64,
    pub(crate) history_runs: usize,
    /// Most decisions a workload.
    pub(crate) decisions: usize,
    pub(crate) seed: u64,
    pub(crate) policy: Policy,
}

/// What was found about a workload.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replayed {
    pub(crate) workload: String,
    pub(crate) runs: usize,
    /// Different decisions that its runs allow.
    pub(crate) different: usize,
    pub(crate) figures: Figures,
}

impl Replayed {
    /// Runs that a workload needs.
    pub(crate) fn fewest_runs() -> usize {
        Draw::fewest_runs(&BaselineRule::default())
    }

    /// Of them, those of the history.
    pub(crate) fn needed_history() -> usize {
        BaselineRule::default().needed
    }

    /// Makes the decisions; `None` when the workload has too few runs.
    pub(crate) fn of(workload: &Workload, settings: &Settings) -> Option<Self> {
        let Settings { history_runs, decisions, seed, policy, .. } = settings;
        let rule = BaselineRule::default();
        let runs = workload.runs().len();
        let draw = Draw::new(runs, *history_runs, &rule, policy)?;
        let mut random = Random::new(*seed);
        let casts = draw.casts(*decisions, &mut random);
        let mut figures = Figures::default();
        for same_history in casts.chunk_by(|one, next| one.history == next.history) {
            let history = workload.part(&same_history[0].history);
            let baseline = rule.select(&history, workload.config(), None, &Lineage::default());
            for cast in same_history {
                figures.count(decision(workload, cast, &baseline, settings, &mut random).decide());
            }
        }
        Some(Self { workload: workload.name.clone(), runs, different: draw.size(), figures })
    }

    /// The figures of all workloads together.
    pub(crate) fn overall(all: &[Self]) -> Figures {
        let mut overall = Figures::default();
        all.iter().for_each(|replayed| overall.add(&replayed.figures));
        overall
    }
}

fn decision<'a>(
    workload: &'a Workload,
    cast: &Cast,
    baseline: &'a Baseline,
    settings: &'a Settings,
    random: &mut Random,
) -> Decision<'a> {
    let Settings { policy, slowdown, .. } = settings;
    let runs = workload.runs();
    let candidate = &runs[cast.candidate];
    let most = (policy.round * policy.rounds) as usize;
    let starts = candidate.measurements.len().saturating_sub(most) + 1;
    Decision {
        baseline,
        candidate,
        start: random.below(starts),
        witnesses: cast.witnesses.iter().map(|index| &runs[*index]).collect(),
        slowdown: Slowdown { factor: *slowdown, direction: workload.direction },
        policy,
    }
}
