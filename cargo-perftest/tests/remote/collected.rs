//! Machines whose older runs became summaries: the remote keeps the runs.

use crate::fleet::{Fleet, Machine, TESTBED, counts, ids};
use perftest_core::model::Run;
use perftest_store::Store;
use perftest_store::conformance::example_run;
use std::fs;

/// Appends runs. Those from 10 to 60 do not count, so they may become parts of summaries.
fn append(machine: &Machine, ordinals: impl IntoIterator<Item = u64>) {
    for ordinal in ordinals {
        let counts_for_baseline = !(10..60).contains(&ordinal);
        machine.store().append(&Run { counts_for_baseline, ..example_run(ordinal) }).unwrap();
    }
}

pub(crate) fn a_store_with_summaries_sends_nothing_twice_and_gets_nothing_back(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    append(&one, 0..250);
    assert_eq!(counts(&one.push()), [250, 0, 0]);
    let gc = || one.run(&["gc", "--keep", "200", "--json"]);
    gc().ended_with(0);
    // Ten stay for baselines.
    assert_eq!(one.ids().len(), 210);
    assert_eq!((counts(&one.push()), counts(&one.pull())), ([0, 0, 0], [0, 0, 0]));
    append(&one, [250]);
    assert_eq!((counts(&one.push()), one.ids().len()), ([1, 0, 0], 211));
    // The remote has the runs themselves, for everybody.
    other.pull();
    assert_eq!(other.ids(), ids(0..251));
    // A crash before the last moment sends runs again, and adds nothing to the remote.
    one.forget_exchanges();
    assert_eq!(counts(&one.push()), [0, 211, 0]);
    assert_eq!(fleet.lines().len(), 251);
    // What is received again is summarised again.
    one.exchange("pull", &["--testbed", TESTBED, "--again"]);
    assert_eq!(one.ids().len(), 251);
    let before = fs::read_to_string(one.history_file()).unwrap();
    gc().ended_with(0);
    let after = fs::read_to_string(one.history_file()).unwrap();
    let summaries = |text: &str| text.matches("\"kind\":\"summary\"").count();
    // One run more is old now.
    assert_eq!((summaries(&before), summaries(&after)), (1, 2));
    assert_eq!(one.ids().len(), 210);
}

pub(crate) fn a_pull_behind_the_runs_of_another_machine_brings_back_none_of_a_summary(
    fleet: &Fleet,
) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    append(&one, 0..10);
    one.push();
    append(&other, [10]);
    other.push();
    append(&one, 11..250);
    one.push();
    one.run(&["gc", "--keep", "200"]).ended_with(0);
    assert_eq!(one.ids().len(), 210);
    assert_eq!(counts(&one.pull())[0], 1);
    assert_eq!(one.ids().len(), 211);
    assert_eq!(counts(&one.pull()), [0, 0, 0]);
}

pub(crate) fn a_pull_of_newest_runs_brings_back_none_that_became_parts_of_summaries(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let newest = ["--newest", "160", "--testbed", TESTBED];
    append(&one, 0..250);
    one.push();
    assert_eq!(counts(&other.exchange("pull", &newest)), [250, 0, 0]);
    collect(&other);
    let kept = other.ids();
    // Of a history that was received whole, and of one that was not.
    assert_eq!(counts(&other.exchange("pull", &newest)), [0, 250, 0]);
    assert_eq!(other.ids(), kept);
    append(&one, 250..420);
    one.push();
    assert_eq!(counts(&other.exchange("pull", &newest)), [160, 100, 0]);
    let received = [kept, ids(260..420)].concat();
    assert_eq!(other.ids(), received);
    // Nor does the pull of the runs between.
    other.exchange("pull", &["--testbed", TESTBED]);
    let missing: Vec<_> = ids(250..260);
    let mut all = [received, missing].concat();
    all.sort_unstable();
    assert_eq!(other.ids(), all);
}

/// What commands find out from the history of a machine, or from the remote.
fn answers(machine: &Machine, questions: &[&[&str]], source: &[&str]) -> Vec<String> {
    let answer = |question: &&[&str]| {
        let output = machine.run(&[question, source].concat());
        assert!(output.stderr.is_empty(), "{output}");
        output.stdout
    };
    questions.iter().map(answer).collect()
}

/// Answers from the runs that a verdict reads.
const OF_VERDICTS: [&[&str]; 2] = [&["drift", "--json", "--all"], &["power", "--json"]];
/// Answers from all runs.
const OF_ALL_RUNS: [&[&str]; 2] =
    [&["history", "--json", "--limit", "1000"], &["changepoints", "--json"]];

fn collect(machine: &Machine) {
    machine.run(&["gc", "--keep", "200"]).ended_with(0);
    assert_eq!(machine.ids().len(), 210);
}

pub(crate) fn after_one_machine_has_collected_all_machines_answer_as_before(fleet: &Fleet) {
    let [one, third] = ["one", "third"].map(|name| fleet.machine(name));
    append(&one, 0..250);
    one.push();
    let of_verdicts = answers(&one, &OF_VERDICTS, &[]);
    let of_all_runs = answers(&one, &OF_ALL_RUNS, &[]);
    collect(&one);
    one.run(&["sync", &one.address]).ended_with(0);
    assert_eq!((one.ids().len(), fleet.lines().len()), (210, 250));
    assert_eq!(answers(&one, &OF_VERDICTS, &[]), of_verdicts);
    third.pull();
    assert_eq!(third.ids(), ids(0..250));
    let remote = ["--remote", &third.address];
    for source in [&[][..], &remote] {
        assert_eq!(answers(&third, &OF_VERDICTS, source), of_verdicts);
        assert_eq!(answers(&third, &OF_ALL_RUNS, source), of_all_runs);
    }
}

pub(crate) fn a_machine_that_still_has_collected_runs_doubles_none(fleet: &Fleet) {
    let [one, old] = ["one", "old"].map(|name| fleet.machine(name));
    append(&one, 0..250);
    one.push();
    old.pull();
    collect(&one);
    // A crash before the last moment: this machine sends all that it has.
    old.forget_exchanges();
    assert_eq!(counts(&old.push()), [0, 250, 0]);
    append(&old, [250]);
    assert_eq!(counts(&old.push()), [1, 0, 0]);
    assert_eq!(fleet.lines().len(), 251);
    assert_eq!(counts(&one.pull())[0], 1);
    assert_eq!(one.ids().len(), 211);
    // It collects, too, and both still answer from the same runs.
    old.pull();
    old.run(&["gc", "--keep", "200"]).ended_with(0);
    assert_eq!((counts(&old.push()), counts(&old.pull())), ([0, 0, 0], [0, 0, 0]));
    assert_eq!(answers(&old, &OF_VERDICTS, &[]), answers(&one, &OF_VERDICTS, &[]));
    assert_eq!(fleet.lines().len(), 251);
}
