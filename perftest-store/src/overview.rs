//! Further data that a store has about a test.

use crate::{Listing, Series, Store, StoreError};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Metric};
use perftest_core::order::sort;

/// Returns the testbeds that have a history of one test, sorted; other tests do not matter.
///
/// # Errors
/// As for [`Store::load`].
pub fn testbeds_of(store: &dyn Store, benchmark: &BenchmarkId) -> Result<Vec<String>, StoreError> {
    let listed = store.list(Some(benchmark)).and_then(Listing::whole)?.value;
    let mut testbeds: Vec<String> = listed.into_iter().map(|series| series.testbed).into_list();
    sort(&mut testbeds);
    testbeds.dedup();
    Ok(testbeds)
}

/// Returns the other units or directions in which this history has a metric of the same name.
///
/// # Errors
/// As for [`Store::load`].
#[inline]
pub fn other_metrics(store: &dyn Store, series: &Series) -> Result<Vec<Metric>, StoreError> {
    let is_other = |it: &Metric| it.name == series.metric.name && *it != series.metric;
    let mut others = Vec::new();
    for benchmark in series.formerly.iter().chain([&series.benchmark]) {
        let newest_first = store.metrics(benchmark, &series.testbed, None)?.into_iter().rev();
        for metric in newest_first.filter(is_other) {
            if !others.contains(&metric) {
                others.push(metric);
            }
        }
    }
    Ok(others)
}
