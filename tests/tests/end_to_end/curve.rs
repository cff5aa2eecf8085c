//! A test that brings its own curve.

use crate::{PROJECTS, SLOW, learn, red};
use perftest_tests::{Invocation, TempStore, patiently};
use serde_json::Value;

fn forgiving() -> Invocation {
    PROJECTS.binary("curved", "perf").args(&["--exact", "forgiving"])
}

#[test]
fn what_lies_below_the_curve_passes_and_what_lies_above_fails() {
    let store = TempStore::new();
    let slowed = || {
        learn("forgiving", forgiving, &store);
        PROJECTS.slowed("curved", "perf").args(&["--exact", "forgiving"]).store(&store)
    };
    // Far beyond the tolerance, and not by as much as its author asks of a red.
    let twice = || {
        slowed().env(SLOW.0, "2").run().ended_with(0);
        store.newest("forgiving")
    };
    let is_open =
        |record: &Value| record["verdict"] == "unclear" || record["verdict"] == "unstable";
    let record = patiently(twice, is_open);
    assert!(is_open(&record), "{record}");
    red(slowed, &store).ended_with(3);
    let record = store.newest("forgiving");
    let rule = record["rule"].as_str().unwrap_or_default();
    assert!(rule.contains("curve=9:12,30:4 "), "{rule}");
}
