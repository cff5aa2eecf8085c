//! Stored data of a rule: its versions, and their results for runs.

use super::{BenchmarkId, Limits, RuleResult, RunId};

/// The result of a rule's version for a run. It stays when the rule changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The run.
    pub run: RunId,
    /// Its perf test.
    pub benchmark: BenchmarkId,
    /// The testbed.
    pub testbed: String,
    /// The name of the metric.
    pub metric: String,
    /// Name of the threshold.
    pub threshold: String,
    /// [`Model::version`] of its rule.
    pub model: String,
    /// The run's value.
    pub value: f64,
    /// The limits of the value, if the rule has limits.
    pub limits: Option<Limits>,
    /// The result.
    pub finding: RuleResult,
    /// The time, milliseconds since the Unix epoch.
    pub judged_ms: u64,
}

/// A run whose recorded values were replaced by others, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The run.
    pub run: RunId,
    /// Its perf test.
    pub benchmark: BenchmarkId,
    /// The testbed.
    pub testbed: String,
    /// The name of the metric.
    pub metric: String,
    /// The time, milliseconds since the Unix epoch.
    pub corrected_ms: u64,
}

impl Correction {
    /// Returns whether a judgement of the same history was made by the values before: it is of the run, or of one that
    /// began later and was compared with it.
    #[inline]
    pub fn outdates(&self, judgement: &Judgement) -> bool {
        judgement.metric == self.metric
            && judgement.judged_ms <= self.corrected_ms
            && RunId::time_in(judgement.run.as_str()) >= RunId::time_in(self.run.as_str())
    }
}

/// A version of the rule of a threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Name of the threshold.
    pub threshold: String,
    /// Digest of the text.
    pub version: String,
    /// The rule in one line.
    pub rule: String,
    /// The time of its first result, milliseconds since the Unix epoch.
    pub since_ms: u64,
}
