//! Which runs to load.

use perftest_core::model::{BenchmarkId, Metric, Run};

/// Selects runs of one benchmark on one testbed, seen through one metric.
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
    /// Only runs with this mark among their flags; `None` for all.
    pub mark: Option<String>,
    /// Which of them.
    pub which: Which,
    /// Runs to load, at most: the newest, or the oldest where [`which`](Self::which) says so.
    pub limit: usize,
}

/// Which runs of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every run.
    All,
    /// Runs that may enter a baseline, however many others came after them.
    Teaching,
    /// The oldest of the runs that may enter a baseline, of which there may be any number of newer
    /// ones. Of a run that was appended twice the first copy counts.
    FirstTeaching,
}

impl Query {
    /// The newest 200 runs of all like this one: same benchmark, testbed, metric and configuration.
    pub fn like(run: &Run) -> Self {
        Self {
            benchmark: run.benchmark.clone(),
            testbed: run.testbed.clone(),
            metric: run.metric.clone(),
            config: Some(run.config.clone()),
            mark: None,
            which: Which::All,
            limit: 200,
        }
    }
}
