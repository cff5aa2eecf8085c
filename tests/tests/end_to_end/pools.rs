//! Machines that share a history because it was decided.

use crate::{grows, learn};
use perftest_tests::{Outcome, TempStore, patiently};
use std::fs;

/// Runs on a machine whose fingerprint is as before and whose label is another one.
fn run_as(label: &str, store: &TempStore) -> Outcome {
    grows().env("PERFTEST_TESTBED", label).store(store).run()
}

/// Writes that runs of one testbed are read as those of another one, as `testbeds merge` does.
fn decide(testbed: &str, read_as: &str, store: &TempStore) {
    let runs = store.histories().remove(0);
    let project = runs.ancestors().nth(3).expect("a history is in runs/<testbed> of a project");
    let line = format!(
        "{{\"kind\":\"testbed\",\"v\":1,\"id\":\"01KDVDNR000000000000000001\",\"testbed\":\"{testbed}\",\
         \"read_as\":\"{read_as}\",\"given_ms\":1}}\n"
    );
    fs::write(project.join("events.jsonl"), line).expect("an event can be written");
}

#[test]
fn a_machine_of_a_pool_is_judged_by_the_history_of_another_and_records_under_its_own_name() {
    let story = || {
        let store = TempStore::new();
        learn("grows", grows, &store);
        let own = store.newest("grows")["testbed"].as_str().expect("a run has one").to_owned();
        let (_, fingerprint) = own.split_once('/').expect("a testbed is a label and a fingerprint");
        let other = format!("other/{fingerprint}");
        let files = store.files();
        let apart = run_as("other", &store);
        store.fill(&files);
        decide(&other, &own, &store);
        let together = run_as("other", &store);
        let recorded = store.records_of_all_series("grows");
        let is_recorded = recorded.iter().any(|run| run["testbed"] == other.as_str());
        (apart, together, is_recorded)
    };
    // A neighbour may slow the machine meanwhile.
    let is_judged = |outcome: &Outcome| !outcome.line_of("grows").contains("no baseline");
    let (apart, together, is_recorded) =
        patiently(story, |(_, together, is_recorded)| is_judged(together) && *is_recorded);
    assert!(!is_judged(&apart), "{apart}");
    assert!(is_judged(&together) && is_recorded, "{together}");
}
