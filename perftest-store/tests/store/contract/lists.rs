//! Lists of what a store has.

use super::answers::{accepted_ids, append, listed, load};
use super::{ContractCheck, renamed};
use perftest_core::model::{BenchmarkId, Direction, Metric, Run, RunId};
use perftest_store::conformance::example_run;
use perftest_store::{Query, Series, Store, testbeds_of};

pub(super) const CHECKS: &[ContractCheck] = &[
    an_empty_store_is_no_error,
    the_series_of_a_store_are_listed,
    each_metric_of_imported_runs_is_listed_whichever_run_has_it,
    the_metrics_of_a_run_are_found_whatever_ran_after_it,
    the_metrics_of_a_test_are_found_whichever_run_has_them,
    the_testbeds_of_a_test_are_listed,
    a_former_name_is_listed_until_the_new_one_has_run,
    a_former_name_that_runs_again_is_listed_again,
];

/// An empty store gives an empty answer.
fn an_empty_store_is_no_error(store: &dyn Store) {
    assert_eq!(load(store, &Query::like(&example_run(0))), []);
    assert_eq!(accepted_ids(store), [""; 0]);
    assert_eq!(listed(store, None), []);
    assert_eq!(listed(store, Some(&example_run(0).benchmark)), []);
    assert!(store.models().is_ok_and(|models| models.value.is_empty()));
    assert!(store.context("00112233445566ff").is_ok_and(|context| context.is_none()));
}

/// Every benchmark and testbed is listed, with the metrics of its newest execution.
fn the_series_of_a_store_are_listed(store: &dyn Store) {
    let metric = |name: &str| Metric { name: name.into(), ..Metric::wall() };
    append(store, &Run { metric: metric("given up"), ..example_run(1) });
    append(store, &Run { metric: metric("wall"), ..example_run(2) });
    // A further metric was measured in fresh processes, too.
    for (ordinal, mark) in [(4, Run::CONFIRMING), (5, Run::PROVISIONAL)] {
        let flags = vec![mark.to_owned()];
        append(
            store,
            &Run { metric: metric("cpu"), evidence: None, flags, ..example_run(ordinal) },
        );
    }
    append(store, &Run { metric: metric("cpu"), ..example_run(2) });
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(3) });
    let series = |testbed: &str, name: &str| Series {
        benchmark: example_run(0).benchmark,
        formerly: None,
        testbed: testbed.into(),
        metric: metric(name),
    };
    let local = &example_run(0).testbed;
    let expected = [series("ci/000000", "wall"), series(local, "cpu"), series(local, "wall")];
    assert_eq!(listed(store, None), expected);
    assert_eq!(listed(store, Some(&example_run(0).benchmark)), expected);
    assert_eq!(listed(store, Some(&BenchmarkId::from_recorded("other"))), []);
}

/// Imported files of one benchmark have some metrics each.
fn each_metric_of_imported_runs_is_listed_whichever_run_has_it(store: &dyn Store) {
    let metric = |name: &str| Metric { name: name.into(), ..Metric::wall() };
    let imported = |ordinal: u64, name: &str| Run {
        flags: vec![Run::IMPORTED.into()],
        metric: metric(name),
        ..example_run(ordinal)
    };
    let names = || listed(store, None).into_iter().map(|it| it.metric.name).collect::<Vec<_>>();
    append(store, &Run { metric: metric("given up"), ..example_run(0) });
    (1..60).for_each(|ordinal| append(store, &imported(ordinal, "times")));
    append(store, &imported(60, "sizes"));
    assert_eq!(names(), ["given up", "sizes", "times"]);
    // In another unit it is another history, and the newest one is listed.
    let in_mb = Metric { unit: "MB".into(), ..metric("sizes") };
    append(store, &Run { metric: in_mb.clone(), ..imported(61, "sizes") });
    assert!(listed(store, None).iter().any(|series| series.metric == in_mb));
    assert_eq!(names(), ["given up", "sizes", "times"]);
    // A test that runs after the imports, on the same testbed, takes their place.
    append(store, &Run { metric: metric("wall"), ..example_run(62) });
    append(store, &Run { metric: metric("cpu"), ..example_run(62) });
    assert_eq!(names(), ["cpu", "wall"]);
    append(store, &Run { metric: metric("wall"), ..example_run(63) });
    assert_eq!(names(), ["wall"]);
}

