//! A test that brings its own curve.

use crate::{PROJECTS, SLOW, learn, red};
use perftest_tests::{Invocation, TempStore};
use serde_json::Value;

fn forgiving() -> Invocation {
    PROJECTS.binary("curved", "perf").args(&["--exact", "forgiving"])
}

fn newest_record(store: &TempStore) -> Value {
    let records = store.records_of_all_series("forgiving");
    // The fresh processes of a confirmation are no verdicts.
    let judged = records.into_iter().rev().find(|record| record.get("verdict").is_some());
    judged.expect("a verdict was recorded")
}

#[test]
fn what_lies_below_the_curve_passes_and_what_lies_above_fails() {
    let store = TempStore::new();
    let _alone = PROJECTS.alone();
    learn("forgiving", forgiving, &store);
    // Far beyond the tolerance, and not by as much as its author asks of a red.
    let slowed = || PROJECTS.slowed("curved", "perf").args(&["--exact", "forgiving"]);
    let twice = slowed().store(&store).env(SLOW.0, "2").run().ended_with(0);
    assert!(!twice.stdout.contains("slower than its baseline"), "{twice}");
    let verdict = newest_record(&store)["verdict"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(!["", "green", "improved", "red"].contains(&verdict.as_str()), "{verdict}");
    red(|| slowed().store(&store)).ended_with(3);
    let rule = newest_record(&store)["rule"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(rule.contains("curve=9:12,30:4 "), "{rule}");
}
