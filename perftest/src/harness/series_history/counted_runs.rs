//! The runs in which the baseline is searched.

use perftest_core::model::{Acceptance, Baseline, BaselineRule, History, Lineage, Run};
use perftest_store::{Query, Store, StoreError, WithDamage};

/// Loads this many times as many runs where too few of the newest can be compared with ..
const WIDER: usize = 4;
/// .. and at most this many times: `gc` keeps so many.
const WIDEST: usize = BaselineRule::SEARCHED_RUNS / BaselineRule::LOADED_RUNS;

/// By what the counted runs are compared.
pub(super) struct ComparisonBasis<'a> {
    pub config: &'a str,
    /// The newest acceptance that covers the test.
    pub acceptance: Option<&'a Acceptance>,
    pub lineage: &'a Lineage,
    /// Whether a run is of an attempt that is continued, and so not part of the baseline.
    pub is_continued: &'a dyn Fn(&Run) -> bool,
}

impl ComparisonBasis<'_> {
    fn load(
        &self,
        store: &dyn Store,
        query: &Query,
    ) -> Result<(WithDamage<History>, bool), StoreError> {
        let mut loaded = store.load(query)?;
        let may_have_more = loaded.value.runs.len() >= query.limit;
        loaded.value.runs.retain(|run| !(self.is_continued)(run));
        Ok((loaded, may_have_more))
    }

    fn has_enough_in(&self, history: &History) -> bool {
        let Self { config, acceptance, lineage, .. } = self;
        BaselineRule::default().has_enough_in(history, config, *acceptance, lineage)
    }

    pub(super) fn baseline(&self, history: &History) -> Baseline {
        let Self { config, acceptance, lineage, .. } = self;
        BaselineRule::default().select(history, config, *acceptance, lineage)
    }
}

