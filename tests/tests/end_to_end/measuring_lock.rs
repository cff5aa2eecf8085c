//! A measuring lock that cannot be had.

#![cfg(unix)]

use crate::{PROJECTS, SLOW, learn};
use perftest_tests::{Outcome, TempStore, patiently};
use std::process::Command;

#[test]
fn a_pipe_in_the_place_of_the_lock_is_reported_beside_the_verdict_that_is_missing() {
    let (store, runtime) = (TempStore::new(), tempfile::tempdir().expect("there is room"));
    let pipe = runtime.path().join("perftest-measuring.lock");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let test = "prints";
    let run = || {
        learn(test, || PROJECTS.binary("bodies", "perf"), &store);
        let slow = PROJECTS.slowed("bodies", "perf").args(&["--exact", test]).store(&store);
        slow.env("XDG_RUNTIME_DIR", runtime.path()).env(SLOW.0, SLOW.1).run().ended_with(0)
    };
    let prints = |outcome: &Outcome| {
        let line = outcome.line_of(test);
        line.contains("no verdict") && line.contains("the measuring lock cannot be used: `")
    };
    let output = patiently(run, prints);
    assert!(prints(&output), "{output}");
}
