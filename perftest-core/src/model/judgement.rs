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
