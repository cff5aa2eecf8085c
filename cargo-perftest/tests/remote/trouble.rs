//! Damage, refusals and remotes that are gone.

use crate::fleet::{Fleet, Kind, TESTBED, counts, ids};
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::Store;
use perftest_store::conformance::{example_run, resealed};
use std::fs;

/// Where a pull goes.
const HERE: [&str; 2] = ["--testbed", TESTBED];

pub(crate) fn a_value_that_is_no_number_is_neither_sent_nor_received(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let no_number = |text: &str| {
        let lines = text
            .lines()
            .map(|line| resealed(&line.replacen("\"samples\":[", "\"samples\":[NaN,", 1)));
        lines.collect::<String>()
    };
    one.append([0, 1]);
    let text = fs::read_to_string(one.history_file()).unwrap();
    let first = text.find('\n').unwrap() + 1;
    fs::write(one.history_file(), format!("{}{}", no_number(&text[..first]), &text[first..]))
        .unwrap();
    let (code, answer, warnings) = one.ends("push", &[]);
    assert_eq!(code, 0);
    assert!(
        answer.contains("1 record of 1 file sent") && answer.contains("1 damaged line"),
        "{answer}"
    );
    assert!(warnings.contains(":1): key `samples`"), "{warnings}");
    assert_eq!(fleet.lines().len(), 1);
    fleet.change(|text| text.clone() + &no_number(&text));
    let (code, answer, warnings) = other.ends("pull", &HERE);
    assert_eq!(code, 0);
    assert!(answer.contains("1 record of 1 file received"), "{answer}");
    assert!(warnings.contains(":2): key `samples`"), "{warnings}");
    assert_eq!(other.ids(), ids([1]));
}

pub(crate) fn a_line_that_no_database_keeps_costs_only_itself(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    let mut content = fs::read(one.history_file()).unwrap();
    // A value of a later version may be anything, and none of ours.
    content.extend(b"{\"kind\":\"novelty\",\"v\":1,\"x\":[\0]}\n");
    content.extend(b"{\"kind\":\"novelty\",\"v\":1,\"x\":[\xff]}\n");
    fs::write(one.history_file(), content).unwrap();
    one.append([1]);
    let (code, answer, warnings) = one.ends("push", &[]);
    assert_eq!(code, 0, "{warnings}");
    assert!(answer.contains("2 records of 1 file sent"), "{answer}");
    assert!(warnings.contains(":2)") && warnings.contains(":3)"), "{warnings}");
    other.pull();
    assert_eq!(other.ids(), ids([0, 1]));
}

pub(crate) fn a_damaged_line_costs_only_itself(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..3);
    one.push();
    fleet.change(|text| text.replacen("\"wall\"", "\"walk\"", 1) + "garbage\n");
    let (code, answer, warnings) = other.ends("pull", &HERE);
    assert_eq!((code, other.ids()), (0, ids([1, 2])));
    assert!(answer.contains("2 damaged lines left out"), "{answer}");
    assert!(warnings.contains(":1)") && warnings.contains(":4)"), "{warnings}");
    // A push brings back what was damaged.
    one.append([3]);
    assert_eq!(counts(&one.exchange("push", &["--again"])), [2, 2, 0]);
    let (code, ..) = other.ends("pull", &HERE);
    assert_eq!((code, other.ids().len()), (0, 4));
}

/// As another machine leaves it that lost its power.
pub(crate) fn a_line_that_is_not_finished_keeps_no_history_cut(fleet: &Fleet) {
    if !fleet.kind.is_made_by_a_push() {
        // A database has whole rows.
        return;
    }
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..150);
    one.push();
    other.exchange("pull", &["--newest", "40", "--testbed", TESTBED]);
    fleet.change(|text| text + "{\"v\":1,");
    assert_eq!(other.check().code, Some(2));
    assert_eq!(counts(&other.pull()), [10, 140, 0]);
    assert_eq!((other.check().code, other.ids()), (Some(0), ids(0..150)));
}

pub(crate) fn a_file_of_another_version_is_left_as_it_is(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let decode =
        Run { benchmark: BenchmarkId::from_recorded("codec::frame::decode"), ..example_run(0) };
    one.append([0]);
    one.store().append(&decode).unwrap();
    one.push();
    fleet.change(|text| text + "{\"v\":200}\n");
    let before = fleet.lines();
    let (code, answer, error) = other.ends("pull", &HERE);
    assert_eq!(code, 5);
    assert!(answer.contains("1 record of 2 files received"), "{answer}");
    assert!(error.contains("codec-frame-encode") && error.contains("format 200"), "{error}");
    assert_eq!(other.ids_like(&decode), ids([0]));
    one.append([1]);
    one.store().append(&Run { id: example_run(1).id, ..decode.clone() }).unwrap();
    let (code, answer, error) = one.ends("push", &[]);
    assert!(code == 5 && answer.contains("1 record of 2 files sent"), "{answer}");
    assert!(error.contains("codec-frame-encode") && error.contains("format 200"), "{error}");
    assert_eq!(fleet.lines(), before);
}

