//! The interface to a history.

use crate::{Annotation, Decisions, Listing, Query, StoreError, WithDamage};
use perftest_core::model::{BenchmarkId, History, Judgement, Metric, Model, Run, RunId};

/// A place that keeps the history of one project.
///
/// Several processes may use the same place at once. A store gets everything it needs from the
/// caller, also the time. [`load_anchor`](crate::load_anchor),
/// [`other_metrics`](crate::other_metrics) and [`testbeds_of`](crate::testbeds_of) are functions
/// over a store.
///
/// Runs come under the names by which their testbeds are read ([`Testbeds`](crate::Testbeds)), and without retired ones. Every
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

    /// Returns what is decided about the runs.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    fn decisions(&self) -> Result<WithDamage<Decisions>, StoreError>;

    /// Returns the results of rules for one test on one testbed, oldest first. Leaves out those that a
    /// [correction](Annotation::Correction) outdates.
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
