//! What rules said of runs on earlier days.

use crate::desk::{Desk, told_of_damage};
use crate::exit::Failure;
use perftest_core::model::{Finding, Judgement, RunId};
use perftest_store::Series;
use std::collections::HashMap;

/// The kept findings of one history.
#[derive(Debug, Default)]
pub(super) struct Kept {
    judgements: Vec<Judgement>,
}

impl Kept {
    /// Those under its present name and the one it had before.
    pub(super) fn of(series: &Series, desk: &Desk<'_>) -> Result<Self, Failure> {
        let mut judgements = Vec::new();
        for name in series.formerly.iter().chain([&series.benchmark]) {
            judgements.extend(told_of_damage(desk.store.judgements(name, &series.testbed)?));
        }
        judgements.retain(|it| it.metric == series.metric.name);
        Ok(Self { judgements })
    }

    /// What a threshold said of each run; what was said first stands.
    pub(super) fn findings(&self, threshold: &str) -> HashMap<RunId, Finding> {
        let mut findings = HashMap::new();
        for judgement in self.judgements.iter().filter(|it| it.threshold == threshold) {
            let finding = || judgement.finding.clone();
            findings.entry(judgement.run.clone()).or_insert_with(finding);
        }
        findings
    }

    /// The version of the threshold that judged a run.
    pub(super) fn version(&self, threshold: &str, run: &RunId) -> Option<&str> {
        let mut of_run = self.judgements.iter().filter(|it| it.run == *run);
        of_run.find(|it| it.threshold == threshold).map(|it| it.model.as_str())
    }
}
