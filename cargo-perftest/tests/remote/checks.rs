//! What machines get from each other.

use crate::fleet::{Fleet, Machine, TESTBED, counts, ids};
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Metric, Revision, Run, RunId,
};
use perftest_store::conformance::{example_run, resealed};
use perftest_store::{Annotation, Query, Store, Which};
use perftest_tests::{Outcome, git, git_command};
use std::fs;

pub(crate) fn runs_of_one_machine_are_there_for_another(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    assert_eq!(counts(&other.pull()), [3, 0, 0]);
    assert_eq!(other.ids(), ids(0..3));
    assert_eq!(fs::read(other.history_file()).unwrap(), fs::read(one.history_file()).unwrap());
}

pub(crate) fn revocations_and_contexts_travel_and_acceptances_and_executables_do_not(
    fleet: &Fleet,
) {
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
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    assert_eq!(counts(&other.pull()), [3, 0, 0]);
    // They are for the machine that has them.
    assert_eq!(other.store().decisions().unwrap().value.acceptances, []);
    // A copy of the store has them, and a revocation that arrives alone holds there, too.
    let id = "01KDVDNR000000000000000002";
    other.store().annotate(Annotation::Acceptance(&acceptance(id))).unwrap();
    one.store().annotate(Annotation::Revocation { of: id, at_ms: 3 }).unwrap();
    assert_eq!((counts(&one.push()), counts(&other.pull())), ([1, 0, 0], [1, 0, 0]));
    assert_eq!(other.store().decisions().unwrap().value.acceptances, []);
    let json = other.store().context("0123456789abcdef").unwrap();
    assert_eq!(json.as_deref(), Some("{\"rustc\":\"1.95\"}\n"));
    assert!(!other.project().directory(&other.store).join("executables").exists());
}

/// As a pull from the store of another machine finds it, and from a remote that an older tool wrote.
pub(crate) fn an_acceptance_for_another_machine_is_not_received(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    let accept = ["accept", "encode", "--max-ratio", "1.3", "--reason", "x", "--local"];
    one.run(&accept).ended_with(0);
    assert_eq!(one.store().decisions().unwrap().value.acceptances.len(), 1);
    let address = format!("dir:{}", one.store.display());
    let text = other.run(&["pull", &address, "--testbed", TESTBED]).stdout;
    assert!(text.starts_with("1 record of 2 files received"), "{text}");
    assert!(text.contains("\n1 acceptance left out: "), "{text}");
    assert_eq!(other.store().decisions().unwrap().value.acceptances, []);
    assert_eq!(other.ids(), ids([0]));
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

/// Receives the histories of tables.
const OF_IMPORTS: [&str; 2] = ["--testbed", "imported/csv"];

/// Imports one run with this value.
fn import(machine: &Machine, value: u32) {
    let table = format!("benchmark,value,time\ncodec/encode,{value},2026-01-31\n");
    fs::write(machine.clone.join("table.csv"), table).unwrap();
    machine.run(&["import", "csv", "table.csv"]).ended_with(0);
}

/// The values of the imported history in the store and in the remote.
fn imported_values(machine: &Machine) -> [f64; 2] {
    let remote = ["--remote", &machine.address];
    [&[][..], &remote].map(|more| {
        let answer = machine.run(&[&["history", "encode", "--json"], more].concat());
        let runs = answer.ended_with(0).json();
        assert_eq!(runs.len(), 1);
        runs[0]["median"].as_f64().unwrap()
    })
}

pub(crate) fn a_correction_that_returns_to_an_earlier_value_is_the_answer_everywhere(
    fleet: &Fleet,
) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for value in [100, 130, 100] {
        import(&one, value);
        one.push();
        other.exchange("pull", &OF_IMPORTS);
    }
    assert_eq!([&one, &other].map(imported_values), [[100.0; 2]; 2]);
}

