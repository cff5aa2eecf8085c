//! A history that was recorded at another speed than the machine runs at now.

use crate::{IN_ONE_GO, grows, learn};
use perftest_tests::{Outcome, TempStore, patiently};
use serde_json::{Value, json};

/// A quarter faster than this machine.
pub(crate) const FASTER: f64 = 1.25;
/// Half as fast: a neighbour on the same core, who takes some of the throughput, does not make
/// up for that.
pub(crate) const SLOWER: f64 = 0.5;
/// What is remarked when another series begins.
pub(crate) const BEGINS: &str = "a separate series begins";

/// What is warned of as long as none has begun.
const OTHER_SPEED: &str = "!! This machine runs at";

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

fn line_has(outcome: &Outcome, part: &str) -> bool {
    outcome.line_of("grows").contains(part)
}

fn newest_is_of_other_speed(store: &TempStore) -> bool {
    store.newest("grows")["testbed"].as_str().is_some_and(|testbed| testbed.contains('@'))
}

/// The records of the machine's own series that name its other speed.
fn marked(store: &TempStore) -> usize {
    let records = store.records_of_all_series("grows");
    records.iter().filter(|it| it["tags"].to_string().contains("slow-machine")).count()
}

/// Three runs, before a fourth could begin a series: no verdict in any. One look that was
/// interrupted can take a faster machine for a slower one.
#[track_caller]
fn assert_neither_judged_nor_counted(speed: f64, tag: &str) {
    let runs = || {
        let store = recorded_at(speed);
        [(); 3].map(|()| (run(&store), store.newest("grows")))
    };
    let is_stopped = |(outcome, _): &(Outcome, Value)| {
        line_has(outcome, "no verdict") && outcome.stderr.contains(OTHER_SPEED)
    };
    let has_tag = |(_, record): &(Outcome, Value)| {
        ["tags", "distrusted"]
            .iter()
            .all(|list| record[*list].as_array().is_some_and(|tags| tags.contains(&json!(tag))))
    };
    let runs = patiently(runs, |runs| runs.iter().all(is_stopped) && runs.iter().any(has_tag));
    assert!(runs.iter().any(has_tag), "none of three runs is {tag}: {runs:?}");
    for (stopped, record) in runs {
        assert!(line_has(&stopped, "no verdict"), "{stopped}");
        let stopped = stopped.warns(&[OTHER_SPEED, "PERFTEST_EPOCH=new"]);
        assert!(!stopped.stderr.contains("? GHz"), "both clocks are known: {stopped}");
        assert_eq!(record["counts_for_baseline"], false, "{record}");
        assert_eq!(record["verdict"], "untrusted", "{record}");
    }
}

#[test]
fn a_machine_slower_than_its_history_gives_no_verdict_and_does_not_count() {
    assert_neither_judged_nor_counted(FASTER, "slow-machine");
}

#[test]
fn a_machine_faster_than_its_history_gives_no_verdict_and_does_not_count() {
    assert_neither_judged_nor_counted(SLOWER, "fast-machine");
}

/// Lets a series at another speed begin, until it learns as any other from its first run on and
/// later runs find it.
#[track_caller]
fn assert_series_learns(begin: impl Fn(&TempStore) -> Outcome) {
    let learn = || {
        let store = recorded_at(FASTER);
        let begun = begin(&store);
        let has_begun = begun.stderr.contains(BEGINS);
        assert_eq!(has_begun, newest_is_of_other_speed(&store), "{begun}");
        (has_begun && learns(&begun, &store), begun)
    };
    let (has_learned, begun) = patiently(learn, |(has_learned, _)| *has_learned);
    assert!(has_learned, "{begun}");
}

/// Whether the series counts its first two runs that count for the baseline. A run that was disturbed from start to
/// end is recorded and does not count.
fn learns(begun: &Outcome, store: &TempStore) -> bool {
    let testbed = store.newest("grows")["testbed"].clone();
    let has_warned = |outcome: &Outcome, recorded_runs: usize| {
        line_has(outcome, &format!("recorded {recorded_runs} of 5"))
    };
    let mut recorded_runs = usize::from(has_warned(begun, 1));
    (0..IN_ONE_GO).any(|_| {
        let next = run(store);
        recorded_runs += usize::from(has_warned(&next, recorded_runs + 1));
        let records = store.baseline_runs("grows");
        recorded_runs == 2 && records.iter().filter(|it| it["testbed"] == testbed).count() == 2
    })
}

#[test]
fn three_runs_at_another_speed_and_the_next_begins_a_series_of_its_own() {
    assert_series_learns(|store| {
        let mut last = run(store);
        for _ in 1..IN_ONE_GO {
            if last.stderr.contains(BEGINS) {
                assert!(marked(store) >= 3, "only {} runs before {last}", marked(store));
                return last;
            }
            last = run(store);
        }
        last
    });
}

#[test]
fn a_new_epoch_begins_its_series_at_once() {
    assert_series_learns(|store| {
        let before = marked(store);
        let begun = grows().store(store).env("PERFTEST_EPOCH", "new").run().ended_with(0);
        assert_eq!(marked(store), before, "{begun}");
        begun
    });
}

#[test]
fn a_new_epoch_of_a_test_without_history_begins_no_series_beside_its_own() {
    let store = TempStore::new();
    let begun = grows().store(&store).env("PERFTEST_EPOCH", "new").run().ended_with(0);
    assert!(!begun.stderr.contains(BEGINS), "{begun}");
    assert!(!newest_is_of_other_speed(&store), "{begun}");
}

#[test]
fn three_runs_at_different_speeds_begin_no_series() {
    let fourth = || {
        let store = recorded_at(FASTER);
        (0..3).for_each(|_| drop(run(&store)));
        let third = store.newest("grows")["id"].clone();
        store.rewrite("grows", |record| {
            if record["id"] == third {
                scale(record, &["eff0"], 0.5);
            }
        });
        let marked = marked(&store);
        let stopped = run(&store);
        assert!(!newest_is_of_other_speed(&store), "{stopped}");
        (marked, stopped)
    };
    let is_stopped =
        |(marked, outcome): &(usize, Outcome)| *marked == 3 && line_has(outcome, "no verdict");
    let fourth = patiently(fourth, is_stopped);
    assert!(is_stopped(&fourth), "{} runs at another speed before {}", fourth.0, fourth.1);
}
