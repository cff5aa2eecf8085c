//! Finds the frozen baseline of a test.

use crate::{Query, Store, StoreError, Which, WithDamage};
use perftest_core::model::{Acceptance, Anchor, History, Run};

/// Returns the anchor of the runs that `query` selects: the first runs of the newest accepted level
/// with [enough runs](Anchor::suffices), or else the first runs of all. [`Anchor::accepted_ratio`] holds what was
/// accepted since.
///
/// An entry that begins no level is neither an anchor nor a factor: its runs continue the level
/// before. One that covers many tests would else hide a drift of those that never needed it.
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
    // Runs under newer entries that began no level.
    let mut newer = Vec::new();
    for entry in acceptances.iter().rev().filter(|entry| !entry.is_temporary()) {
        let WithDamage { value: mut history, damaged } = first(Some(entry.id.clone()))?;
        let begins_level = begins_level(entry, &history);
        history.runs.append(&mut newer);
        if !begins_level {
            newer = history.runs;
            continue;
        }
        history.runs.truncate(Anchor::RUNS);
        if Anchor::suffices(&history) {
            return Ok(WithDamage { value: Anchor { history, accepted_ratio }, damaged });
        }
        accepted_ratio *= entry.max_ratio;
    }
    let WithDamage { value: history, damaged } = first(None)?;
    Ok(WithDamage { value: Anchor { history, accepted_ratio }, damaged })
}

/// Returns whether the entry, which the `first` runs are under, begins a level of the test: it names the test, or it
/// let one of these runs pass. Whoever names a test may have accepted its drift, which no single run shows.
fn begins_level(entry: &Acceptance, first: &History) -> bool {
    !entry.benchmark.is_of_several() || first.runs.iter().any(Run::was_let_pass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;
    use crate::conformance::example_run;
    use perftest_core::model::{BenchmarkPattern, Evidence, Interval, RunId};

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

    fn naming_the_test(id: &str, max_ratio: f64) -> Acceptance {
        let benchmark = BenchmarkPattern::from(&example_run(0).benchmark);
        Acceptance { benchmark, ..entry(id, max_ratio, None) }
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
    fn an_acceptance_of_several_tests_that_no_run_needed_is_neither_an_anchor_nor_a_factor() {
        let accepted = entry("A", 1.2, None);
        for covered in [0, 4, 9, 12] {
            let store = store_of(&accepted, covered, 1.01);
            assert_eq!(
                anchor(&store, std::slice::from_ref(&accepted)),
                (ids(0..10), 1.0),
                "{covered}"
            );
        }
    }

    /// Each of the runs is as fast as those shortly before it, as in a drift.
    #[test]
    fn an_acceptance_that_names_the_test_is_an_anchor_though_it_let_no_run_pass() {
        let accepted = naming_the_test("A", 1.2);
        let of =
            |covered| anchor(&store_of(&accepted, covered, 1.0), std::slice::from_ref(&accepted));
        assert_eq!([0, 5, 9].map(of), [(); 3].map(|()| (ids(0..10), 1.2)));
        assert_eq!(of(12), (ids(18..28), 1.0));
    }

    #[test]
    fn runs_under_acceptances_that_were_not_needed_continue_the_level_before() {
        let [first, second, third] = ["A", "B", "C"].map(|id| entry(id, 1.2, None));
        let entries = [first.clone(), second.clone(), third.clone()];
        let store_with = |last| {
            let store = MemoryStore::new();
            for ordinal in 0..last {
                let run = example_run(ordinal);
                store
                    .append(&match ordinal {
                        0..10 => run,
                        10..16 => under(&first, 1.1, run),
                        16..18 => under(&second, 1.0, run),
                        _ => under(&third, 1.0, run),
                    })
                    .unwrap();
            }
            store
        };
        assert_eq!(anchor(&store_with(19), &entries), (ids(0..10), 1.2));
        assert_eq!(anchor(&store_with(30), &entries), (ids(10..20), 1.0));
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
        let (first, second) = (entry("A", 1.2, None), naming_the_test("B", 1.5));
        let entries = [first.clone(), second];
        assert_eq!(anchor(&store(&first, 12), &entries), (ids(18..28), 1.5));
    }

    #[test]
    fn a_temporary_acceptance_moves_no_anchor() {
        let temporary = entry("A", 1.2, Some(9));
        assert_eq!(anchor(&store(&temporary, 20), &[temporary]), (ids(0..10), 1.0));
    }
}
