//! Testbeds that share a history, and those that never do.

use crate::fleet::{Fleet, Machine, TESTBED, counts, ids};
use perftest_core::model::Run;
use perftest_store::conformance::example_run;
use perftest_store::{Annotation, Store, TestbedChange, TestbedDecision};

/// Two machines of one class, and one with another processor behind the same label.
const POOL: [&str; 2] = ["ci/aaaa", "ci/bbbb"];
const OTHER_PROCESSOR: &str = "ci/cccc";

fn on(testbed: &str, ordinal: u64) -> Run {
    Run { testbed: testbed.into(), ..example_run(ordinal) }
}

pub(crate) fn two_processors_behind_one_label_never_mix(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.store().append(&on("ci/aaaa", 1)).unwrap();
    one.store().append(&on("ci/aaaa@3.1GHz-10.2us", 2)).unwrap();
    one.store().append(&on("ci/aaaab", 3)).unwrap();
    one.store().append(&on("ci/bbbb", 4)).unwrap();
    one.push();
    assert_eq!(counts(&other.exchange("pull", &["--testbed", "ci/aaaa"])), [2, 0, 0]);
    assert_eq!(other.ids_like(&on("ci/aaaa", 0)), ids([1]));
    assert_eq!(other.ids_like(&on("ci/aaaa@3.1GHz-10.2us", 0)), ids([2]));
    assert_eq!(other.ids_like(&on("ci/bbbb", 0)), []);
    let (code, text, _) = other.ends("pull", &["--testbed", "ci/cccc"]);
    assert_eq!(code, 0);
    assert!(text.contains("has no history of the testbed ci/cccc; of others it has 4"), "{text}");
    assert_eq!(counts(&other.exchange("pull", &["--all"])), [2, 0, 0]);
    assert_eq!(other.ids_like(&on("ci/bbbb", 0)), ids([4]));
}

pub(crate) fn a_machine_of_a_pool_receives_the_histories_of_all_its_machines(fleet: &Fleet) {
    let [one, other, third] = ["one", "other", "third"].map(|name| fleet.machine(name));
    one.append(0..2);
    let of_other = Run { testbed: "local/94ffaa".into(), ..example_run(2) };
    other.store().append(&of_other).unwrap();
    let of_none = Run { testbed: "local/000000".into(), ..example_run(3) };
    other.store().append(&of_none).unwrap();
    let decision = TestbedDecision {
        id: "01KDVDNR000000000000000001".into(),
        testbed: of_other.testbed.clone(),
        change: TestbedChange::ReadAs(TESTBED.into()),
        given_ms: 1,
    };
    one.store().annotate(Annotation::Testbed(&decision)).unwrap();
    one.push();
    other.push();
    // A report of the remote reads it as a pool, too.
    let history = third.run(&["history", "--remote", &third.address, "--json"]).stdout;
    assert!(history.lines().count() == 2 && history.contains("\"runs\":3"), "{history}");
    // It knows nothing of the decision before.
    let received = third.exchange("pull", &["--testbed", &of_other.testbed]);
    assert_eq!(counts(&received), [4, 0, 0]);
    assert_eq!(third.ids_like(&of_other), ids(0..3));
    assert_eq!(third.ids_like(&of_none), ids([]));
}

/// Each of the testbeds has runs, which all machines received.
fn machines_with_all_testbeds(fleet: &Fleet) -> [Machine; 2] {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for ordinal in [0, 2] {
        one.store().append(&on(POOL[0], ordinal)).unwrap();
    }
    for ordinal in [1, 3] {
        other.store().append(&on(POOL[1], ordinal)).unwrap();
        other.store().append(&on(OTHER_PROCESSOR, ordinal)).unwrap();
    }
    one.push();
    other.push();
    receive_all(&one);
    receive_all(&other);
    [one, other]
}

fn receive_all(machine: &Machine) {
    machine.exchange("pull", &["--all"]);
}

/// Decides about testbeds here, and sends the decision.
fn decide(machine: &Machine, decision: &[&str]) {
    machine.run(&[&["testbeds"], decision].concat()).ended_with(0);
    assert_eq!(counts(&machine.push()), [1, 0, 0]);
}

