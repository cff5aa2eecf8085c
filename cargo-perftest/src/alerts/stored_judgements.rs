//! Stored results of rules.

use crate::exit::Result;
use crate::record_reader::RecordReader;
use perftest_core::model::{Judgement, RuleResult, RunId};
use perftest_store::Series;
use std::collections::HashMap;

/// The stored results of one history.
#[derive(Debug, Default)]
pub(super) struct StoredJudgements {
    judgements: Vec<Judgement>,
}

impl StoredJudgements {
    /// Loads the results under the present and the former name.
    pub(super) fn of(series: &Series, records: &RecordReader<'_>) -> Result<Self> {
        let mut judgements = Vec::new();
        for name in series.formerly.iter().chain([&series.benchmark]) {
            judgements.extend(records.readable(records.store.judgements(name, &series.testbed)?));
        }
        judgements.retain(|it| it.metric == series.metric.name);
        Ok(Self { judgements })
    }

    /// Returns the results of a threshold for each run; the first one counts.
    pub(super) fn findings(&self, threshold: &str) -> HashMap<RunId, RuleResult> {
        let mut findings = HashMap::new();
        for judgement in self.judgements.iter().filter(|it| it.threshold == threshold) {
            let finding = || judgement.finding.clone();
            findings.entry(judgement.run.clone()).or_insert_with(finding);
        }
        findings
    }

    /// Returns the version of the threshold that judged a run.
    pub(super) fn version(&self, threshold: &str, run: &RunId) -> Option<&str> {
        let mut of_run = self.judgements.iter().filter(|it| it.run == *run);
        of_run.find(|it| it.threshold == threshold).map(|it| it.model.as_str())
    }
}
