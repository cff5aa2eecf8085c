//! What is decided about testbeds changes how a store is read, and no line of it.

use crate::bench::{Bench, ids};
use perftest_core::model::{Metric, Run};
use perftest_store::conformance::example_run;
use perftest_store::{
    Annotation, Query, Store, TestbedChange, TestbedDecision, Which, load_anchor, merge_stores,
    testbeds_of,
};
use std::fs;
use std::path::Path;

const ONE: &str = "ci/aaaa";
const OTHER: &str = "ci/bbbb";

fn on(testbed: &str, ordinal: u64) -> Run {
    Run { testbed: testbed.into(), ..example_run(ordinal) }
}

/// Runs of two machines in turns.
fn two_machines(name: &str) -> Bench {
    let bench = Bench::new(name);
    for ordinal in 0..12 {
        let testbed = if ordinal % 2 == 0 { ONE } else { OTHER };
        bench.store().append(&on(testbed, ordinal)).unwrap();
    }
    bench
}

fn decide(bench: &Bench, id: &str, testbed: &str, change: TestbedChange, given_ms: u64) {
    let (id, testbed) = (id.to_owned(), testbed.to_owned());
    let decision = TestbedDecision { id, testbed, change, given_ms };
    bench.store().annotate(Annotation::Testbed(&decision)).unwrap();
}

fn read_as(bench: &Bench, testbed: &str, name: &str) {
    decide(bench, "01KDVDNR000000000000000001", testbed, TestbedChange::ReadAs(name.into()), 1);
}

fn loaded(bench: &Bench, query: &Query) -> Vec<Run> {
    bench.store().load(query).unwrap().value.runs
}

/// The histories as they are written.
fn texts(bench: &Bench) -> Vec<String> {
    let below = |path: &Path| {
        let mut paths: Vec<_> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let testbeds = below(&bench.root.join("v1/codec.0/runs"));
    let files = testbeds.iter().flat_map(|testbed| below(testbed));
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn two_fingerprints_of_a_label_share_nothing_until_it_is_decided() {
    let bench = two_machines("testbeds-apart");
    for (testbed, first) in [(ONE, 0), (OTHER, 1)] {
        let runs = loaded(&bench, &Query::like(&on(testbed, 0)));
        let expected: Vec<Run> = (first..12).step_by(2).map(|it| on(testbed, it)).collect();
        assert_eq!(runs, expected);
    }
    assert_eq!(bench.store().list(None).unwrap().series.value.len(), 2);
}

#[test]
fn machines_that_share_a_history_are_read_as_one_in_the_order_of_time() {
    let bench = two_machines("testbeds-pool");
    read_as(&bench, OTHER, ONE);
    let all: Vec<Run> = (0..12).map(|it| on(ONE, it)).collect();
    for asked in [ONE, OTHER] {
        let query = Query::like(&on(asked, 0));
        assert_eq!(loaded(&bench, &query), all);
        let newest = Query { limit: 3, which: Which::CountedForBaseline, ..query.clone() };
        assert_eq!(ids(&loaded(&bench, &newest)), ids(&all[9..]));
        let anchor = load_anchor(&bench.store(), &query, &[]).unwrap().value;
        assert_eq!(ids(&anchor.history.runs), ids(&all[..10]));
    }
    let series = bench.store().list(None).unwrap().series.value;
    assert_eq!((series.len(), series[0].testbed.as_str()), (1, ONE));
    assert_eq!(testbeds_of(&bench.store(), &example_run(0).benchmark).unwrap(), [ONE]);
}

#[test]
fn a_pool_has_the_metrics_of_all_its_machines() {
    let bench = two_machines("testbeds-metrics");
    let allocations = Run { metric: Metric::allocations(), ..on(OTHER, 20) };
    bench.store().append(&allocations).unwrap();
    read_as(&bench, OTHER, ONE);
    let metrics = bench.store().metrics(&allocations.benchmark, ONE, None).unwrap();
    assert_eq!(metrics.len(), 2);
    let of_run = bench.store().metrics(&allocations.benchmark, OTHER, Some(&allocations.id));
    assert_eq!(of_run.unwrap(), [Metric::allocations()]);
}

#[test]
fn a_series_at_another_speed_is_shared_at_that_speed() {
    let bench = two_machines("testbeds-speed");
    let slow = |testbed: &str| format!("{testbed}@3.1GHz-10.2us");
    bench.store().append(&on(&slow(OTHER), 30)).unwrap();
    bench.store().append(&on(&slow(ONE), 31)).unwrap();
    read_as(&bench, OTHER, ONE);
    let runs = loaded(&bench, &Query::like(&on(&slow(ONE), 0)));
    assert_eq!(runs, [on(&slow(ONE), 30), on(&slow(ONE), 31)]);
    assert_eq!(loaded(&bench, &Query::like(&on(ONE, 0))).len(), 12);
}

#[test]
fn what_a_retired_testbed_recorded_is_read_nowhere_until_it_is_taken_back() {
    let bench = two_machines("testbeds-retired");
    let before = texts(&bench);
    let (id, until_ms) = ("01KDVDNR000000000000000009", example_run(12).started_ms);
    decide(&bench, id, OTHER, TestbedChange::Retired, until_ms);
    let query = Query::like(&on(OTHER, 0));
    for which in [Which::All, Which::CountedForBaseline, Which::FirstCountedForBaseline] {
        assert_eq!(loaded(&bench, &Query { which, ..query.clone() }), []);
    }
    assert_eq!(testbeds_of(&bench.store(), &example_run(0).benchmark).unwrap(), [ONE]);
    // A machine that runs again begins a new history.
    bench.store().append(&on(OTHER, 40)).unwrap();
    let first = Query { which: Which::FirstCountedForBaseline, ..query.clone() };
    assert_eq!(loaded(&bench, &first), [on(OTHER, 40)]);
    bench.store().annotate(Annotation::Revocation { of: id, at_ms: until_ms }).unwrap();
    assert_eq!(loaded(&bench, &query).len(), 7);
    // No line was changed.
    assert!(before.iter().zip(texts(&bench)).all(|(before, after)| after.starts_with(before)));
}

#[test]
fn decisions_hold_in_a_store_that_they_were_merged_into() {
    let (one, other) = (two_machines("testbeds-here"), Bench::new("testbeds-there"));
    read_as(&one, OTHER, ONE);
    merge_stores(&other.root, std::slice::from_ref(&one.root)).unwrap();
    assert_eq!(loaded(&other, &Query::like(&on(OTHER, 0))).len(), 12);
    assert_eq!(other.store().decisions().unwrap().value.testbeds.name_of(OTHER), ONE);
}