/// The runs of each testbed, as a machine reads them.
fn runs_of(machine: &Machine, testbeds: &[&str]) -> Vec<usize> {
    testbeds.iter().map(|testbed| machine.ids_like(&on(testbed, 0)).len()).collect()
}

/// All histories as a machine has them, and as the remote has them.
fn histories(machine: &Machine) -> [String; 2] {
    [&[][..], &["--remote", &machine.address]]
        .map(|source| machine.run(&[&["history", "--json"], source].concat()).ended_with(0).stdout)
}

pub(crate) fn testbeds_that_are_merged_on_one_machine_are_one_history_on_all(fleet: &Fleet) {
    let [one, other] = machines_with_all_testbeds(fleet);
    let all = [POOL[0], POOL[1], OTHER_PROCESSOR];
    decide(&one, &["merge", POOL[0], POOL[1]]);
    receive_all(&other);
    // A machine of the pool that has nothing yet.
    let third = fleet.machine("third");
    third.exchange("pull", &["--testbed", POOL[1]]);
    assert_eq!(third.ids_like(&on(POOL[1], 0)), ids(0..4));
    assert_eq!(third.ids_like(&on(OTHER_PROCESSOR, 0)), []);
    for machine in [&one, &other] {
        assert_eq!(runs_of(machine, &all), [4, 4, 2]);
        let [here, there] = histories(machine);
        assert_eq!((here.lines().count(), &here), (2, &there));
    }
    // What a machine of the pool adds is in the history of all of them.
    third.store().append(&on(POOL[1], 4)).unwrap();
    third.push();
    one.exchange("pull", &["--testbed", POOL[0]]);
    assert_eq!(runs_of(&one, &all), [5, 5, 2]);
    decide(&other, &["restore", POOL[1]]);
    receive_all(&one);
    assert_eq!(runs_of(&one, &all), [2, 3, 2]);
}

pub(crate) fn a_testbed_that_is_renamed_or_retired_on_one_machine_is_so_on_all(fleet: &Fleet) {
    let [one, other] = machines_with_all_testbeds(fleet);
    decide(&one, &["rename", POOL[0], "ci/new"]);
    decide(&one, &["retire", OTHER_PROCESSOR]);
    receive_all(&other);
    for machine in [&one, &other] {
        assert_eq!(runs_of(machine, &["ci/new", POOL[1], OTHER_PROCESSOR]), [2, 2, 0]);
        let [here, there] = histories(machine);
        assert_eq!((here.lines().count(), &here), (2, &there));
        assert!(here.contains("ci/new") && !here.contains(OTHER_PROCESSOR), "{here}");
    }
    // Whoever runs after the decision is there again.
    let later = Run { started_ms: 4_102_444_800_000, ..on(OTHER_PROCESSOR, 9) };
    other.store().append(&later).unwrap();
    other.push();
    receive_all(&one);
    assert_eq!(one.ids_like(&on(OTHER_PROCESSOR, 0)), ids([9]));
}

pub(crate) fn a_history_whose_testbed_was_retired_in_the_gap_is_received_whole(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..150);
    let decision = TestbedDecision {
        id: "01KDVDNR000000000000000001".into(),
        testbed: TESTBED.into(),
        change: TestbedChange::Retired,
        given_ms: example_run(109).started_ms,
    };
    one.store().annotate(Annotation::Testbed(&decision)).unwrap();
    one.push();
    // Decisions are received with any testbed.
    let decisions = other.exchange("pull", &["--testbed", OTHER_PROCESSOR]);
    assert_eq!(counts(&decisions), [1, 0, 0]);
    let dry = |runs| {
        let options = ["--newest", runs, "--testbed", TESTBED, "--dry-run"];
        counts(&other.exchange("pull", &options))
    };
    // The anchor is measured from the first runs since then.
    assert_eq!(dry("20"), [150, 0, 0]);
    // All of them are among the newest.
    assert_eq!(dry("45"), [145, 0, 0]);
    // A machine that gets the decision with the runs.
    let third = fleet.machine("third");
    let received = third.exchange("pull", &["--newest", "20", "--testbed", TESTBED]);
    assert_eq!(counts(&received), [151, 0, 0]);
    assert_eq!(third.ids(), ids(110..150));
}
