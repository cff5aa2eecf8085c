//! What machines get from each other.

use crate::fleet::{Fleet, TESTBED, counts, ids};
use perftest_core::model::{Acceptance, BenchmarkId, BenchmarkPattern, Metric, Run, RunId};
use perftest_store::conformance::{example_run, resealed};
use perftest_store::{Annotation, Query, Store, TestbedChange, TestbedDecision, Which};
use std::fs;

pub(crate) fn runs_of_one_machine_are_there_for_another(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    assert_eq!(counts(&other.pull()), [3, 0, 0]);
    assert_eq!(other.ids(), ids(0..3));
    assert_eq!(fs::read(other.history_file()).unwrap(), fs::read(one.history_file()).unwrap());
}

pub(crate) fn decisions_and_contexts_travel_and_executables_do_not(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    let acceptance = |id: &str| Acceptance {
        id: id.into(),
        benchmark: BenchmarkPattern::new("codec::*"),
        testbed: String::new(),
        max_ratio: 1.2,
        reason: "checksums".into(),
        given_ms: 1,
        until_ms: None,
    };
    for id in ["01KDVDNR000000000000000001", "01KDVDNR000000000000000002"] {
        one.store().annotate(Annotation::Acceptance(&acceptance(id))).unwrap();
    }
    let of = "01KDVDNR000000000000000001";
    one.store().annotate(Annotation::Revocation { of, at_ms: 2 }).unwrap();
    let context = Annotation::Context { hash: "0123456789abcdef", json: "{\"rustc\":\"1.95\"}\n" };
    one.store().annotate(context).unwrap();
    let executables = one.project().directory(&one.store).join("executables");
    fs::create_dir_all(&executables).unwrap();
    fs::write(executables.join("0123456789abcdef.json"), "{}").unwrap();
    assert_eq!(counts(&one.push()), [5, 0, 0]);
    assert_eq!(counts(&other.pull()), [5, 0, 0]);
    let standing = other.store().acceptances().unwrap().value;
    assert_eq!(standing, [acceptance("01KDVDNR000000000000000002")]);
    let json = other.store().context("0123456789abcdef").unwrap();
    assert_eq!(json.as_deref(), Some("{\"rustc\":\"1.95\"}\n"));
    assert!(!other.project().directory(&other.store).join("executables").exists());
}

pub(crate) fn what_was_sent_is_not_sent_again(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    assert_eq!(counts(&one.push()), [0, 0, 0]);
    one.append([3]);
    assert_eq!(counts(&one.push()), [1, 0, 0]);
    assert_eq!(fleet.lines().len(), 4);
    let (code, text, _) = one.ends("push", &[]);
    assert!(code == 0 && text.starts_with("nothing new to send to "), "{text}");
}

pub(crate) fn what_was_received_is_not_sent_back(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    one.push();
    other.pull();
    assert_eq!(counts(&other.push()), [0, 0, 0]);
    other.append([3]);
    assert_eq!(counts(&other.push()), [1, 0, 0]);
    assert_eq!(counts(&one.pull())[0], 1);
    assert_eq!(one.ids(), ids(0..4));
}

pub(crate) fn what_one_direction_did_not_exchange_is_left_to_the_other(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    one.push();
    // Sent before it received, and received before it sent.
    other.append([1]);
    assert_eq!(counts(&other.push()), [1, 0, 0]);
    assert_eq!(counts(&other.pull())[0], 1);
    one.append([2]);
    assert_eq!(counts(&one.pull())[0], 1);
    assert_eq!(counts(&one.push())[0], 1);
    other.pull();
    for machine in [one, other] {
        let mut found = machine.ids();
        found.sort();
        assert_eq!(found, ids(0..3));
    }
}

pub(crate) fn a_run_is_there_once_however_often_it_is_sent(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    one.push();
    assert_eq!(counts(&one.exchange("push", &["--again"])), [0, 3, 0]);
    one.forget_exchanges();
    assert_eq!(counts(&one.push()), [0, 3, 0]);
    // The same runs from another store.
    other.append(0..4);
    assert_eq!(counts(&other.push()), [1, 3, 0]);
    other.forget_exchanges();
    assert_eq!(counts(&other.pull()), [0, 4, 0]);
    assert_eq!((fleet.lines().len(), other.ids()), (4, ids(0..4)));
}

