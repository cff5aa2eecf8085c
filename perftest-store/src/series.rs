//! One history of a store.

use crate::{Detail, Query, Which};
use perftest_core::model::{Acceptance, BenchmarkId, Metric};

/// The beginning of the testbed of runs that are only shown. The label of a machine has no `/`, so no machine has
/// such a testbed.
pub(crate) const SHOW_ONLY: &str = "show-only/";

/// One history: what [`Store::list`](crate::Store::list) lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Series {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// The former name, as the newest execution has it.
    pub formerly: Option<BenchmarkId>,
    /// The testbed of the runs.
    pub testbed: String,
    /// The metric of the newest execution.
    pub metric: Metric,
}

impl Series {
    /// Returns whether nobody vouches for the source of its runs.
    pub fn is_show_only(&self) -> bool {
        self.testbed.starts_with(SHOW_ONLY)
    }

    /// Returns whether an acceptance is for this history at this time, by the present name of the test or by the
    /// former one.
    pub fn is_covered_by(&self, acceptance: &Acceptance, now_ms: u64) -> bool {
        let mut names = [&self.benchmark].into_iter().chain(&self.formerly);
        names.any(|name| acceptance.covers(name, &self.testbed, now_ms))
    }

    /// Selects the newest `limit` runs of this history, whatever their configuration.
    pub fn query(&self, limit: usize) -> Query {
        Query {
            benchmark: self.benchmark.clone(),
            formerly: self.formerly.clone(),
            testbed: self.testbed.clone(),
            metric: self.metric.clone(),
            config: None,
            acceptance: None,
            started_after_ms: None,
            which: Which::All,
            limit,
            detail: Detail::Whole,
        }
    }
}
