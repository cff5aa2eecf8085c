//! The runs in which the baseline is searched.

use perftest_core::list::IntoList;
use perftest_core::model::{BaselineRule, History, Lineage};
use perftest_store::{Query, Store, StoreError, WithDamage};

/// Loads this many times as many runs where too few of the newest are of this code ..
const WIDER: usize = 4;
/// .. and at most this many times: those of a thousand builds of branches.
const WIDEST: usize = 16;

/// Loads the newest runs that count. Where other branches have so many that they hide the merged ones, loads further
/// ones: else the test would learn anew. Runs on one's own branch are enough, as reading more takes time in every
/// session.
///
/// # Errors
/// Those of the store.
pub(super) fn load_counted_runs(
    store: &dyn Store,
    query: &Query,
    lineage: &Lineage,
) -> Result<WithDamage<History>, StoreError> {
    let has_enough = |history: &History| {
        let own = history.runs.iter().count_where(|run| !lineage.is_foreign(&run.revision));
        own >= BaselineRule::default().needed
    };
    let newest = store.load(query)?;
    let (mut loaded, mut limit) = (newest.value.runs.len(), query.limit);
    let may_be_hidden = lineage.knows_default_branch() && !has_enough(&newest.value);
    while may_be_hidden && loaded >= limit && limit < WIDEST * query.limit {
        limit *= WIDER;
        let wider = store.load(&Query { limit, ..query.clone() })?;
        if has_enough(&wider.value) {
            return Ok(wider);
        }
        loaded = wider.value.runs.len();
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Revision, Run};
    use perftest_store::conformance::example_run;
    use perftest_store::{MemoryStore, Which};

    /// Loads the runs after five of the default branch and this many of another one.
    fn loaded_behind(runs_of_branch: u64, lineage: &Lineage) -> usize {
        let store = MemoryStore::default();
        for ordinal in 0..5 + runs_of_branch {
            let branch = if ordinal < 5 { "main" } else { "topic" };
            let revision = Revision {
                commit: format!("c{ordinal}"),
                branch: branch.into(),
                order: 1 + ordinal,
                ..Revision::default()
            };
            store.append(&Run { revision, ..example_run(ordinal) }).unwrap();
        }
        let which = Which::CountedForBaseline;
        let query = Query { which, limit: 10, ..Query::like(&example_run(0)) };
        load_counted_runs(&store, &query, lineage).unwrap().value.runs.len()
    }

    #[test]
    fn merged_runs_are_found_behind_many_of_a_branch() {
        let lineage = Lineage::after_all_of("main");
        assert_eq!(loaded_behind(4, &lineage), 9);
        assert_eq!(loaded_behind(5, &lineage), 10);
        assert_eq!(loaded_behind(30, &lineage), 35);
        assert_eq!(loaded_behind(150, &lineage), 155);
    }

    #[test]
    fn on_its_own_branch_the_newest_runs_are_enough() {
        let present =
            Revision { branch: "topic".into(), commit: "c99".into(), ..Revision::default() };
        assert_eq!(loaded_behind(30, &Lineage::new(&present, "main", &[])), 10);
    }

    #[test]
    fn without_merged_runs_to_find_the_newest_are_enough() {
        assert_eq!(loaded_behind(30, &Lineage::default()), 10, "no default branch is known");
        assert_eq!(loaded_behind(30, &Lineage::after_all_of("trunk")), 10, "it has no runs");
        assert_eq!(loaded_behind(200, &Lineage::after_all_of("main")), 10, "too far behind");
    }
}
