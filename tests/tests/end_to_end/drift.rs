//! Slow drift is reported beside the verdict.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::{grows, learn};
use perftest_tests::{Outcome, TempStore, patiently};
use serde_json::{Value, json};
use std::fs;

/// Makes the history of `grows` ten runs that were four times as fast, and thirty as it is now.
fn let_it_have_been_faster(store: &TempStore) {
    let recorded_runs = store.baseline_runs("grows");
    let lines = recorded_runs.iter().cycle().take(40).enumerate().map(|(nth, record)| {
        let mut record = record.clone();
        record["id"] = json!(format!("01KDVDNR0000000000000000{nth:02}"));
        record["on_processor_time_samples"] = Value::Null;
        if nth < 10 {
            let samples = record["samples"].as_array().unwrap().iter();
            record["samples"] = samples.map(|sample| sample.as_f64().unwrap() / 4.0).collect();
        }
        format!("{record}\n")
    });
    fs::write(store.history("grows"), lines.collect::<String>()).unwrap();
}

#[test]
fn a_test_far_from_its_first_level_passes_and_is_reported_as_drifted() {
    let store = TempStore::new();
    let run = || {
        learn("grows", grows, &store);
        let_it_have_been_faster(&store);
        grows().store(&store).run().ended_with(0)
    };
    let prints = |outcome: &Outcome| outcome.line_of("grows").contains("drifted ");
    let drifted = patiently(run, prints);
    assert!(prints(&drifted) && drifted.line_of("grows").contains("x since "), "{drifted}");
}