pub(crate) fn runs_that_arrive_in_any_order_are_received_in_the_order_of_time(fleet: &Fleet) {
    let [one, other, third] = ["one", "other", "third"].map(|name| fleet.machine(name));
    one.append([5, 7]);
    one.push();
    other.append([3, 6]);
    other.push();
    third.append([4, 8]);
    third.pull();
    assert_eq!(third.ids(), ids(3..9));
    assert_eq!(counts(&third.push()), [2, 4, 0]);
    assert_eq!(counts(&third.push()), [0, 0, 0]);
}

pub(crate) fn a_clock_that_steps_back_loses_nothing(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for ordinals in [[9, 2], [8, 1]] {
        one.append(ordinals);
        one.push();
        other.pull();
    }
    let mut found = other.ids();
    found.sort();
    assert_eq!(found, ids([1, 2, 8, 9]));
}

pub(crate) fn unknown_keys_and_kinds_travel(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    let line = fs::read_to_string(one.history_file()).unwrap();
    let newer = resealed(&line.replacen("{\"v\":1,", "{\"v\":1,\"new\":[1],", 1));
    let novelty = "{\"kind\":\"novelty\",\"v\":1}\n";
    fs::write(one.history_file(), format!("{newer}{novelty}")).unwrap();
    assert_eq!(counts(&one.push()), [2, 0, 0]);
    assert_eq!(counts(&other.pull()), [2, 0, 0]);
    assert_eq!(fs::read_to_string(other.history_file()).unwrap(), format!("{newer}{novelty}"));
    assert_eq!(other.ids(), ids([0]));
}

pub(crate) fn names_of_any_script_travel(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let named = |name: &str| Run {
        benchmark: BenchmarkId::from_recorded(name),
        testbed: "лаб/7f3a".into(),
        ..example_run(0)
    };
    let names = ["größe", "ключ::значение", "..", "a b/c\"d\n", "🦀"];
    names.iter().for_each(|name| one.store().append(&named(name)).unwrap());
    one.push();
    other.exchange("pull", &["--testbed", "лаб/7f3a"]);
    for name in names {
        assert_eq!(other.ids_like(&named(name)), ids([0]), "{name}");
    }
}

pub(crate) fn ten_thousand_runs_travel(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    let line = fs::read_to_string(one.history_file()).unwrap();
    let id = |ordinal: u64| RunId::new(1_767_225_600_000 + ordinal, u128::from(ordinal));
    let first = example_run(0).id;
    let with = |ordinal| resealed(&line.replacen(first.as_str(), id(ordinal).as_str(), 1));
    let text: String = (1..=10_000).map(with).collect();
    fs::write(one.history_file(), text).unwrap();
    assert_eq!(counts(&one.push()), [10_000, 0, 0]);
    assert_eq!(counts(&other.pull()), [10_000, 0, 0]);
    assert_eq!(other.ids(), (1..=10_000).map(id).collect::<Vec<_>>());
    assert_eq!(counts(&one.push()), [0, 0, 0]);
}

