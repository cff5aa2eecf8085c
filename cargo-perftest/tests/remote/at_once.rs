//! Machines that send at the same time, and machines that are killed.

use crate::fleet::{Fleet, Machine, counts, ids};
use perftest_core::model::Run;
use perftest_store::Store;
use perftest_store::conformance::example_run;
use std::collections::HashSet;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// Machines that send at once.
const MACHINES: u64 = 4;
/// Rounds of each.
const ROUNDS: u64 = 4;
/// Runs of a machine in a round.
const RUNS: u64 = 5;

pub(crate) fn machines_that_send_at_once_lose_nothing_and_double_nothing(fleet: &Fleet) {
    let machines: Vec<Machine> =
        (0..MACHINES).map(|number| fleet.machine(&format!("machine-{number}"))).collect();
    thread::scope(|scope| {
        for (machine, number) in machines.iter().zip(0..) {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let first = (number * ROUNDS + round) * RUNS;
                    machine.append(first..first + RUNS);
                    assert_eq!(counts(&machine.push())[0], RUNS);
                }
            });
        }
    });
    let last = fleet.machine("last");
    last.pull();
    assert_eq!(last.ids(), ids(0..MACHINES * ROUNDS * RUNS));
    assert_each_line_once(fleet, MACHINES * ROUNDS * RUNS);
}

/// Machines that are killed at random.
const KILLED_MACHINES: u64 = 2;
/// Kills of each.
const KILLS: u64 = 20;
/// The longest life of a push that is killed: about as long as a whole push takes.
const LONGEST_LIFE_MS: u64 = 150;

/// Each machine has runs of a testbed of its own, and of one that both share.
pub(crate) fn machines_that_are_killed_at_random_lose_nothing_and_double_nothing(fleet: &Fleet) {
    let own =
        |number: u64, ordinal| Run { testbed: format!("ci/{number}"), ..example_run(ordinal) };
    thread::scope(|scope| {
        for number in 0..KILLED_MACHINES {
            let machine = fleet.machine(&format!("machine-{number}"));
            scope.spawn(move || {
                for round in 0..KILLS {
                    let first = (number * KILLS + round) * RUNS;
                    machine.append(first..first + RUNS);
                    machine.store().append(&own(number, round)).unwrap();
                    push_and_kill(&machine, Duration::from_millis(random(first) % LONGEST_LIFE_MS));
                }
                machine.push();
            });
        }
    });
    let last = fleet.machine("last");
    last.exchange("pull", &["--all"]);
    assert_eq!(last.ids(), ids(0..KILLED_MACHINES * KILLS * RUNS));
    assert_each_line_once(fleet, KILLED_MACHINES * KILLS * RUNS);
    for number in 0..KILLED_MACHINES {
        assert_eq!(last.ids_like(&own(number, 0)), ids(0..KILLS), "testbed {number}");
    }
}

fn push_and_kill(machine: &Machine, life: Duration) {
    let mut sender = machine.command(&["push", &machine.address]);
    let mut sender = sender.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(life);
    // It may have ended.
    let _ = sender.kill();
    sender.wait().unwrap();
}

/// The same numbers in each run of the test.
fn random(seed: u64) -> u64 {
    (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

fn assert_each_line_once(fleet: &Fleet, count: u64) {
    let lines = fleet.lines();
    let distinct: HashSet<&String> = lines.iter().collect();
    assert_eq!((lines.len() as u64, distinct.len() as u64), (count, count));
}
