//! Fresh processes that serve measurements.

use crate::PROJECTS;
use perftest_core::model::Sample;
use perftest_process::protocol::{FromParent, FromWorker};
use perftest_tests::{Invocation, TempStore, patiently};
use std::fs;

const NAME: &str = "outputs::allocated";
/// The time of a process that is not disturbed.
const MEASUREMENTS: u32 = 15;
/// Without a heap that is settled a fresh process needs 1.5 to 1.8 times as long.
const ALIKE: std::ops::Range<f64> = 0.85..1.15;

/// The middle time of an iteration in the test's own process.
fn of_own_process(binary: &impl Fn() -> Invocation) -> f64 {
    let store = TempStore::new();
    binary().args(&[NAME, "--exact"]).store(&store).run().ended_with(0);
    let now = &store.newest("allocated")["value"];
    now.as_f64().unwrap_or_else(|| panic!("{now} is no time"))
}

/// The same in a fresh one.
fn of_fresh_process(binary: &impl Fn() -> Invocation) -> f64 {
    let requests = [FromParent::Measure { count: MEASUREMENTS, iterations: None }, FromParent::Bye];
    let requests: String = requests.iter().map(FromParent::encode).collect();
    let worker = binary().args(&[NAME, "--exact", "--nocapture"]).internal("PERFTEST_WORKER", NAME);
    let answers = worker.input(requests).run().ended_with(0);
    let values: Vec<f64> = answers
        .stdout
        .lines()
        .filter_map(|line| match FromWorker::decode(line) {
            Ok(Some(FromWorker::Measured(take))) => Some(take.measurement.value),
            _ => None,
        })
        .collect();
    assert_eq!(values.len(), MEASUREMENTS as usize, "{answers}");
    Sample::median_of(&values).unwrap_or_default()
}

#[test]
fn a_fresh_process_makes_no_more_inputs_at_a_time_than_their_teardown_allows() {
    const PLACES: &str = "versus::takes_places";
    let requests = [FromParent::Measure { count: 2, iterations: Some(70) }, FromParent::Bye];
    let requests: String = requests.iter().map(FromParent::encode).collect();
    let worker = PROJECTS.binary("contended", "perf").args(&[PLACES, "--exact", "--nocapture"]);
    let answers = worker.internal("PERFTEST_WORKER", PLACES).input(requests).run().ended_with(0);
    let iterations = answers.stdout.lines().filter_map(|line| match FromWorker::decode(line) {
        Ok(Some(FromWorker::Measured(take))) => Some(take.measurement.iterations),
        _ => None,
    });
    assert_eq!(iterations.collect::<Vec<u64>>(), [64, 64], "{answers}");
}

#[test]
fn a_fresh_process_measures_of_allocating_code_what_the_tests_own_process_measures() {
    for target in ["perf", "usual"] {
        let binary = || PROJECTS.binary("contended", target);
        let ratio = patiently(
            || of_fresh_process(&binary) / of_own_process(&binary),
            |ratio| ALIKE.contains(ratio),
        );
        assert!(ALIKE.contains(&ratio), "{target}: {ratio}");
    }
}

#[test]
fn a_fresh_process_warms_up_for_the_budget_of_the_process_that_starts_it() {
    let store = TempStore::new();
    let calls = store.path().join("calls");
    let beside_measured = |budget: Option<&str>| {
        let requests = [FromParent::Measure { count: 2, iterations: None }, FromParent::Bye];
        let requests: String = requests.iter().map(FromParent::encode).collect();
        let worker =
            PROJECTS.binary("series", "perf").args(&["takes_long", "--exact", "--nocapture"]);
        let worker = worker.internal("PERFTEST_WORKER", "takes_long").env("CALLS", &calls);
        let budget = budget.map(|it| ("PERFTEST_WORKER_BUDGET", it));
        let worker = budget.into_iter().fold(worker, |it, (name, value)| it.env(name, value));
        worker.input(requests).run().ended_with(0);
        let called = fs::read_to_string(&calls).expect("it was called").lines().count();
        fs::remove_file(&calls).expect("it is there");
        called - 2
    };
    assert_eq!(beside_measured(None), 0, "its attribute allows less than a call");
    assert!(beside_measured(Some("3000000000")) > 0);
}
