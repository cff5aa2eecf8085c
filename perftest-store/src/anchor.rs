//! Finds the frozen baseline of a test.

use crate::{Query, Store, StoreError, Which, WithDamage};
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::{Acceptance, Anchor, Direction, History, Lineage, Run};

/// Returns the anchor of the runs that `query` selects: the first runs of the newest accepted level
/// with [enough runs](Anchor::suffices), or else the first runs of all. [`Anchor::accepted_ratio`] holds what was
/// accepted since.
///
/// An entry counts where the test [needed](was_needed) it. One that covers many tests would else hide a drift of those
/// that never did.
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
    let WithDamage { value: history, mut damaged } = first(None)?;
    let mut anchor = Anchor { history, accepted_ratio: 1.0 };
    let mut entries = acceptances.iter().filter(|entry| !entry.is_temporary()).peekable();
    while let Some(entry) = entries.next() {
        let loaded = first(Some(entry.id.clone()))?;
        let history = loaded.value;
        // As in a baseline, its bound holds until there are as many runs under it.
        let may_be_needed = entries.peek().is_none() && history.runs.len() < Drift::NEWEST_RUNS;
        if !may_be_needed && !was_needed(&history, &anchor, query.metric.direction) {
            continue;
        }
        if Anchor::suffices(&history) {
            (anchor, damaged) = (Anchor { history, accepted_ratio: 1.0 }, loaded.damaged);
        } else {
            anchor.accepted_ratio *= entry.max_ratio;
        }
    }
    Ok(WithDamage { value: anchor, damaged })
}

/// Returns whether the test needed the entry that its `first` runs are under: it let one of them pass, or the test had
/// drifted from its `anchor` before.
fn was_needed(first: &History, anchor: &Anchor, direction: Direction) -> bool {
    let has_drifted = || {
        let policy = Policy::recorded(first.newest_judged()?);
        let newest = History { runs: first.runs.get(..Drift::NEWEST_RUNS)?.to_vec() };
        let drift = Drift::between(anchor, &newest, &Lineage::default(), direction, &policy)?;
        Some(drift.degradation.lower > drift.limit)
    };
    first.runs.iter().any(Run::was_let_pass) || has_drifted() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;
    use crate::conformance::example_run;
    use perftest_core::model::{BenchmarkPattern, Evidence, Interval, Measurement, RunId};

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

    /// The run under this entry, and so many times as slow as the level before.
    fn under(entry: &Acceptance, ratio: f64, run: Run) -> Run {
        let degradation = Some(Interval { estimate: ratio, lower: ratio, upper: ratio });
        let evidence = Evidence { degradation, slow_processes: 0, ..run.evidence.clone().unwrap() };
        Run { acceptance: Some(entry.id.clone()), evidence: Some(evidence), ..run }
    }

    /// Thirty runs, the last `covered` of them under `entry`, which let them pass.
    fn store(entry: &Acceptance, covered: u64) -> MemoryStore {
        store_of(entry, covered, 1.1)
    }

    /// Thirty runs, the last `covered` of them under `entry` and so many times as slow as the others.
    fn store_of(entry: &Acceptance, covered: u64, ratio: f64) -> MemoryStore {
        let store = MemoryStore::new();
        for ordinal in 0..30 {
            let run = example_run(ordinal);
            let is_covered = ordinal >= 30 - covered;
            let run = if is_covered { under(entry, ratio, run) } else { run };
            store.append(&run).unwrap();
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
            let run = example_run(ordinal);
            let run = if ordinal >= 18 { under(&accepted, 1.1, run) } else { run };
            let flags =
                if (18..24).contains(&ordinal) { vec![Run::BY_RATIO.into()] } else { Vec::new() };
            store.append(&Run { flags, ..run }).unwrap();
        }
        assert_eq!(anchor(&store, &[accepted]), (ids(0..10), 1.2));
    }

    #[test]
    fn an_acceptance_that_no_run_needed_is_neither_an_anchor_nor_a_factor() {
        let accepted = entry("A", 1.2, None);
        let entries = [accepted.clone()];
        for (covered, ratio) in [(0, 1.2), (4, 1.2), (5, 1.0), (9, 1.0), (12, 1.0)] {
            let store = store_of(&accepted, covered, 1.01);
            assert_eq!(anchor(&store, &entries), (ids(0..10), ratio), "{covered}");
        }
    }

    #[test]
    fn an_acceptance_with_few_runs_that_another_one_follows_was_not_needed() {
        let (first, second) = (entry("A", 1.5, None), entry("B", 1.2, None));
        let store = store_of(&first, 3, 1.01);
        assert_eq!(anchor(&store, &[first, second]), (ids(0..10), 1.2));
    }

    /// Each of the runs is as fast as those shortly before it.
    #[test]
    fn an_accepted_drift_has_an_anchor_of_its_own() {
        let accepted = entry("A", 1.2, None);
        let store = MemoryStore::new();
        for ordinal in 0..30 {
            let measurements = vec![Measurement::of_value(100.0 + ordinal as f64); 3];
            let run = Run { measurements, suspects: Vec::new(), ..example_run(ordinal) };
            let acceptance = (ordinal >= 18).then(|| accepted.id.clone());
            store.append(&Run { acceptance, ..under(&accepted, 1.01, run) }).unwrap();
        }
        assert_eq!(anchor(&store, &[accepted]), (ids(18..28), 1.0));
    }

    #[test]
    fn an_acceptance_that_was_needed_on_another_testbed_alone_moves_no_anchor() {
        let accepted = entry("A", 1.2, None);
        let store = store_of(&accepted, 12, 1.01);
        for ordinal in 30..42 {
            let testbed = "another".to_owned();
            let run = under(&accepted, 1.1, example_run(ordinal));
            store.append(&Run { testbed, ..run }).unwrap();
        }
        assert_eq!(anchor(&store, &[accepted]), (ids(0..10), 1.0));
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
