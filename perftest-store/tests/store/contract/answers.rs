//! Answers of a store without an error and without damage.

use perftest_core::model::{BenchmarkId, Run, RunId};
use perftest_store::{Annotation, Decisions, Listing, Query, Series, Store, WithDamage};

pub(super) fn append(store: &dyn Store, run: &Run) {
    store.append(run).unwrap_or_else(|error| panic!("a run is appended: {error}"));
}

pub(super) fn load(store: &dyn Store, query: &Query) -> Vec<Run> {
    let loaded = store.load(query).unwrap_or_else(|error| panic!("a history is loaded: {error}"));
    assert_eq!(loaded.damaged, [], "nothing was damaged");
    loaded.value.runs
}

pub(super) fn loaded_ids(store: &dyn Store, query: &Query) -> Vec<RunId> {
    load(store, query).into_iter().map(|run| run.id).collect()
}

pub(super) fn annotate(store: &dyn Store, annotation: Annotation<'_>) {
    store.annotate(annotation).unwrap_or_else(|error| panic!("{annotation:?} is kept: {error}"));
}

/// Lists the series of this name, or all.
pub(super) fn listed(store: &dyn Store, benchmark: Option<&BenchmarkId>) -> Vec<Series> {
    let whole = store.list(benchmark).and_then(Listing::whole);
    let WithDamage { value, damaged } =
        whole.unwrap_or_else(|error| panic!("histories are listed: {error}"));
    assert_eq!(damaged, [], "nothing was damaged");
    value
}

pub(super) fn decisions(store: &dyn Store) -> Decisions {
    let loaded = store.decisions().unwrap_or_else(|error| panic!("decisions: {error}"));
    assert_eq!(loaded.damaged, [], "nothing was damaged");
    loaded.value
}

pub(super) fn accepted_ids(store: &dyn Store) -> Vec<String> {
    decisions(store).acceptances.into_iter().map(|entry| entry.id).collect()
}
