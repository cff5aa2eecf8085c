//! The interface to a history.

use crate::{Annotation, Listing, Query, StoreError, Testbeds, WithDamage};
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};
use std::sync::Arc;

/// A place that keeps the history of one project.
///
/// Several processes may use the same place at once. A store gets everything it needs from the
/// caller, also the time. [`load_anchor`](crate::load_anchor),
/// [`other_metrics`](crate::other_metrics) and [`testbeds_of`](crate::testbeds_of) are functions
/// over a store.
///
/// Runs come under the names by which their testbeds are read ([`Testbeds`]), and without retired ones. Every
/// method takes the names of testbeds as they were recorded, too.
pub trait Store: Send + Sync {
    /// Records one run. The caller calls this once for each run and metric, at its end.
    ///
    /// After `Ok` the run survives a crash of the process and of the machine. After an error no
    /// part of it is visible, and the caller may append it again: its identity is `(id, metric)`.
    ///
    /// # Errors
    /// When the place cannot be written or was written in a newer major format (it is left
    /// untouched), or when a number of the run is not finite.
    fn append(&self, run: &Run) -> Result<(), StoreError>;

    /// Loads the newest runs that match, or the oldest for
    /// [`Which::FirstCountedForBaseline`](crate::Which::FirstCountedForBaseline). Returns them oldest first, in the
    /// order of appending.
    ///
    /// A run appended twice (same id and metric) is returned once, at the place of its last copy
    /// (of the first, if the query wants the oldest runs). An empty store has an empty history, not
    /// an error. Runs under a [former name](Query::formerly) get the queried name, and a place by
    /// their time: [`Query::with_former`] puts them there.
    ///
    /// # Errors
    /// When the place cannot be read, was written in a newer major format, or has only damaged
    /// lines.
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError>;

    /// Announces queries that are loaded soon, about in this order. A store far away answers many
    /// of them at once; others do nothing.
    fn announce(&self, _queries: &[Query]) {}

    /// Lists all histories. Omits a former name of a test, unless it has newer runs than the new
    /// name. With a `benchmark`, lists only the histories under exactly this name.
    ///
    /// # Errors
    /// When nothing can be listed. Errors of single histories are in the listing.
    fn list(&self, benchmark: Option<&BenchmarkId>) -> Result<Listing, StoreError>;

    /// Returns the metrics that a test was recorded with on a testbed, each once, the newest last.
    /// With a `run`, only those of this run. Skips damaged lines: [`load`](Self::load) returns
    /// them.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
    ) -> Result<Vec<Metric>, StoreError>;

    /// Stores data beside the runs. Durable like [`append`](Self::append).
    ///
    /// # Errors
    /// As for [`append`](Self::append), and when a context's hash is not 16 lower-case hex digits.
    fn annotate(&self, annotation: Annotation<'_>) -> Result<(), StoreError>;

    /// Returns every acceptance that was not revoked, oldest first. Expired ones are included: only
    /// the caller knows the time.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError>;

    /// Returns how the testbeds are read: the names in every answer of the store. Damaged lines of decisions are
    /// left out: [`acceptances`](Self::acceptances) returns them.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError>;

    /// Returns the results of rules for one test on one testbed, oldest first.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError>;

    /// Returns the versions of rules, in the order of writing.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError>;

    /// Returns the context with this hash; `None` if it was never stored.
    ///
    /// # Errors
    /// When the place cannot be read, or `hash` is not 16 lower-case hex digits.
    fn context(&self, hash: &str) -> Result<Option<String>, StoreError>;
}