pub(crate) fn of_two_corrections_the_later_one_is_the_answer_everywhere(fleet: &Fleet) {
    let [one, other, third] = ["one", "other", "third"].map(|name| fleet.machine(name));
    import(&one, 100);
    one.push();
    other.exchange("pull", &OF_IMPORTS);
    import(&one, 130);
    import(&other, 150);
    // The later one arrives first.
    other.push();
    one.push();
    let machines = [&one, &other, &third];
    machines.iter().for_each(|machine| drop(machine.exchange("pull", &OF_IMPORTS)));
    assert_eq!(machines.map(imported_values), [[150.0; 2]; 3]);
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

/// As a tool finds it that is older than the harness.
pub(crate) fn a_run_with_an_unknown_verdict_travels(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0, 1]);
    let text = fs::read_to_string(one.history_file()).unwrap();
    let (first, second) = text.split_at(text.find('\n').unwrap() + 1);
    let newer = resealed(&first.replacen("\"verdict\":\"green\"", "\"verdict\":\"novel\"", 1));
    assert_ne!(newer, first);
    fs::write(one.history_file(), newer.clone() + second).unwrap();
    assert_eq!(counts(&one.push()), [2, 0, 0]);
    assert_eq!(counts(&other.pull()), [2, 0, 0]);
    assert_eq!(fs::read_to_string(other.history_file()).unwrap(), newer + second);
    // No reader of this version uses it.
    assert_eq!(other.ids(), ids([1]));
}

