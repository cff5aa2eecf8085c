//! One history of a store.

use crate::{Query, Which};
use perftest_core::model::{BenchmarkId, Metric};

/// One history: what [`Store::list`](crate::Store::list) lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Series {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// The name it had before, as its newest execution says.
    pub formerly: Option<BenchmarkId>,
    /// Where it ran.
    pub testbed: String,
    /// What was measured in its newest execution.
    pub metric: Metric,
}

impl Series {
    /// Selects the newest `limit` runs of this history, whatever their configuration.
    pub fn query(&self, limit: usize) -> Query {
        Query {
            benchmark: self.benchmark.clone(),
            formerly: self.formerly.clone(),
            testbed: self.testbed.clone(),
            metric: self.metric.clone(),
            config: None,
            acceptance: None,
            which: Which::All,
            limit,
        }
    }
}
