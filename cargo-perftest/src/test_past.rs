//! What is in the history of tests that are about to run.

use crate::compare::SideTest;
use crate::history_directory;
use crate::run_plan::TestPast;
use crate::testbed::Testbed;
use perftest_core::model::{BenchmarkId, Reason, Run};
use perftest_store::{JsonlStore, Series, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs to look through for the newest verdict: fresh processes have none.
const LOOK_BACK: usize = 20;

/// The past of each test that has runs. Where no history can be read, no test has any: the order of the
/// tests is no reason to fail.
pub(crate) fn test_pasts(
    tests: &[SideTest],
    directory: &Path,
    store: Option<&Path>,
) -> BTreeMap<BenchmarkId, TestPast> {
    let Ok(place) = history_directory::find(store.map(PathBuf::from)) else {
        return BTreeMap::new();
    };
    let store = JsonlStore::open(&place.root, &place.project_of(directory));
    let testbed = Testbed::of_this_machine().name();
    let past = |test: &SideTest| {
        let benchmark = &test.listed.benchmark;
        Some((benchmark.clone(), past_of(benchmark, &testbed, &store)?))
    };
    tests.iter().filter_map(past).collect()
}

fn past_of(benchmark: &BenchmarkId, testbed: &str, store: &JsonlStore) -> Option<TestPast> {
    let all = store.list(Some(benchmark)).ok()?.series.value;
    // The same machine at another speed is behind an `@`.
    let is_here = |series: &&Series| series.testbed.split('@').next() == Some(testbed);
    let here: Vec<&Series> = all.iter().filter(is_here).collect();
    let is_known = !here.is_empty();
    let series = if is_known { here } else { all.iter().collect() };
    let mut past = TestPast { is_settled: is_known, spent: None };
    for series in series {
        let history = store.load(&series.query(LOOK_BACK)).ok()?.value;
        let newest = history.newest_judged();
        // The whole has a mark of its stages.
        let is_cleared = newest.is_some_and(Run::clears_code_of_all_series);
        past.is_settled &= is_cleared
            && newest.and_then(|run| run.evidence.as_ref()).is_some_and(|evidence| {
                matches!(evidence.reason, Reason::Green | Reason::Improved | Reason::SameCode)
            });
        let spent = newest.map(|run| Duration::from_nanos(run.spent_ns));
        past.spent = past.spent.max(spent.filter(|it| !it.is_zero()));
    }
    Some(past)
}
