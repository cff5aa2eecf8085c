//! A measuring lock that another process holds, or that cannot be had.

#![cfg(unix)]

use crate::{PROJECTS, SLOW, learn};
use perftest_tests::{Outcome, TempStore, patiently};
use std::fs::File;
use std::process::Command;
use std::thread::{self, sleep};
use std::time::Duration;

const LOCK: &str = "perftest-measuring.lock";

#[test]
fn a_pipe_in_the_place_of_the_lock_is_reported_beside_the_verdict_that_is_missing() {
    let (store, runtime) = (TempStore::new(), tempfile::tempdir().expect("there is room"));
    let pipe = runtime.path().join(LOCK);
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

#[test]
fn the_wait_for_another_process_is_no_time_that_the_test_took() {
    let runtime = tempfile::tempdir().expect("there is room");
    let held_for = Duration::from_secs(4);
    let spent = || {
        let store = TempStore::new();
        let test = PROJECTS.binary("bodies", "perf").args(&["--exact", "prints"]).store(&store);
        let held = File::create(runtime.path().join(LOCK)).expect("there is room");
        held.lock().expect("nobody else has the file");
        let holder = thread::spawn(move || {
            sleep(held_for);
            drop(held);
        });
        let output = test.env("XDG_RUNTIME_DIR", runtime.path()).run().ended_with(0);
        let waited = "Another performance test is running on this machine; waiting for it.";
        holder.join().expect("it only sleeps");
        let spent_ns = store.newest("prints")["spent_ns"].as_u64().expect("it is recorded");
        // A process that a busy machine started late did not wait.
        let has_waited = output.stderr.contains(waited);
        (has_waited, Duration::from_nanos(spent_ns))
    };
    let is_right = |(has_waited, spent): &(bool, Duration)| *has_waited && *spent < held_for / 2;
    let spent = patiently(spent, is_right);
    assert!(is_right(&spent), "{spent:?}");
}