/// The metrics of a run are found, also if a newer run has fewer, and if another process has
/// written between them.
fn the_metrics_of_a_run_are_found_whatever_ran_after_it(store: &dyn Store) {
    let metric = |name: &str| Metric { name: name.into(), ..Metric::wall() };
    append(store, &Run { metric: metric("bytes_out"), ..example_run(0) });
    append(store, &example_run(1));
    append(store, &example_run(2));
    append(store, &Run { metric: metric("bytes_out"), ..example_run(1) });
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(1) });
    append(store, &example_run(3));
    let Run { id, benchmark, testbed, .. } = example_run(1);
    let metrics = |benchmark: &BenchmarkId, testbed: &str, id: &RunId| {
        let metrics = store.metrics(benchmark, testbed, Some(id));
        metrics.unwrap_or_else(|error| panic!("they are found: {error}"))
    };
    assert_eq!(metrics(&benchmark, &testbed, &id), [metric("wall"), metric("bytes_out")]);
    assert_eq!(metrics(&benchmark, &testbed, &example_run(3).id), [metric("wall")]);
    assert_eq!(metrics(&benchmark, &testbed, &example_run(9).id), []);
    assert_eq!(metrics(&BenchmarkId::from_recorded("other"), &testbed, &id), []);
}

/// All metrics of a test are found, in every unit and direction.
fn the_metrics_of_a_test_are_found_whichever_run_has_them(store: &dyn Store) {
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    let more = Metric { direction: Direction::Higher, ..Metric::wall() };
    for (ordinal, metric) in [&in_us, &Metric::wall(), &more, &Metric::wall()].iter().enumerate() {
        append(store, &Run { metric: (*metric).clone(), ..example_run(ordinal as u64) });
    }
    append(store, &Run { testbed: "ci/000000".into(), metric: in_us.clone(), ..example_run(9) });
    let Run { benchmark, testbed, .. } = example_run(0);
    let metrics = store.metrics(&benchmark, &testbed, None);
    let metrics = metrics.unwrap_or_else(|error| panic!("they are found: {error}"));
    assert_eq!(metrics, [in_us, more, Metric::wall()]);
}

/// Each testbed with a history of the test is listed once, and no other.
fn the_testbeds_of_a_test_are_listed(store: &dyn Store) {
    let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    append(store, &Run { testbed: "other/000000".into(), benchmark, ..example_run(0) });
    append(store, &example_run(1));
    append(store, &example_run(2));
    append(store, &Run { testbed: "ci/000000".into(), ..example_run(3) });
    let testbeds = testbeds_of(store, &example_run(0).benchmark);
    let testbeds = testbeds.unwrap_or_else(|error| panic!("they are listed: {error}"));
    assert_eq!(testbeds, ["ci/000000".to_owned(), example_run(0).testbed]);
}

/// Two names of one test are listed as one.
fn a_former_name_is_listed_until_the_new_one_has_run(store: &dyn Store) {
    let old = example_run(1).benchmark;
    append(store, &example_run(1));
    assert_eq!(listed_names(store), [(old.clone(), None)]);
    append(store, &renamed());
    assert_eq!(listed_names(store), [(renamed().benchmark, Some(old.clone()))]);
    let asked_for: Vec<_> = listed(store, Some(&old)).into_iter().map(|it| it.benchmark).collect();
    assert_eq!(asked_for, [old], "who asks for it by its name gets it");
}

/// A former name that runs again is listed, whether or not the test still declares it.
fn a_former_name_that_runs_again_is_listed_again(store: &dyn Store) {
    let (old, new) = (example_run(1).benchmark, renamed().benchmark);
    append(store, &example_run(1));
    append(store, &renamed());
    append(store, &example_run(5));
    assert_eq!(listed_names(store), [(old.clone(), None), (new.clone(), Some(old.clone()))]);
    append(store, &Run { formerly: Some(new.clone()), ..example_run(6) });
    assert_eq!(listed_names(store), [(old, Some(new))]);
}

fn listed_names(store: &dyn Store) -> Vec<(BenchmarkId, Option<BenchmarkId>)> {
    listed(store, None).into_iter().map(|it| (it.benchmark, it.formerly)).collect()
}