/// Loads the newest runs that count and can be compared with. Where other branches have so many that they hide the
/// merged ones, loads further ones: else the test would learn anew. Good runs on one's own branch are enough, as reading
/// more takes time in every session. One's own reds are not: without the merged runs the next red would have no
/// baseline. What is only just enough for one, such as the processes of a first run, is taken where there is nothing
/// better.
///
/// # Errors
/// Those of the store.
pub(super) fn load_counted_runs(
    store: &dyn Store,
    query: &Query,
    comparison: &ComparisonBasis<'_>,
) -> Result<WithDamage<History>, StoreError> {
    let (mut loaded, mut may_have_more) = comparison.load(store, query)?;
    if !comparison.lineage.knows_default_branch() || comparison.has_enough_in(&loaded.value) {
        return Ok(loaded);
    }
    let mut limit = query.limit;
    while may_have_more && limit < WIDEST * query.limit {
        limit *= WIDER;
        let wider;
        (wider, may_have_more) = comparison.load(store, &Query { limit, ..query.clone() })?;
        if comparison.has_enough_in(&wider.value) {
            return Ok(wider);
        }
        if comparison.baseline(&wider.value).suffices() {
            loaded = wider;
        }
    }
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::recorded_test::{NoSink, RecordedTest, ended};
    use crate::harness::series_history::SeriesHistory;
    use perftest_core::model::{Ancestor, Evidence, Reason, Revision};
    use perftest_store::conformance::example_run;
    use perftest_store::{MemoryStore, Which};

    /// The history of five runs of the default branch and then this many of another one, each changed so.
    fn recorded(
        hidden: &dyn Fn(u64, Run) -> Run,
        runs_of_branch: u64,
        change: &dyn Fn(Run) -> Run,
    ) -> MemoryStore {
        let store = MemoryStore::default();
        for ordinal in 0..5 + runs_of_branch {
            let is_hidden = ordinal < 5;
            let revision = Revision {
                commit: format!("c{ordinal}"),
                branch: if is_hidden { "main" } else { "topic" }.into(),
                order: 1 + ordinal,
                ..Revision::default()
            };
            let run = with_slow_processes(Run { revision, ..example_run(ordinal) }, 0);
            let run = if is_hidden { hidden(ordinal, run) } else { change(run) };
            store.append(&run).unwrap();
        }
        store
    }

    fn loaded(
        store: &MemoryStore,
        lineage: &Lineage,
        is_continued: &dyn Fn(&Run) -> bool,
    ) -> usize {
        let example = example_run(0);
        let which = Which::CountedForBaseline;
        let query = Query { which, limit: 10, ..Query::like(&example) };
        let (config, acceptance) = (example.config.as_str(), None);
        let comparison = ComparisonBasis { config, acceptance, lineage, is_continued };
        load_counted_runs(store, &query, &comparison).unwrap().value.runs.len()
    }

    fn loaded_behind(runs_of_branch: u64, lineage: &Lineage) -> usize {
        loaded(&recorded(&|_, run| run, runs_of_branch, &|run| run), lineage, &|_| false)
    }

    fn of_branch(branch: &str, mut run: Run) -> Run {
        run.revision.branch = branch.to_owned();
        run
    }

    fn provisional(run: Run) -> Run {
        Run { flags: vec![Run::PROVISIONAL.to_owned()], ..run }
    }

    fn with_slow_processes(run: Run, slow_processes: u32) -> Run {
        let evidence = run.evidence.map(|it| Evidence { slow_processes, ..it });
        Run { evidence, ..run }
    }

    fn slow_throughout(run: Run) -> Run {
        let run = with_slow_processes(ended(run, Reason::Unclear), 4);
        let evidence = run.evidence.map(|it| Evidence { processes: 4, ..it });
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
        let behind = |change: &dyn Fn(Run) -> Run| {
            loaded(&recorded(&|_, run| run, 30, change), &on_topic(), &|_| false)
        };
        assert_eq!(behind(&|run| ended(run, Reason::Red)), 35);
        assert_eq!(behind(&|run| with_slow_processes(run, 1)), 35, "slow only at first");
        assert_eq!(behind(&provisional), 35, "processes of a first run");
    }

    #[test]
    fn hidden_runs_that_are_only_just_enough_are_better_than_none() {
        let hidden = |hidden: &dyn Fn(u64, Run) -> Run, change: &dyn Fn(Run) -> Run| {
            loaded(&recorded(hidden, 30, change), &on_topic(), &|_| false)
        };
        let first_run = |ordinal, run| if ordinal == 0 { run } else { provisional(run) };
        assert_eq!(hidden(&first_run, &|run| ended(run, Reason::Red)), 35, "merged");
        let of_others = |run| of_branch("other", run);
        let own = |ordinal, run| of_branch("topic", first_run(ordinal, run));
        assert_eq!(hidden(&own, &of_others), 35, "one's own");
        let one_slow = |ordinal, run| {
            let run = of_branch("topic", run);
            if ordinal < 4 { run } else { slow_throughout(run) }
        };
        assert_eq!(hidden(&one_slow, &of_others), 35, "four calm ones");
    }

    #[test]
    fn runs_of_an_attempt_that_is_continued_are_not_enough_and_not_loaded() {
        let five_good =
            |run: Run| if run.revision.order > 30 { run } else { ended(run, Reason::Red) };
        let store = recorded(&|_, run| run, 30, &five_good);
        assert_eq!(loaded(&store, &on_topic(), &|_| false), 10);
        assert_eq!(loaded(&store, &on_topic(), &|run| run.revision.order == 35), 34);
    }

    #[test]
    fn a_retry_is_not_compared_with_the_attempt_that_it_continues() {
        let mut recorded = RecordedTest::new("retry-without-its-attempt");
        let code = recorded.session(1).code(&recorded.test).clone();
        (0..5).for_each(|_| recorded.append("", 4.0, |run| run));
        recorded.append("", 4.0, |run| Run { session: "now".into(), code: code.clone(), ..run });
        let compared = |attempt| {
            let session = recorded.session(attempt);
            let known = SeriesHistory::load(&session, &recorded.test, &mut NoSink).unwrap();
            [known.baseline.runs.len(), known.earlier.len()]
        };
        assert_eq!([compared(1), compared(2)], [[6, 0], [5, 1]]);
    }

    #[test]
    fn without_merged_runs_to_find_the_newest_are_enough() {
        assert_eq!(loaded_behind(30, &Lineage::default()), 10, "no default branch is known");
        assert_eq!(loaded_behind(30, &Lineage::after_all_of("trunk")), 10, "it has no runs");
        assert_eq!(loaded_behind(200, &Lineage::after_all_of("main")), 10, "too far behind");
    }
}