pub(crate) fn two_processors_behind_one_label_never_mix(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let on = |testbed: &str, ordinal| Run { testbed: testbed.into(), ..example_run(ordinal) };
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

pub(crate) fn only_the_named_tests_are_received(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let named = |name: &str| Run { benchmark: BenchmarkId::from_recorded(name), ..example_run(1) };
    for name in ["codec::frame::encode", "codec::frame::decode", "codec::index::insert"] {
        one.store().append(&named(name)).unwrap();
    }
    one.push();
    let named_alone = other.exchange("pull", &["frame::decode", "--testbed", TESTBED]);
    assert_eq!(counts(&named_alone), [1, 0, 0]);
    assert_eq!(other.ids_like(&named("codec::frame::decode")), ids([1]));
    assert_eq!(counts(&other.pull()), [2, 0, 0]);
}

pub(crate) fn the_newest_runs_and_the_first_ones_are_received_where_no_more_are_needed(
    fleet: &Fleet,
) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for ordinal in 0..150 {
        one.append([ordinal]);
        let cpu = Metric { name: "cpu".into(), ..Metric::wall() };
        one.store().append(&Run { metric: cpu, ..example_run(ordinal) }).unwrap();
    }
    assert_eq!(counts(&one.push()), [300, 0, 0]);
    let newest = ["--newest", "20", "--testbed", TESTBED];
    let dry = [&newest[..], &["--dry-run"]].concat();
    assert_eq!(counts(&other.exchange("pull", &dry)), [140, 0, 0]);
    assert_eq!(counts(&other.exchange("pull", &newest)), [140, 0, 0]);
    assert_eq!(other.ids(), ids((0..50).chain(130..150)));
    // What was received is not sent back, and the rest is still received.
    assert_eq!(counts(&other.push()), [0, 0, 0]);
    other.append([150]);
    assert_eq!(counts(&other.push()), [1, 0, 0]);
    assert_eq!(counts(&other.pull()), [160, 141, 0]);
    assert_eq!(other.ids(), ids(0..151));
    // A history that was received is received as before.
    one.append([151]);
    one.push();
    assert_eq!(counts(&other.exchange("pull", &newest)), [1, 0, 0]);
}

pub(crate) fn a_dry_run_changes_nothing(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    assert_eq!(counts(&one.exchange("push", &["--dry-run"])), [3, 0, 0]);
    assert_eq!((fleet.lines().len(), counts(&one.push())), (0, [3, 0, 0]));
    let dry = ["--dry-run", "--testbed", TESTBED];
    assert_eq!(counts(&other.exchange("pull", &dry)), [3, 0, 0]);
    assert!(!other.store.exists());
    let (_, text, _) = other.ends("pull", &dry);
    assert!(text.contains("3 records of 1 file would be received from "), "{text}");
    assert_eq!(counts(&other.pull()), [3, 0, 0]);
}

pub(crate) fn runs_for_display_enter_no_baseline_here_and_on_other_machines(fleet: &Fleet) {
    let [fork, one, other] = ["fork", "one", "other"].map(|name| fleet.machine(name));
    fork.append(0..3);
    fork.push();
    let shown = Run { testbed: format!("show-only/{TESTBED}"), ..example_run(0) };
    let options = ["--testbed", TESTBED, "--show-only"];
    assert_eq!(counts(&one.exchange("pull", &options)), [3, 0, 0]);
    assert_eq!(counts(&one.exchange("pull", &options)), [0, 0, 0]);
    assert_eq!((one.ids(), one.ids_like(&shown)), (ids([]), ids(0..3)));
    // They travel as what they are.
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    other.exchange("pull", &["--all"]);
    assert_eq!((other.ids(), other.ids_like(&shown)), (ids(0..3), ids(0..3)));
    let query = Query { which: Which::CountedForBaseline, ..Query::like(&shown) };
    assert!(other.store().load(&query).unwrap().value.runs.is_empty());
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
    let history = third.run(&["history", "--remote", &third.address, "--json"]);
    let history = String::from_utf8(history.stdout).unwrap();
    assert!(history.lines().count() == 2 && history.contains("\"runs\":3"), "{history}");
    // It knows nothing of the decision before.
    let received = third.exchange("pull", &["--testbed", &of_other.testbed]);
    assert_eq!(counts(&received), [4, 0, 0]);
    assert_eq!(third.ids_like(&of_other), ids(0..3));
    assert_eq!(third.ids_like(&of_none), ids([]));
}

pub(crate) fn a_store_with_summaries_sends_nothing_twice_and_gets_nothing_back(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..250);
    assert_eq!(counts(&one.push()), [250, 0, 0]);
    let gc = || one.run(&["gc", "--keep", "200", "--json"]);
    assert!(gc().status.success());
    // Ten stay as the anchor.
    assert_eq!(one.ids().len(), 210);
    assert_eq!((counts(&one.push()), counts(&one.pull())), ([0, 0, 0], [0, 0, 0]));
    one.append([250]);
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
    assert!(gc().status.success());
    let after = fs::read_to_string(one.history_file()).unwrap();
    let summaries = |text: &str| text.matches("\"kind\":\"summary\"").count();
    assert_eq!((summaries(&before), summaries(&after)), (1, 1));
    assert_eq!(one.ids().len(), 210);
}