pub(crate) fn a_remote_that_is_gone_keeps_every_run_here(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    one.append([3]);
    let gone = fleet.move_away();
    for command in ["push", "sync"] {
        let error = one.run(&[command, &gone]).ended_with(5).stderr;
        assert!(error.starts_with("error: "), "{error}");
    }
    assert_eq!(one.ids(), ids(0..4));
    fleet.move_back();
    assert_eq!(counts(&one.push()), [1, 0, 0]);
    assert_eq!(fleet.lines().len(), 4);
}

pub(crate) fn a_remote_that_cannot_be_written_is_still_read(fleet: &Fleet) {
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append([0]);
    one.push();
    fleet.refuse_writes();
    let decode =
        Run { benchmark: BenchmarkId::from_recorded("codec::frame::decode"), ..example_run(1) };
    other.store().append(&decode).unwrap();
    let (code, answer, error) = other.ends("sync", &HERE);
    assert_eq!(code, 5, "{error}");
    assert!(answer.contains("1 record of 1 file received"), "{answer}");
    assert!(error.starts_with("error: "), "{error}");
    assert_eq!((other.ids(), other.ids_like(&decode)), (ids([0]), ids([1])));
    assert_eq!(fleet.lines().len(), 1);
}

pub(crate) fn a_remote_that_was_made_again_gets_everything(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    fleet.empty();
    let again: &[&str] = match fleet.kind {
        // Its disk may not be mounted: what another directory gets would count as sent.
        Kind::Directory => {
            let (code, _, error) = one.ends("push", &[]);
            assert!(code == 5 && error.contains("mount its disk"), "{error}");
            &["--again"]
        }
        _ => &[],
    };
    assert_eq!(counts(&one.exchange("push", again)), [3, 0, 0]);
    assert_eq!(fleet.lines().len(), 3);
}

pub(crate) fn a_directory_that_is_not_there_any_more_is_no_project_without_history(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    fleet.empty();
    let refused = |command: &str| {
        let (code, answer, error) = one.ends(command, &HERE);
        assert_eq!((code, answer.as_str()), (5, ""), "{error}");
        assert_eq!(error.matches("mount its disk").count(), 1, "{error}");
    };
    refused("pull");
    // Where a disk is mounted a directory stays without it.
    fs::create_dir(one.address.strip_prefix("dir:").unwrap()).unwrap();
    refused("pull");
    refused("sync");
    assert_eq!(counts(&one.exchange("push", &["--again"])), [3, 0, 0]);
    assert_eq!(counts(&one.pull()), [0, 0, 0]);
}

pub(crate) fn a_store_that_lost_runs_gets_them_back(fleet: &Fleet) {
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    fs::remove_file(one.history_file()).unwrap();
    assert_eq!(counts(&one.exchange("pull", &["--again", "--testbed", TESTBED])), [3, 0, 0]);
    assert_eq!(one.ids(), ids(0..3));
    fs::remove_dir_all(&one.store).unwrap();
    assert_eq!(counts(&one.pull()), [3, 0, 0]);
}

pub(crate) fn the_same_repository_under_another_address_is_named_where_the_project_has_no_history(
    fleet: &Fleet,
) {
    fleet.push_another_project();
    let (one, other) = (fleet.machine("one"), fleet.machine("other"));
    let (code, text, _) = one.ends("pull", &HERE);
    let note = format!("has no history of this project yet, but of {}: ", other.project().slug);
    assert!(code == 0 && text.contains(&note) == fleet.kind.is_made_by_a_push(), "{text}");
    one.append([0]);
    one.push();
    let (_, text, _) = one.ends("pull", &HERE);
    assert!(!text.contains("no history"), "{text}");
}

pub(crate) fn an_empty_remote_is_no_error(fleet: &Fleet) {
    let one = fleet.machine("one");
    let (code, text, _) = one.ends("pull", &HERE);
    assert!(code == 0 && text.contains("has no history of this project yet"), "{text}");
    assert_eq!(counts(&one.push()), [0, 0, 0]);
    assert_eq!(counts(&one.pull()), [0, 0, 0]);
    assert_eq!(fleet.lines().len(), 0);
}
