//! The runs in which the baseline is searched.

use perftest_core::model::{BaselineRule, History, Lineage};
use perftest_store::{Query, Store, StoreError, WithDamage};

/// Loads this many times as many runs where too few of the newest can be compared with ..
const WIDER: usize = 4;
/// .. and at most this many times: those of a thousand builds of branches.
const WIDEST: usize = 16;

/// Loads the newest runs that count. Where other branches have so many that they hide the merged ones, loads further
/// ones: else the test would learn anew. Good runs on one's own branch are enough, as reading more takes time in every
/// session. One's own reds are not: without the merged runs the next red would have no baseline.
///
/// # Errors
/// Those of the store.
pub(super) fn load_counted_runs(
    store: &dyn Store,
    query: &Query,
    lineage: &Lineage,
) -> Result<WithDamage<History>, StoreError> {
    let has_enough =
        |history: &History| BaselineRule::default().has_enough_among(&history.runs, lineage);
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
    use crate::harness::recorded_test::ended;
    use perftest_core::model::{Ancestor, Evidence, Reason, Revision, Run};
    use perftest_store::conformance::example_run;
    use perftest_store::{MemoryStore, Which};

    /// Loads the runs after five of the default branch and this many of another one, each changed so.
    fn loaded_behind_changed(
        runs_of_branch: u64,
        lineage: &Lineage,
        change: &dyn Fn(Run) -> Run,
    ) -> usize {
        let store = MemoryStore::default();
        for ordinal in 0..5 + runs_of_branch {
            let is_of_main = ordinal < 5;
            let revision = Revision {
                commit: format!("c{ordinal}"),
                branch: if is_of_main { "main" } else { "topic" }.into(),
                order: 1 + ordinal,
                ..Revision::default()
            };
            let run = Run { revision, ..example_run(ordinal) };
            let run = with_slow_processes(run, 0);
            store.append(&if is_of_main { run } else { change(run) }).unwrap();
        }
        let which = Which::CountedForBaseline;
        let query = Query { which, limit: 10, ..Query::like(&example_run(0)) };
        load_counted_runs(&store, &query, lineage).unwrap().value.runs.len()
    }

    fn loaded_behind(runs_of_branch: u64, lineage: &Lineage) -> usize {
        loaded_behind_changed(runs_of_branch, lineage, &|run| run)
    }

    fn with_slow_processes(run: Run, slow_processes: u32) -> Run {
        let evidence = run.evidence.map(|it| Evidence { slow_processes, ..it });
        Run { evidence, ..run }
    }

    /// Seen from the branch `topic`, which began behind the runs of the default branch.
    fn on_topic() -> Lineage {
        let present = Revision {
            branch: "topic".into(),
            commit: "c99".into(),
            base: "c4".into(),
            ..Revision::default()
        };
        Lineage::new(&present, "main", &[Ancestor { commit: "c4".into(), time_s: 5 }])
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
        assert_eq!(loaded_behind(30, &on_topic()), 10);
    }

    #[test]
    fn merged_runs_are_found_behind_own_ones_that_are_no_level() {
        let loaded = |change: &dyn Fn(Run) -> Run| loaded_behind_changed(30, &on_topic(), change);
        assert_eq!(loaded(&|run| ended(run, Reason::Red)), 35);
        assert_eq!(loaded(&|run| with_slow_processes(run, 1)), 35, "slow only at first");
        let provisional = |run| Run { flags: vec![Run::PROVISIONAL.to_owned()], ..run };
        assert_eq!(loaded(&provisional), 35, "processes of a first run");
    }

    #[test]
    fn without_merged_runs_to_find_the_newest_are_enough() {
        assert_eq!(loaded_behind(30, &Lineage::default()), 10, "no default branch is known");
        assert_eq!(loaded_behind(30, &Lineage::after_all_of("trunk")), 10, "it has no runs");
        assert_eq!(loaded_behind(200, &Lineage::after_all_of("main")), 10, "too far behind");
    }
}
