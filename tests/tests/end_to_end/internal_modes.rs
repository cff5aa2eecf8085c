//! The modes in which perftest starts test executables, and what sets them by accident.

use crate::PROJECTS;
use perftest_process::parent_token;
use perftest_process::protocol::{FromParent, FromWorker};
use perftest_tests::{Invocation, Outcome};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An executable of the usual harness in which an ordinary test fails.
fn usual() -> Invocation {
    PROJECTS.binary("bodies", "usual").args(&["--test-threads=1", "--skip", "hangs"])
}

fn is_run_and_fails(outcome: Outcome) {
    outcome.ended_with(101).prints(&["test fails ... FAILED", "2 passed; 1 failed"]);
}

#[test]
fn no_value_that_a_variable_has_by_accident_keeps_a_test_from_failing() {
    for variable in ["PERFTEST_LIST", "PERFTEST_WORKER", "PERFTEST_PARENT"] {
        for value in ["", "0", "1", "x", "measures", &parent_token()] {
            is_run_and_fails(usual().smoke().env(variable, value).run());
        }
    }
    for variable in ["PERFTEST_LIST", "PERFTEST_WORKER"] {
        for parent in ["", "0", "1", "x", "perftest process 1"] {
            let both = usual().smoke().env(variable, "measures").env("PERFTEST_PARENT", parent);
            is_run_and_fails(both.run());
        }
    }
}

#[test]
fn cargo_test_runs_the_tests_whatever_the_variables_hold() {
    let arguments = ["test", "--release", "--test", "usual", "--", "--skip", "hangs"];
    let cargo = PROJECTS.cargo("bodies").args(&arguments).smoke();
    is_run_and_fails(cargo.internal("PERFTEST_LIST", "1").env("PERFTEST_WORKER", "measures").run());
}

#[test]
fn who_asks_is_answered() {
    let asked = PROJECTS.binary("bodies", "usual").args(&["--list", "--format", "terse"]);
    asked.internal("PERFTEST_LIST", "1").run().ended_with(0).prints(&["\"name\":\"measures\""]);
}

#[test]
fn a_worker_that_is_asked_for_too_many_measurements_refuses() {
    let asked = FromParent::Measure { count: u32::MAX, iterations: None };
    let worker = PROJECTS.binary("bodies", "usual").args(&["measures", "--exact", "--nocapture"]);
    let worker = worker.internal("PERFTEST_WORKER", "measures").input(asked.encode());
    let answered = worker.run().ended_with(0);
    let lines = answered.stdout.lines().filter_map(|line| FromWorker::decode(line).ok().flatten());
    let why = lines.filter_map(|line| match line {
        FromWorker::Failed { why } => Some(why),
        _ => None,
    });
    let why: Vec<String> = why.collect();
    assert!(why.len() == 1 && why[0].contains("4294967295 measurements"), "{answered}");
}

#[test]
#[cfg(unix)]
fn a_worker_that_hangs_ends_when_its_parent_is_killed() {
    let script = "PERFTEST_PARENT=\"perftest process $$\" PERFTEST_WORKER=hangs \
                  \"$0\" hangs --exact --nocapture & echo \"worker $!\"; wait";
    let executable = PROJECTS.binary("bodies", "usual");
    let mut parent = Command::new("sh")
        .args(["-c", script])
        .arg(executable.program())
        .stdout(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let output = BufReader::new(parent.stdout.take().expect("it is piped"));
    let (mut worker, mut has_begun) = (None, false);
    for line in output.lines().map_while(Result::ok) {
        worker = worker.or_else(|| line.strip_prefix("worker ").map(str::to_owned));
        // From then on it knows whose child it is.
        has_begun |= line.contains("\"hello\"");
        if worker.is_some() && has_begun {
            break;
        }
    }
    let worker = worker.expect("the shell starts a worker");
    assert!(has_begun && is_alive(&worker));
    parent.kill().expect("it runs");
    parent.wait().expect("it was killed");
    let deadline = Instant::now() + Duration::from_secs(60);
    while is_alive(&worker) {
        assert!(Instant::now() < deadline, "process {worker} outlives its parent");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
fn is_alive(process: &str) -> bool {
    let asked = Command::new("ps").args(["-o", "stat=", "-p", process]).output();
    let state = String::from_utf8(asked.expect("there is ps").stdout).unwrap_or_default();
    // A process that was not yet waited for has ended all the same.
    !state.trim().is_empty() && !state.trim_start().starts_with('Z')
}