pub(crate) fn names_of_any_script_travel(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let named = |name: &str| Run {
        benchmark: BenchmarkId::from_recorded(name),
        testbed: "лаб/7f3a".into(),
        ..example_run(0)
    };
    let long = "x".repeat(1 << 16);
    let names = ["größe", "ключ::значение", "..", "a b/c\"d\n", "🦀", "'; --\\", "\0\u{7f}", &long];
    names.iter().for_each(|name| one.store().append(&named(name)).unwrap());
    one.push();
    other.exchange("pull", &["--testbed", "лаб/7f3a"]);
    for name in names {
        assert_eq!(other.ids_like(&named(name)), ids([0]), "{name:.20}");
    }
    let answer = |source: &[&str]| one.run(&[&["history", "--json"], source].concat()).stdout;
    assert_eq!(answer(&["--remote", &one.address]), answer(&[]));
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

pub(crate) fn a_name_that_no_test_has_is_no_name_of_which_all_was_received(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    one.push();
    let pull = |test: &str| other.ends("pull", &[test, "--testbed", TESTBED]);
    let (code, text, _) = pull("encodee");
    let note = "has no test with `encodee` in its name; without a name it has 1 history (";
    assert!(code == 0 && text.contains(note), "{text}");
    assert_eq!(other.ids(), []);
    let (code, text, _) = pull("encode");
    assert!(code == 0 && text.starts_with("1 record of 1 file received"), "{text}");
    let (_, text, _) = pull("encode");
    assert!(text.starts_with("nothing new in "), "{text}");
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
    let newest = ["--newest", "40", "--testbed", TESTBED];
    let dry = [&newest[..], &["--dry-run"]].concat();
    assert_eq!(counts(&other.exchange("pull", &dry)), [180, 0, 0]);
    assert_eq!(counts(&other.exchange("pull", &newest)), [180, 0, 0]);
    assert_eq!(other.ids(), ids((0..50).chain(110..150)));
    // What was received is not sent back, and the rest is still received.
    assert_eq!(counts(&other.push()), [0, 0, 0]);
    other.append([150]);
    assert_eq!(counts(&other.push()), [1, 0, 0]);
    assert_eq!(counts(&other.pull()), [120, 181, 0]);
    assert_eq!(other.ids(), ids(0..151));
    // A history that was received is received as before.
    one.append([151]);
    one.push();
    assert_eq!(counts(&other.exchange("pull", &newest)), [1, 0, 0]);
}

pub(crate) fn a_history_whose_newest_runs_are_of_branches_is_received_whole(fleet: &Fleet) {
    let one = fleet.machine("one");
    for ordinal in 0..150 {
        let branch = if ordinal < 40 || ordinal == 149 { "main" } else { "topic" };
        let (commit, dirty) = (format!("{ordinal:040x}"), false);
        let revision = Revision { commit, branch: branch.to_owned(), dirty, ..Revision::default() };
        one.store().append(&Run { revision, ..example_run(ordinal) }).unwrap();
    }
    one.push();
    let mut job = fleet.machine("job");
    let newest = ["--newest", "40", "--testbed", TESTBED, "--dry-run"];
    for (default_branch, received) in [("main", 150), ("topic", 140)] {
        job.environment = vec![("PERFTEST_DEFAULT_BRANCH", default_branch)];
        assert_eq!(counts(&job.exchange("pull", &newest)), [received, 0, 0], "{default_branch}");
    }
}

pub(crate) fn a_checkout_before_the_newest_runs_receives_a_history_whole(fleet: &Fleet) {
    let [one, job] = ["one", "job"].map(|name| fleet.machine(name));
    for order in 1..=150 {
        let (commit, branch) = (format!("{order:040x}"), "main".to_owned());
        let revision = Revision { commit, branch, dirty: false, order, ..Revision::default() };
        one.store().append(&Run { revision, ..example_run(order) }).unwrap();
    }
    one.push();
    let commit = |seconds: u64| {
        let mut commit = git_command(&job.clone);
        commit.args(["commit", "--quiet", "--allow-empty", "--message=a"]);
        Outcome::of(commit.env("GIT_COMMITTER_DATE", format!("@{seconds} +0000"))).ended_with(0);
    };
    let newest = ["--newest", "40", "--testbed", TESTBED, "--dry-run"];
    let received = || counts(&job.exchange("pull", &newest));
    commit(110);
    git(&job.clone, &["branch", "release"]);
    commit(150);
    assert_eq!(received(), [140, 0, 0]);
    git(&job.clone, &["checkout", "--quiet", "release"]);
    // The release has a later commit of its own.
    commit(200);
    assert_eq!(received(), [150, 0, 0]);
}

pub(crate) fn a_history_that_was_accepted_long_ago_is_received_whole(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for ordinal in 0..150 {
        let acceptance = (ordinal >= 110).then(|| "01KDVDNR000000000000000001".to_owned());
        let counted = Run { counts_for_baseline: true, ..example_run(ordinal) };
        one.store().append(&Run { acceptance, ..counted }).unwrap();
    }
    one.push();
    let newest = |runs| ["--newest", runs, "--testbed", TESTBED];
    let dry = [&newest("20")[..], &["--dry-run"]].concat();
    // The anchor is measured from the first runs under the acceptance.
    assert_eq!(counts(&other.exchange("pull", &dry)), [150, 0, 0]);
    // All of them are among the newest.
    let dry = [&newest("45")[..], &["--dry-run"]].concat();
    assert_eq!(counts(&other.exchange("pull", &dry)), [145, 0, 0]);
    assert_eq!(counts(&other.exchange("pull", &newest("20"))), [150, 0, 0]);
    assert_eq!(other.ids(), ids(0..150));
    assert_eq!(counts(&other.exchange("pull", &newest("20"))), [0, 0, 0]);
}

pub(crate) fn a_history_that_was_received_in_part_is_so_in_a_store_that_gets_it_by_a_merge(
    fleet: &Fleet,
) {
    let [one, job, merged] = ["one", "job", "merged"].map(|name| fleet.machine(name));
    let former = fleet.machine("former");
    one.append(0..50);
    one.push();
    former.pull();
    one.append(50..300);
    one.push();
    job.exchange("pull", &["--newest", "20", "--testbed", TESTBED]);
    // One has all runs, one the first of them, one none.
    for machine in [one, former, merged] {
        machine.run(&["merge", job.store.to_str().unwrap()]).ended_with(0);
        assert_eq!(machine.check().code, Some(2));
        machine.pull();
        assert_eq!((machine.check().code, machine.ids()), (Some(0), ids(0..300)));
    }
}

pub(crate) fn a_history_that_was_received_in_part_is_checked_once_the_rest_is_received(
    fleet: &Fleet,
) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let newest = ["--newest", "20", "--testbed", TESTBED];
    let check = || {
        let output = other.check();
        (output.code, output.stderr)
    };
    one.append(0..110);
    one.push();
    // The first 100 and the newest runs are all.
    other.exchange("pull", &newest);
    assert_eq!((check(), other.ids()), ((Some(0), String::new()), ids(0..110)));
    fs::remove_dir_all(&other.store).unwrap();
    one.append(110..150);
    one.push();
    other.exchange("pull", &[&newest[..], &["--dry-run"]].concat());
    other.exchange("pull", &newest);
    let (code, error) = check();
    let repair =
        format!("receive them: cargo perftest pull {} --testbed {TESTBED}\n", other.address);
    assert!(code == Some(2) && error.contains(&repair), "{error}");
    // A question to the remote has all runs.
    other.run(&["check", "--branch", "*", "--remote", &other.address]).ended_with(0);
    other.pull();
    assert_eq!((check(), other.ids()), ((Some(0), String::new()), ids(0..150)));
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
