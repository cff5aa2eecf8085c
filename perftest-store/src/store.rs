//! What every place of history can do.

use crate::{Annotation, Listing, Query, StoreError, WithDamage};
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};

/// A place that keeps the history of one project.
///
/// Several processes may use the same place at once. A store is handed everything it needs: it
/// asks neither the time nor the environment. What follows from these methods is a function over them:
/// [`load_anchor`](crate::load_anchor), [`other_metrics`](crate::other_metrics),
/// [`testbeds_of`](crate::testbeds_of).
pub trait Store: Send + Sync {
    /// Records one run. Called once per run and metric, at its end.
    ///
    /// After `Ok` the run survives a crash of the process and of the machine. After an error
    /// nothing of it is visible, and appending it again is allowed: identity is `(id, metric)`.
    ///
    /// # Errors
    /// When the place cannot be written or was written in a newer major format (it is left
    /// untouched), or when a number of the run is not finite.
    fn append(&self, run: &Run) -> Result<(), StoreError>;

    /// The newest runs that match, or the oldest for [`Which::FirstTeaching`](crate::Which::FirstTeaching):
    /// oldest first, in the order they were appended.
    ///
    /// A run appended twice (same id and metric) is returned once, at the place of its last copy
    /// (of the first, where the oldest are asked for).
    /// Nothing recorded yet is an empty history, not an error. Runs under a
    /// [former name](Query::formerly) have the name that is asked for, and a place by their time:
    /// [`Query::with_former`] puts them there.
    ///
    /// # Errors
    /// When the place cannot be read, was written in a newer major format, or holds nothing but
    /// damage.
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError>;

    /// Everything there is a history of. A name that a test had before is not in the list, unless it has
    /// run again since the test has its new one. With a `benchmark` the histories under this name and
    /// no others, whatever was recorded under other names.
    ///
    /// # Errors
    /// When nothing can be listed. What cannot be read beside others is in the listing.
    fn list(&self, benchmark: Option<&BenchmarkId>) -> Result<Listing, StoreError>;

    /// The metrics that a test was recorded with on a testbed, each once, the one that was recorded last
    /// at the end; with a `run` those of this run alone. Damaged lines are passed over:
    /// [`load`](Self::load) returns them.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
    ) -> Result<Vec<Metric>, StoreError>;

    /// Keeps something beside the runs. Durable like [`append`](Self::append).
    ///
    /// # Errors
    /// As for [`append`](Self::append), and when a context's hash is not 16 lower-case hex digits.
    fn annotate(&self, annotation: Annotation<'_>) -> Result<(), StoreError>;

    /// Every acceptance that was given and not revoked, oldest first. Expired ones are among
    /// them: only the caller knows the time.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError>;

    /// What rules found in the runs of one test on one testbed, oldest first.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError>;

    /// The versions of rules, in the order in which they were kept.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError>;

    /// The context with this hash; `None` when it was never kept.
    ///
    /// # Errors
    /// When the place cannot be read, or `hash` is not 16 lower-case hex digits.
    fn context(&self, hash: &str) -> Result<Option<String>, StoreError>;
}
