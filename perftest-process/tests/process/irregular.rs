//! What is no file, in the place of the file that outcomes are handed on in.
#![cfg(unix)]

use crate::bench::Bench;
use perftest_process::TestOutcome;
use std::process::Command;

#[test]
fn a_pipe_in_the_place_of_the_outcomes_is_refused_and_never_waited_for() {
    let bench = Bench::new("outcomes-pipe");
    let outcomes = bench.root.join("outcomes");
    assert!(Command::new("mkfifo").arg(&outcomes).status().unwrap().success());
    let refused = TestOutcome::read_all(&outcomes).unwrap_err();
    assert!(refused.contains("outcomes` cannot be read: it is a named pipe"), "{refused}");
}
