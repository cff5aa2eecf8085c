//! Tests that have not run for long: nobody records that a test was deleted.

use perftest_core::model::BenchmarkId;
use std::collections::BTreeMap;

/// A test without a run in this time before the newest run of all has not run for long.
const LONG_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Returns the tests whose newest run is 30 days older than that of all, sorted. Each history comes with the time of its
/// newest run.
pub(crate) fn idle_tests<'a>(
    newest_runs: impl IntoIterator<Item = (&'a BenchmarkId, u64)>,
) -> Vec<&'a BenchmarkId> {
    let mut newest = BTreeMap::<&BenchmarkId, u64>::new();
    for (test, started_ms) in newest_runs {
        let of_test = newest.entry(test).or_default();
        *of_test = started_ms.max(*of_test);
    }
    let newest_of_all = newest.values().copied().max().unwrap_or_default();
    let is_idle = |started_ms: u64| started_ms.saturating_add(LONG_MS) < newest_of_all;
    newest.into_iter().filter(|(_, it)| is_idle(*it)).map(|(test, _)| test).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_idle_where_no_history_of_it_has_a_run_of_the_last_thirty_days_of_all() {
        let [kept, moved, deleted] = ["kept", "moved", "deleted"].map(BenchmarkId::from_recorded);
        let day = |day: u64| day * LONG_MS / 30;
        let newest = [(&kept, day(40)), (&moved, day(1)), (&moved, day(10)), (&deleted, day(9))];
        assert_eq!(idle_tests(newest), [&deleted]);
        assert_eq!(idle_tests([(&deleted, day(9))]), [] as [&BenchmarkId; 0]);
        assert_eq!(idle_tests([]), [] as [&BenchmarkId; 0]);
    }
}
