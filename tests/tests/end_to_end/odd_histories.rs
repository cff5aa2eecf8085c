//! Histories that a test wrote down before the tests ran. `docs/reference/odd-histories.md` has the table.

use crate::{PROJECTS, grows, learn, red, slow_grows};
use perftest_tests::{Outcome, TempStore, patiently};
use serde_json::{Value, json};
use std::fs;

/// A list beside the samples, one value each, or places in them.
const BESIDE_SAMPLES: [&str; 11] = [
    "iterations_each",
    "cpu",
    "tcpu",
    "ghz",
    "ref",
    "disk",
    "others",
    "core",
    "disturbed_samples",
    "apart_samples",
    "on_processor_time_samples",
];

/// A run that `grows` left here.
fn template(store: &TempStore) -> Value {
    learn("grows", grows, store);
    store.baseline_runs("grows").pop().expect("it has learned")
}

/// The template as run number `number`, all its samples the same: their median, so many times.
fn constant(template: &Value, number: usize, times: f64) -> Value {
    let mut record = template.clone();
    let samples = template["samples"].as_array().expect("a run has samples");
    let mut sorted: Vec<f64> = samples.iter().filter_map(Value::as_f64).collect();
    sorted.sort_by(f64::total_cmp);
    record["samples"] = json!(vec![sorted[sorted.len() / 2] * times; samples.len()]);
    record["id"] = json!(format!("{number:026}"));
    // The clock was set back again and again.
    record["started_ms"] = json!(1_767_225_600_000_u64 - number as u64);
    record
}

fn without_samples(mut record: Value) -> Value {
    record["samples"] = json!([]);
    if let Some(keys) = record.as_object_mut() {
        BESIDE_SAMPLES.iter().for_each(|key| drop(keys.remove(*key)));
    }
    record
}

fn in_us(mut record: Value) -> Value {
    record["unit"] = json!("us");
    record
}

fn with_first_sample(record: &Value, sample: &str) -> String {
    record.to_string().replacen("\"samples\":[", &format!("\"samples\":[{sample},"), 1)
}

/// Thirty runs with every oddity among them.
fn odd_history(template: &Value) -> String {
    let lines = (1..=30).map(|number| match number {
        3 => constant(template, number, 1_000.0).to_string(),
        5 => with_first_sample(&constant(template, number, 1.0), "NaN"),
        7 => with_first_sample(&constant(template, number, 1.0), "-1"),
        9 => without_samples(constant(template, number, 1.0)).to_string(),
        11 => in_us(constant(template, number, 1e-3)).to_string(),
        _ => constant(template, number, 1.0).to_string(),
    });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn a_history_with_every_oddity_in_it_still_judges() {
    let store = TempStore::new();
    let written = || {
        let text = odd_history(&template(&store));
        let history = store.history("grows");
        fs::write(&history, &text).expect("a history can be written");
        (history, text)
    };
    let judge = || (written(), grows().store(&store).run().ended_with(0));
    let is_compared = |outcome: &Outcome| outcome.line_of("grows").contains(" vs 26 runs");
    let ((history, text), judged) = patiently(judge, |(_, outcome)| is_compared(outcome));
    assert!(is_compared(&judged), "{judged}");
    let place = |line: u32| format!("{}:{line}", history.display());
    judged.warns(&[&place(5), &place(7), "holds -1"]);
    let after = fs::read_to_string(&history).expect("a history can be read");
    assert!(after.starts_with(&text), "what was there stays there");
    let slow = || {
        written();
        slow_grows().store(&store)
    };
    red(slow, &store).ended_with(3);
}

#[test]
fn a_history_of_one_run_is_reported_by_its_number() {
    let store = TempStore::new();
    let second = || {
        let line = constant(&template(&store), 1, 1.0).to_string() + "\n";
        fs::write(store.history("grows"), line).expect("a history can be written");
        grows().store(&store).run().ended_with(0)
    };
    let is_counted =
        |it: &Outcome| it.line_of("grows").contains("no baseline yet: recorded 2 of 5");
    let learned = patiently(second, is_counted);
    assert!(is_counted(&learned), "{learned}");
}

#[test]
fn a_history_in_another_unit_is_left_alone_and_a_new_one_begins() {
    let store = TempStore::new();
    let first = || {
        learn("grows", grows, &store);
        store.rewrite("grows", |record| record["unit"] = json!("us"));
        let before = store.records("grows");
        let learned = grows().store(&store).run().ended_with(0);
        assert_eq!(store.records("grows")[..before.len()], before);
        learned
    };
    let is_counted =
        |it: &Outcome| it.line_of("grows").contains("no baseline yet: recorded 1 of 5");
    let learned = patiently(first, is_counted);
    assert!(is_counted(&learned), "{learned}");
}

#[test]
fn a_body_that_the_compiler_removed_is_not_measurable_and_nothing_is_promised_about_it() {
    let store = TempStore::new();
    let binary = || PROJECTS.binary("bodies", "perf").args(&["--exact", "optimised_away"]);
    let run = || binary().store(&store).run().ended_with(0);
    // A busy machine may take a call for a longer one, now and then.
    let removed =
        patiently(run, |outcome| outcome.has(&["not measurable: the body adds less than"]));
    let line = removed.line_of("optimised_away");
    assert!(line.contains("black_box") && !line.contains("detects"), "{removed}");
    assert_eq!(store.newest("optimised_away")["counts_for_baseline"], false);
}
