//! Finds the frozen baseline of a test.

use crate::{Query, Store, StoreError, Which, WithDamage};
use perftest_core::model::{Acceptance, Anchor};

/// Returns the anchor of the runs that `query` selects: the first runs of the newest accepted level
/// with [enough runs](Anchor::suffices), or else the first runs of all. [`Anchor::accepted_ratio`] holds what was
/// accepted since.
///
/// `acceptances` are the entries that cover the test, oldest first. Temporary ones have no effect
/// here, because they begin no level. Of the query only benchmark, testbed, metric and
/// configuration count.
///
/// # Errors
/// As for [`Store::load`].
pub fn load_anchor(
    store: &dyn Store,
    query: &Query,
    acceptances: &[Acceptance],
) -> Result<WithDamage<Anchor>, StoreError> {
    let first = |acceptance| {
        let (which, limit) = (Which::FirstCountedForBaseline, Anchor::RUNS);
        store.load(&Query { acceptance, which, limit, ..query.clone() })
    };
    let mut accepted_ratio = 1.0;
    for entry in acceptances.iter().rev().filter(|entry| !entry.is_temporary()) {
        let WithDamage { value: history, damaged } = first(Some(entry.id.clone()))?;
        if Anchor::suffices(&history) {
            return Ok(WithDamage { value: Anchor { history, accepted_ratio }, damaged });
        }
        accepted_ratio *= entry.max_ratio;
    }
    let WithDamage { value: history, damaged } = first(None)?;
    Ok(WithDamage { value: Anchor { history, accepted_ratio }, damaged })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;
    use crate::conformance::example_run;
    use perftest_core::model::{BenchmarkPattern, Run, RunId};

    fn entry(id: &str, max_ratio: f64, until_ms: Option<u64>) -> Acceptance {
        Acceptance {
            id: id.into(),
            benchmark: BenchmarkPattern::new("codec::*"),
            testbed: String::new(),
            max_ratio,
            reason: "checksums".into(),
            given_ms: 1,
            until_ms,
        }
    }

    /// Thirty runs, the last `covered` of them under `entry`.
    fn store(entry: &Acceptance, covered: u64) -> MemoryStore {
        let store = MemoryStore::new();
        for ordinal in 0..30 {
            let acceptance = (ordinal >= 30 - covered).then(|| entry.id.clone());
            store.append(&Run { acceptance, ..example_run(ordinal) }).unwrap();
        }
        store
    }

    fn anchor(store: &MemoryStore, entries: &[Acceptance]) -> (Vec<RunId>, f64) {
        let query = Query::like(&example_run(0));
        let Anchor { history, accepted_ratio } = load_anchor(store, &query, entries).unwrap().value;
        (history.runs.into_iter().map(|run| run.id).collect(), accepted_ratio)
    }

    fn ids(ordinals: std::ops::Range<u64>) -> Vec<RunId> {
        ordinals.map(|ordinal| example_run(ordinal).id).collect()
    }

    #[test]
    fn without_an_acceptance_the_first_runs_of_all_are_the_anchor() {
        assert_eq!(anchor(&store(&entry("A", 1.2, None), 0), &[]), (ids(0..10), 1.0));
    }

    #[test]
    fn an_accepted_level_has_an_anchor_of_its_own_once_it_has_the_runs() {
        let accepted = entry("A", 1.2, None);
        let entries = [accepted.clone()];
        assert_eq!(anchor(&store(&accepted, 12), &entries), (ids(18..28), 1.0));
        assert_eq!(anchor(&store(&accepted, 9), &entries), (ids(0..10), 1.2));
    }

    #[test]
    fn a_level_that_began_with_runs_by_ratio_has_no_anchor_of_its_own() {
        let accepted = entry("A", 1.2, None);
        let store = MemoryStore::new();
        for ordinal in 0..30 {
            let acceptance = (ordinal >= 18).then(|| accepted.id.clone());
            let flags =
                if (18..24).contains(&ordinal) { vec![Run::BY_RATIO.into()] } else { Vec::new() };
            store.append(&Run { acceptance, flags, ..example_run(ordinal) }).unwrap();
        }
        assert_eq!(anchor(&store, &[accepted]), (ids(0..10), 1.2));
    }

    #[test]
    fn of_several_acceptances_the_newest_with_enough_runs_counts() {
        let (first, second) = (entry("A", 1.2, None), entry("B", 1.5, None));
        let entries = [first.clone(), second];
        assert_eq!(anchor(&store(&first, 12), &entries), (ids(18..28), 1.5));
    }

    #[test]
    fn a_temporary_acceptance_moves_no_anchor() {
        let temporary = entry("A", 1.2, Some(9));
        assert_eq!(anchor(&store(&temporary, 20), &[temporary]), (ids(0..10), 1.0));
    }
}
