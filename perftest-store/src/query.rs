//! Which runs to load.

use perftest_core::model::{BenchmarkId, Metric, Run};

/// Selects the newest runs of one benchmark on one testbed, seen through one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// Identity within which numbers compare: `label/fingerprint`.
    pub testbed: String,
    /// What was measured; numbers in another unit are another history.
    pub metric: Metric,
    /// Only runs of this configuration; `None` for all.
    pub config: Option<String>,
    /// Which of them.
    pub which: Which,
    /// Newest runs to load, at most.
    pub limit: usize,
}

/// Which runs of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every run.
    All,
    /// Runs that may enter a baseline, however many others came after them.
    Teaching,
}

impl Query {
    /// The newest 200 runs of all like this one: same benchmark, testbed, metric and configuration.
    pub fn like(run: &Run) -> Self {
        Self {
            benchmark: run.benchmark.clone(),
            testbed: run.testbed.clone(),
            metric: run.metric.clone(),
            config: Some(run.config.clone()),
            which: Which::All,
            limit: 200,
        }
    }
}
