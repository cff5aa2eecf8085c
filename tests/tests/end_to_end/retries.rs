//! nextest tries a red test again, and the same decision goes on.

use crate::{NEEDED, PROJECTS, SLOW, learn, red, red_and};
use perftest_tests::{Invocation, TempStore, patiently};
use serde_json::{Value, json};

fn tried() -> Invocation {
    PROJECTS.binary("retried", "perf").args(&["--exact", "tried"])
}

fn slow_tried() -> Invocation {
    PROJECTS.slowed("retried", "perf").args(&["--exact", "tried"])
}

fn nextest(test: &str, store: &TempStore) -> Invocation {
    let nextest = PROJECTS.cargo("retried").store(store);
    let nextest = nextest.args(&["nextest", "run", "--release", "--test", "perf"]);
    nextest.args(&["--features", "slowed", "--retries", "2", test])
}

/// The verdicts of the newest session, an attempt each.
fn attempts(test: &str, store: &TempStore) -> Vec<Value> {
    let session = store.newest(test)["session"].clone();
    let mut records = store.records_of_all_series(test);
    records.retain(|record| !record["verdict"].is_null() && record["session"] == session);
    records
}

fn numbers(attempts: &[Value], key: &str) -> Vec<u64> {
    attempts.iter().map(|attempt| attempt[key].as_u64().unwrap_or(1)).collect()
}

/// The first note of an attempt that continues another one.
fn continues(attempt: u64) -> Value {
    json!(["continues_attempt", attempt])
}

/// Whether the last attempt notes that it continues another one. On a machine in no state to judge it
/// notes that instead.
fn goes_on(attempts: &[Value]) -> bool {
    attempts.last().is_some_and(|last| last["notes"][0][0] == "continues_attempt")
}

#[test]
fn running_slow_code_again_until_green_buys_nothing() {
    let store = TempStore::new();
    let run = || {
        learn("tried", tried, &store);
        nextest("tried", &store)
    };
    // Each with more processes than the one before, where the machine lets them be measured.
    let go_on = |attempts: &[Value]| {
        let mut later = (1..).zip(attempts.iter().skip(1));
        later.all(|(before, it)| it["notes"][0] == continues(before))
            && numbers(attempts, "processes").is_sorted_by(|one, next| one < next)
    };
    let red = red_and(run, &store, |_| go_on(&attempts("tried", &store))).ended_with(100);
    red.warns(&["TRY 3 FAIL", "1 failed", "slower than "]);
    let attempts = attempts("tried", &store);
    assert_eq!(numbers(&attempts, "attempt"), [1, 2, 3]);
    assert!(attempts.iter().all(|attempt| attempt["verdict"] == "red"), "{attempts:?}");
    assert!(go_on(&attempts), "{attempts:?}");
    assert!(
        attempts[1..].iter().all(|attempt| attempt["counts_for_baseline"] == false),
        "{attempts:?}"
    );
}

#[test]
fn a_red_of_the_first_attempt_falls_when_most_processes_are_fast() {
    let store = TempStore::new();
    let run = || {
        learn("tried", tried, &store);
        let slow_at_first = nextest("tried", &store).env("SLOW_ATTEMPTS", "1");
        let outcome = slow_at_first.env(SLOW.0, SLOW.1).run();
        (outcome, attempts("tried", &store))
    };
    let is_by_pairs = |attempts: &[Value]| attempts[0]["pairs"].as_u64() >= Some(5);
    // A machine too busy for a proof leaves the red standing, or comes to none in the first place.
    let (fallen, attempts) = patiently(run, |(it, attempts)| {
        it.code == Some(0) && goes_on(attempts) && is_by_pairs(attempts)
    });
    fallen.ended_with(0).warns(&["TRY 1 FAIL", "1 flaky"]);
    assert_eq!(attempts[0]["verdict"], "red");
    assert!(goes_on(&attempts) && is_by_pairs(&attempts), "{attempts:?}");
    let last = &attempts[attempts.len() - 1];
    let (slow, all) = (attempts[0]["pairs"].as_u64(), last["pairs"].as_u64());
    assert!(all > slow.map(|slow| 2 * slow), "{last}");
}

#[test]
fn what_was_over_its_limit_falls_when_as_many_processes_are_within() {
    let store = TempStore::new();
    let run = || {
        store.clear();
        let outcome = nextest("limited", &store).env("SLOW_ATTEMPTS", "1").run();
        (outcome, attempts("limited", &store))
    };
    let expected = [continues(1), json!(["most_within_limit"])];
    let is_outvoted = |attempts: &[Value]| {
        let notes = attempts[1]["notes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let processes = numbers(attempts, "processes");
        notes.windows(2).any(|pair| pair == expected) && processes[1] >= 2 * processes[0]
    };
    // Of a disturbed process it is not known which side of the limit it was on.
    let (fallen, attempts) = patiently(run, |(it, attempts)| {
        it.code == Some(0) && attempts.len() == 2 && is_outvoted(attempts)
    });
    fallen.ended_with(0).warns(&["TRY 1 FAIL", "1 flaky"]);
    assert_eq!(attempts[0]["verdict"], "over_limit", "{attempts:?}");
    assert!(is_outvoted(&attempts), "{attempts:?}");
}

#[test]
fn a_new_session_is_no_retry() {
    let store = TempStore::new();
    let run = || {
        learn("tried", tried, &store);
        slow_tried().store(&store)
    };
    red(run, &store).ended_with(3);
    let again = slow_tried().store(&store).env("NEXTEST_ATTEMPT", "2").run();
    assert!(!again.stdout.contains("continues attempt"), "{again}");
    assert_eq!(attempts("tried", &store).len(), 1);
}

#[test]
fn a_session_that_always_has_the_same_name_keeps_its_history_in_a_retry() {
    let store = TempStore::new();
    let named = |run: Invocation| run.env("PERFTEST_SESSION", "ci").store(&store);
    let run = || {
        learn("tried", || named(tried()), &store);
        named(slow_tried())
    };
    red(run, &store).ended_with(3);
    let again = named(slow_tried()).env(SLOW.0, SLOW.1).env("NEXTEST_ATTEMPT", "2").run();
    let newest = store.newest("tried");
    assert_eq!(newest["attempt"], 2, "{again}");
    assert!(newest["baseline_runs"].as_u64() >= Some(NEEDED as u64), "{newest}: {again}");
}
