//! What every place of history can do.

use crate::{Digest, Query, StoreError, Which, WithDamage};
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};

/// A place that keeps the history of one project.
///
/// Several processes may use the same place at once. A store is handed everything it needs: it
/// asks neither the time nor the environment.
pub trait Store: Send + Sync {
    /// The newest runs that match, or the oldest for [`Which::FirstTeaching`]: oldest first, in the
    /// order they were appended.
    ///
    /// A run appended twice (same id and metric) is returned once, at the place of its last copy
    /// (of the first, where the oldest are asked for).
    /// Nothing recorded yet is an empty history, not an error. Runs under a
    /// [former name](Query::formerly) have the name that is asked for, and a place by their time.
    ///
    /// # Errors
    /// When the place cannot be read, was written in a newer major format, or holds nothing but
    /// damage.
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError>;

    /// Records one run. Called once per run and metric, at its end.
    ///
    /// After `Ok` the run survives a crash of the process and of the machine. After an error
    /// nothing of it is visible, and appending it again is allowed: identity is `(id, metric)`.
    ///
    /// # Errors
    /// When the place cannot be written or was written in a newer major format (it is left
    /// untouched), or when a number of the run is not finite.
    fn append(&self, run: &Run) -> Result<(), StoreError>;

    /// Every acceptance that was given and not revoked, oldest first. Expired ones are among
    /// them: only the caller knows the time.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError>;

    /// Records an acceptance. Durable like [`append`](Self::append).
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    fn accept(&self, acceptance: &Acceptance) -> Result<(), StoreError>;

    /// Takes the acceptance with this id back, from now on: what was written stays written.
    /// An id that was never given changes nothing.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    fn revoke(&self, acceptance_id: &str, at_ms: u64) -> Result<(), StoreError>;

    /// What rules said of the runs of one test on one testbed, oldest first.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError>;

    /// Records what rules said. Durable like [`append`](Self::append); those of one test on one testbed
    /// that stand side by side are written at once, all or none of them.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    fn keep_judgements(&self, judgements: &[Judgement]) -> Result<(), StoreError>;

    /// The versions of rules, in the order in which they were kept.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError>;

    /// Records a version of a rule. Durable like [`append`](Self::append).
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    fn keep_model(&self, model: &Model) -> Result<(), StoreError>;

    /// Keeps the context that runs refer to by [`Run::context`], unless it is kept already.
    ///
    /// # Errors
    /// When the place cannot be written, or `hash` is not 16 lower-case hex digits.
    fn put_context(&self, hash: &str, json: &str) -> Result<(), StoreError>;

    /// The context with this hash; `None` when it was never put.
    ///
    /// # Errors
    /// When the place cannot be read, or `hash` is not 16 lower-case hex digits.
    fn context(&self, hash: &str) -> Result<Option<String>, StoreError>;

    /// Everything there is a history of, sorted by benchmark, testbed and metric. A name that a test
    /// had before is not among them, unless it has run again since the test has its new one.
    ///
    /// # Errors
    /// When the place cannot be read or was written in a newer major format.
    fn series(&self) -> Result<WithDamage<Vec<Series>>, StoreError>;

    /// The metrics that one run of a test was recorded with, whatever other tests have recorded.
    /// Damaged lines are skipped; [loading](Self::load) the history reports them.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn metrics_of(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: &RunId,
    ) -> Result<Vec<Metric>, StoreError>;

    /// The testbeds that have a history of one test, sorted, whatever other tests have recorded.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn testbeds_of(&self, benchmark: &BenchmarkId) -> Result<Vec<String>, StoreError>;
}

/// One history: what [`Store::series`] lists.
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
            mark: None,
            which: Which::All,
            limit,
        }
    }
}

/// A context's hash is part of a file name, so it is nothing but a hash.
pub(crate) fn check_context_hash(hash: &str) -> Result<(), StoreError> {
    if Digest::is_hex16(hash) {
        return Ok(());
    }
    let why = format!("`{hash}` is no context: that is 16 lower-case hex digits");
    Err(StoreError::Invalid { why })
}
