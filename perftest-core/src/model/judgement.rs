//! What is kept of a rule: its versions, and what each said of a run.

use super::{BenchmarkId, Limits, RuleResult, RunId};

/// What a version of a rule said of a run. It stands, whatever becomes of the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The run.
    pub run: RunId,
    /// Its perf test.
    pub benchmark: BenchmarkId,
    /// Where it ran.
    pub testbed: String,
    /// What was measured.
    pub metric: String,
    /// Name of the threshold.
    pub threshold: String,
    /// [`Model::version`] of its rule.
    pub model: String,
    /// The run's value.
    pub value: f64,
    /// Where it should have stayed, as far as the rule has limits.
    pub limits: Option<Limits>,
    /// What was said.
    pub finding: RuleResult,
    /// When, milliseconds since the Unix epoch.
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
    /// When it judged for the first time, milliseconds since the Unix epoch.
    pub since_ms: u64,
}
