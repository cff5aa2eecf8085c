//! The recorded runs of the simulated test, and the builds that they were measured with.

use crate::process::SimulatedBuild;
use perftest_core::model::{Baseline, BaselineRule, CodeState, History, Lineage, Reason, Run};

pub(crate) const CONFIG: &str = "simulated";

/// Runs, oldest first, and their builds.
#[derive(Debug, Default)]
pub(crate) struct BuildHistory {
    pub(crate) history: History,
    builds: Vec<SimulatedBuild>,
}

impl BuildHistory {
    pub(crate) fn push(&mut self, run: Run, build: SimulatedBuild) {
        self.history.runs.push(run);
        self.builds.push(build);
    }

    /// What the runs of this history are compared with, by the default tolerance.
    pub(crate) fn baseline(&self) -> Baseline {
        BaselineRule::default().select(&self.history, CONFIG, None, &Lineage::default())
    }

    /// The last good build that was kept, other than `judged`.
    pub(crate) fn last_good(
        &self,
        baseline: &Baseline,
        judged: SimulatedBuild,
    ) -> Option<SimulatedBuild> {
        let code = code(judged);
        let good = baseline.good_builds(&code);
        good.filter_map(|run| self.build_of(run)).find(|build| self.is_kept(*build))
    }

    fn build_of(&self, run: &Run) -> Option<SimulatedBuild> {
        self.builds.iter().copied().find(|build| code(*build) == run.code)
    }

    /// An executable is kept after a run of it that is in the baseline and good.
    fn is_kept(&self, build: SimulatedBuild) -> bool {
        let is_good = |run: &Run| run.reason().is_some_and(Reason::is_good);
        self.history
            .runs
            .iter()
            .any(|run| run.counts_for_baseline && is_good(run) && run.code == code(build))
    }
}

/// The machine code of a build.
pub(crate) fn code(build: SimulatedBuild) -> CodeState {
    let text = format!("{:016x}", build.number);
    CodeState { executable: text.clone(), text, programs: Vec::new() }
}
