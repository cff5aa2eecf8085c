//! From the first run to the first red, and back.

use crate::other_speed::{SLOWER, pretend_speed};
use crate::{IN_ONE_GO, NEEDED, PROJECTS, SLOW, grows, learn, red_and, slow_grows};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use serde_json::Value;

#[test]
fn five_runs_are_recorded_and_the_sixth_has_a_verdict() {
    let store = TempStore::new();
    let sixth = || {
        store.clear();
        (0..IN_ONE_GO).find(|_| has_learned(&store));
        grows().store(&store).run().ended_with(0)
    };
    // Which is a ratio with its bounds.
    let has_verdict = |outcome: &Outcome| outcome.line_of("grows").contains("x [");
    let judged = patiently(sixth, has_verdict);
    assert!(has_verdict(&judged), "{judged}");
    assert!(!judged.line_of("grows").contains("recorded"), "{judged}");
    assert!(store.baseline_runs("grows").len() >= NEEDED, "{judged}");
}

/// Runs with a verdict. At another speed of the machine fresh processes are recorded beside them.
fn verdicts(store: &TempStore) -> usize {
    let records = store.records_of_all_series("grows");
    records.iter().filter(|record| !record["verdict"].is_null()).count()
}

/// Whether the test has learned with one more run, which is recorded and, unless it was disturbed
/// from start to end, counted.
fn has_learned(store: &TempStore) -> bool {
    let before = verdicts(store);
    let learned = grows().store(store).run().ended_with(0);
    let line = learned.line_of("grows");
    assert!(line.starts_with("ok "), "{learned}");
    assert_eq!(verdicts(store), before + 1, "{learned}");
    let record = store.newest("grows");
    let beside = |it: &&Value| it["testbed"] == record["testbed"];
    let recorded_runs = store.baseline_runs("grows").iter().filter(beside).count();
    let counted = format!("recorded {recorded_runs} of 5");
    assert!(
        record["counts_for_baseline"] == false || line.contains(&counted),
        "{counted}: {learned}"
    );
    recorded_runs == NEEDED
}

#[test]
fn a_red_explains_itself_and_fails_with_a_code_of_its_own() {
    let store = TempStore::new();
    let parts = [
        "---- grows (measured/tests/perf.rs:",
        "slower than the last good build: ",
        "x, at least ",
        "(tolerance 50%)",
        " measurements in ",
        " processes",
        "\n  now       ",
        "\n  baseline  ",
        " 5 runs",
        "\n  last good ",
        " pairs of fresh processes just now, the last good build",
        "; this is the build, not the machine",
        "\n  machine   ",
        "\n  testbed   local/",
        "  history   cargo perftest history measured::perf::grows\n",
        "  again     cargo test --release -p measured --test perf -- --exact grows\n",
        "  cargo perftest accept measured::perf::grows --max-ratio ",
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out",
    ];
    let run = || {
        learn("grows", grows, &store);
        slow_grows().store(&store)
    };
    let red = red_and(run, &store, |outcome| outcome.has(&parts)).ended_with(3).prints(&parts);
    assert!(red.line_of("grows").starts_with("FAILED "), "{red}");
}

/// Learns as a newcomer does.
fn newcomer(run: impl Fn() -> Invocation, store: &TempStore) -> Invocation {
    run().store(store).env("PERFTEST_LEARN", "at-once")
}

#[test]
fn the_first_run_measures_several_processes_and_the_second_has_a_verdict() {
    let store = TempStore::new();
    let first_two = || {
        store.clear();
        let first = newcomer(grows, &store).run().ended_with(0);
        let recorded = store.baseline_runs("grows").len();
        (first, recorded, newcomer(grows, &store).run().ended_with(0))
    };
    let prints = "measured in 4 fresh processes too: the next run has a verdict";
    let is_judged = |(first, recorded, second): &(Outcome, usize, Outcome)| {
        first.line_of("grows").contains(prints)
            && *recorded == NEEDED
            && second.line_of("grows").contains("x [")
    };
    let (first, recorded, second) = patiently(first_two, is_judged);
    assert!(is_judged(&(first.clone(), recorded, second.clone())), "{first}{recorded}{second}");
}

#[test]
fn a_first_run_on_a_slow_machine_does_not_keep_unchanged_code_from_a_verdict() {
    let store = TempStore::new();
    let second = || {
        store.clear();
        newcomer(grows, &store).run().ended_with(0);
        store.rewrite("grows", |record| pretend_speed(record, SLOWER));
        newcomer(grows, &store).run().ended_with(0)
    };
    let is_judged = |second: &Outcome| {
        let line = second.line_of("grows");
        line.contains("x [") && !line.contains("no verdict")
    };
    let second = patiently(second, is_judged);
    assert!(is_judged(&second), "{second}");
    let tags = store.newest("grows")["tags"].to_string();
    assert!(!tags.contains("fast-machine"), "{tags}");
}

#[test]
fn slower_code_is_red_at_the_second_run_by_pairs_with_the_first() {
    let store = TempStore::new();
    let run = || {
        store.clear();
        newcomer(grows, &store).run().ended_with(0);
        newcomer(slow_grows, &store)
    };
    let by_pairs = |_: &Outcome| store.newest("grows")["pairs"].as_u64() >= Some(5);
    let red = red_and(run, &store, by_pairs).ended_with(3);
    assert!(by_pairs(&red), "{red}");
}

#[test]
fn a_red_never_counts_for_the_baseline_however_often_it_is_repeated() {
    let store = TempStore::new();
    let are_red = |reds: &[Outcome]| reds.len() == 4;
    let after_reds = || {
        learn("grows", grows, &store);
        let learned = store.records_of_all_series("grows").len();
        let slow = |_| slow_grows().store(&store).env(SLOW.0, SLOW.1).run();
        // Between them a busy machine leaves some undecided.
        let reds = (0..IN_ONE_GO).map(slow).filter(|slow| slow.code == Some(3));
        let reds: Vec<Outcome> = reds.take(4).collect();
        let recorded = store.records_of_all_series("grows").len();
        assert!(recorded >= learned + reds.len(), "the red itself is recorded");
        (reds, grows().store(&store).run().ended_with(0))
    };
    // Compared with the reds it would be better by far.
    let is_improved = |unchanged: &Outcome| unchanged.line_of("grows").contains("improved");
    let (reds, unchanged) =
        patiently(after_reds, |(reds, unchanged)| are_red(reds) && !is_improved(unchanged));
    assert!(are_red(&reds), "{reds:?}");
    assert!(!is_improved(&unchanged), "compared with the reds: {unchanged}");
}

#[test]
fn a_red_beside_an_ordinary_failure_is_an_ordinary_failure() {
    let store = TempStore::new();
    let both = || {
        learn("prints", || PROJECTS.binary("bodies", "perf"), &store);
        let slowed = PROJECTS.slowed("bodies", "perf").store(&store).env(SLOW.0, SLOW.1);
        slowed.args(&["--exact", "prints", "never_iterates"]).run()
    };
    let both = patiently(both, |outcome| outcome.has(&["slower than "]));
    both.ended_with(101).prints(&["slower than ", "never called `iter`"]);
}
