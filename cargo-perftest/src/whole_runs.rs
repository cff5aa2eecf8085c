//! The newest runs, each with its fresh processes.

use perftest_core::model::{History, Run};
use perftest_store::{Query, Store, StoreError, WithDamage};

/// Factor by which more runs are loaded if too few were those that are asked for.
pub(crate) const FURTHER: usize = 4;

/// Returns a query that in most histories loads all that [`load_whole_runs`] needs: one run more tells where the
/// others begin.
pub(crate) fn first_look(query: Query) -> Query {
    Query { limit: query.limit.saturating_add(1), ..query }
}

/// Loads the newest runs, oldest first: as many as the limit of `query`, to which fresh processes do not count.
///
/// # Errors
/// As for [`Store::load`].
pub(crate) fn load_whole_runs(
    store: &dyn Store,
    query: Query,
) -> Result<WithDamage<History>, StoreError> {
    let wanted = query.limit;
    let mut query = first_look(query);
    loop {
        let mut loaded = store.load(&query)?;
        let has_older = drop_older(&mut loaded.value.runs, wanted);
        if has_older || loaded.value.runs.len() < query.limit {
            return Ok(loaded);
        }
        query.limit = query.limit.saturating_mul(FURTHER);
    }
}

/// Drops all but so many of the newest runs, to which fresh processes do not count. Returns whether there were more.
pub(crate) fn drop_older(runs: &mut Vec<Run>, wanted: usize) -> bool {
    // Fresh processes are recorded before the run that they belong to.
    let whole = runs.iter().enumerate().rev().filter(|(_, run)| !run.is_fresh_process());
    let older = whole.map(|(place, _)| place).nth(wanted);
    older.map(|older| runs.drain(..=older)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::MemoryStore;
    use perftest_store::conformance::example_run;

    /// Six runs with three fresh processes before each.
    fn store() -> MemoryStore {
        let store = MemoryStore::default();
        for number in 0..24 {
            let fresh = Some(Run::CONFIRMING.to_owned()).filter(|_| number % 4 < 3);
            let run = Run { flags: fresh.into_iter().collect(), ..example_run(number) };
            store.append(&run).unwrap();
        }
        store
    }

    #[test]
    fn fresh_processes_come_with_their_run_and_do_not_count() {
        for wanted in 1..=7 {
            let query = Query { limit: wanted, ..Query::like(&example_run(0)) };
            let runs = load_whole_runs(&store(), query).unwrap().value.runs;
            assert_eq!(runs.len(), 4 * wanted.min(6), "{wanted}");
            assert_eq!(Run::count(&runs), wanted.min(6), "{wanted}");
        }
    }
}
