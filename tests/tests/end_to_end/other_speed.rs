//! A history that says it was recorded at another speed than the machine runs at now.

use crate::{PROJECTS, grows, learn};
use perftest_tests::{Outcome, TempStore};
use serde_json::{Value, json};

/// A quarter faster than this machine.
pub(crate) const FASTER: f64 = 1.25;
/// Half as fast: a neighbour on the same core, who takes some of the throughput, does not make
/// up for that.
const SLOWER: f64 = 0.5;
/// Runs after which the machine was in the mood for what is waited for. They must find it at one
/// speed several times in a row, which a neighbour that comes and goes puts off.
const ENOUGH: usize = 60;
/// What is remarked when another series begins.
pub(crate) const BEGINS: &str = "a series of its own begins";

/// A history of `grows` as a machine so many times as fast would have recorded it.
pub(crate) fn recorded_at(speed: f64) -> TempStore {
    let store = TempStore::new();
    learn("grows", grows, &store);
    store.rewrite("grows", |record| pretend_speed(record, speed));
    store
}

/// The record as a machine so many times as fast would have left it.
pub(crate) fn pretend_speed(record: &mut Value, speed: f64) {
    scale(record, &["ghz", "eff0", "eff1"], speed);
    scale(record, &["ref", "refk0", "refk1"], 1.0 / speed);
}

fn scale(record: &mut Value, keys: &[&str], factor: f64) {
    for key in keys {
        match record.get_mut(*key) {
            Some(Value::Array(list)) => list.iter_mut().for_each(|it| scale_number(it, factor)),
            Some(number) => scale_number(number, factor),
            None => {}
        }
    }
}

/// What was a whole number stays one.
fn scale_number(value: &mut Value, factor: f64) {
    if let Some(whole) = value.as_u64() {
        *value = json!((whole as f64 * factor).round() as u64);
    } else if let Some(number) = value.as_f64() {
        *value = json!(number * factor);
    }
}

fn run(store: &TempStore) -> Outcome {
    grows().store(store).run().ended_with(0)
}

/// The first of further runs that is such.
#[track_caller]
fn until(store: &TempStore, is_such: impl Fn(&Outcome) -> bool) -> Outcome {
    let mut last = run(store);
    for _ in 1..ENOUGH {
        if is_such(&last) {
            return last;
        }
        last = run(store);
    }
    panic!("not so in {ENOUGH} runs, the last of which was\n{last}");
}

fn line_has(outcome: &Outcome, part: &str) -> bool {
    outcome.line_of("grows").contains(part)
}

/// The newest record of all series; a fresh process of a confirmation is none of its own.
#[track_caller]
fn newest(store: &TempStore) -> Value {
    let mut records = store.records_of_all_series("grows");
    records.retain(|record| !record["verdict"].is_null());
    let newest = records.into_iter().max_by_key(|record| record["id"].as_str().map(str::to_owned));
    newest.expect("something was recorded")
}

fn is_of_other_speed(record: &Value) -> bool {
    record["testbed"].as_str().is_some_and(|testbed| testbed.contains('@'))
}

/// The records of the machine's own series that name its other speed.
fn marked(store: &TempStore) -> usize {
    let records = store.records_of_all_series("grows");
    records.iter().filter(|it| it["noisy"].to_string().contains("slow-machine")).count()
}

/// Three runs, before a fourth could begin a series: no verdict in any. One look that was
/// interrupted can take a faster machine for a slower one.
#[track_caller]
fn assert_no_verdict_and_no_lesson(speed: f64, tag: &str) {
    let store = recorded_at(speed);
    let mut tagged = 0;
    for _ in 0..3 {
        let stopped = run(&store);
        assert!(line_has(&stopped, "no verdict"), "{stopped}");
        let stopped = stopped.warns(&["!! This machine runs at", "PERFTEST_EPOCH=new"]);
        assert!(!stopped.stderr.contains("? GHz"), "both clocks are known: {stopped}");
        let record = newest(&store);
        assert_eq!(record["teach"], false, "{record}");
        assert_eq!(record["verdict"], "untrusted", "{record}");
        let has_tag =
            |list: &str| record[list].as_array().is_some_and(|it| it.contains(&json!(tag)));
        tagged += u32::from(has_tag("noisy") && has_tag("distrusted"));
    }
    assert!(tagged > 0, "none of three runs is {tag}: {}", newest(&store));
}

#[test]
fn a_machine_slower_than_its_history_gives_no_verdict_and_teaches_nothing() {
    let _alone = PROJECTS.alone();
    assert_no_verdict_and_no_lesson(FASTER, "slow-machine");
}

#[test]
fn a_machine_faster_than_its_history_gives_no_verdict_and_teaches_nothing() {
    let _alone = PROJECTS.alone();
    assert_no_verdict_and_no_lesson(SLOWER, "fast-machine");
}

/// From its first run on a series learns as any other, and later runs find it.
#[track_caller]
fn assert_series_learns(begun: Outcome, store: &TempStore) {
    assert!(is_of_other_speed(&newest(store)), "{begun}");
    // A first run that was disturbed from start to end is recorded and does not count.
    let is_counted = |outcome: &Outcome| line_has(outcome, "recorded ");
    let first = if is_counted(&begun) { begun } else { until(store, is_counted) };
    assert!(line_has(&first, "recorded 1 of 5"), "{first}");
    let second = until(store, |outcome| line_has(outcome, "recorded 2 of 5"));
    let record = newest(store);
    assert!(is_of_other_speed(&record), "{second}");
    let records = store.records_of_all_series("grows");
    let beside = records.iter().filter(|it| it["testbed"] == record["testbed"]);
    assert!(beside.filter(|it| it["teach"] == true).count() >= 2, "{second}");
}

#[test]
fn three_runs_at_another_speed_and_the_next_begins_a_series_of_its_own() {
    let _alone = PROJECTS.alone();
    let store = recorded_at(FASTER);
    let begun = until(&store, |outcome| outcome.stderr.contains(BEGINS));
    assert!(marked(&store) >= 3, "only {} runs before {begun}", marked(&store));
    assert_series_learns(begun, &store);
}

#[test]
fn a_new_epoch_begins_its_series_at_once() {
    let _alone = PROJECTS.alone();
    let store = recorded_at(FASTER);
    let begun = grows().store(&store).env("PERFTEST_EPOCH", "new").run().ended_with(0);
    let begun = begun.warns(&[BEGINS]);
    assert_eq!(marked(&store), 0, "{begun}");
    assert_series_learns(begun, &store);
}

#[test]
fn a_new_epoch_of_a_test_without_history_begins_no_series_beside_its_own() {
    let store = TempStore::new();
    let begun = grows().store(&store).env("PERFTEST_EPOCH", "new").run().ended_with(0);
    assert!(!begun.stderr.contains(BEGINS), "{begun}");
    assert!(!is_of_other_speed(&newest(&store)), "{begun}");
}

#[test]
fn three_runs_at_different_speeds_begin_no_series() {
    let _alone = PROJECTS.alone();
    let store = recorded_at(FASTER);
    for _ in 0..3 {
        run(&store);
    }
    let third = newest(&store)["id"].clone();
    store.rewrite("grows", |record| {
        if record["id"] == third {
            scale(record, &["eff0"], 0.5);
        }
    });
    let stopped = run(&store);
    assert!(line_has(&stopped, "no verdict"), "{stopped}");
    assert!(!is_of_other_speed(&newest(&store)), "{stopped}");
}
