//! Stores that earlier code wrote. `fixtures/store_1` has every kind of record of version 1, and the first line ever
//! written in that version; `fixtures/runs_before_1.jsonl` has a run of each version before.

use crate::bench::{Bench, open};
use perftest_core::model::{LimitSide, RuleResult};
use perftest_store::conformance::{example_judgement, example_run};
use perftest_store::{AcceptanceFile, Listing, Query, Store, StoreError, TestbedChange, Which};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, target) = entry.map(|it| (it.path(), to.join(it.file_name()))).unwrap();
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn fixture(name: &str) -> Bench {
    let bench = Bench::new(name);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store_1"), &bench.root);
    bench
}

#[test]
fn every_kind_of_record_of_version_1_is_read_as_it_was_written() {
    let bench = fixture("version-1");
    let store = bench.store();
    let loaded = store.load(&Query::like(&example_run(0))).unwrap();
    assert_eq!(loaded.damaged, []);
    // The first lines of this version did not have the place of the test, nor its programs.
    let [mut first, mut second] = [0, 1].map(example_run);
    first.source = None;
    first.code.programs.clear();
    second.code.programs.clear();
    assert_eq!(loaded.value.runs, [first, second]);
    let all = Query { which: Which::AllAndSummaries, ..Query::like(&example_run(0)) };
    let [_, _, summary] = store.load(&all).unwrap().value.runs.try_into().unwrap();
    assert!(summary.is_summary());
    assert_eq!(summary.center(), Some(104.0));
    assert_eq!(store.list(None).and_then(Listing::whole).unwrap().value.len(), 1);
    let decisions = store.decisions().unwrap();
    let [stands] = decisions.value.acceptances.try_into().unwrap();
    assert_eq!((stands.max_ratio, stands.until_ms), (1.25, Some(1_798_761_600_000)));
    assert_eq!((stands.id.as_str(), decisions.damaged), ("01KDVDNR0000000000000000A1", vec![]));
    let run = example_run(0);
    let judgements = store.judgements(&run.benchmark, &run.testbed).unwrap();
    assert_eq!((judgements.value.len(), judgements.damaged), (4, vec![]));
    let by = vec!["t_test upper=0.99".to_owned()];
    let alarm = RuleResult::Alarm { side: LimitSide::Upper, value: 71.25, baseline: 57.0, by };
    assert_eq!(judgements.value[0].finding, alarm);
    // A fifth one is of a run that was corrected.
    let quiet = [2, 3].map(|number| example_judgement(number, RuleResult::Quiet, None));
    assert_eq!(judgements.value[1..3], quiet);
    let models = store.models().unwrap();
    assert_eq!((models.value[0].rule.as_str(), models.value.len()), ("t_test upper=0.99", 1));
    let decisions = decisions.value.testbeds.decisions().to_vec();
    let changes: Vec<TestbedChange> = decisions.into_iter().map(|it| it.change).collect();
    assert_eq!(changes, [TestbedChange::ReadAs("ci".to_owned()), TestbedChange::Retired]);
    let context = store.context("00112233445566ff").unwrap();
    assert_eq!(context.as_deref(), Some("{\"rustc\":\"1.89.0\"}"));
}

/// The kinds of record in these files.
fn kinds_in(directory: &Path) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            kinds.append(&mut kinds_in(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            let named = text.lines().filter_map(|line| line.split_once("\"kind\":\""));
            kinds.extend(named.map(|(_, rest)| rest.split('"').next().unwrap().to_owned()));
        }
    }
    kinds
}

/// The kinds that the code writes, as literals or as constants of their files.
fn written_kinds() -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/format");
    let sources = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let all: Vec<String> = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
    let all = all.concat();
    for (_, rest) in
        all.match_indices("line.put(\"kind\", ").map(|(at, key)| (at, &all[at + key.len()..]))
    {
        let value = rest.split(')').next().unwrap();
        let constant = format!("const {value}: &str = ");
        let literal =
            all.split_once(&constant).map_or(value, |(_, rest)| rest.split(';').next().unwrap());
        kinds.insert(literal.trim_matches('"').to_owned());
    }
    kinds
}

#[test]
fn every_kind_of_record_that_is_written_is_a_fixture() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store_1");
    let written = written_kinds();
    assert!(written.len() > 9, "{written:?}");
    assert_eq!(kinds_in(&fixtures), written);
}

#[test]
fn acceptances_and_acknowledged_alerts_in_a_reviewed_file_of_version_1_are_read() {
    let bench = fixture("version-1-reviewed");
    let file = AcceptanceFile::in_root(&bench.root);
    let loaded = file.load().unwrap();
    assert_eq!((loaded.value.len(), loaded.damaged), (1, vec![]));
    // A day ends when it is over.
    assert_eq!(loaded.value[0].until_ms, Some(1_798_761_600_000));
    let acknowledged = file.acknowledgements().unwrap();
    assert_eq!((acknowledged.value[0].by.as_str(), acknowledged.value.len()), ("ada", 1));
}

#[test]
fn a_run_behind_those_of_version_1_leaves_their_lines_as_they_are() {
    let bench = fixture("version-1-appended");
    let before = fs::read_to_string(bench.history_file()).unwrap();
    bench.store().append(&example_run(2)).unwrap();
    let after = fs::read_to_string(bench.history_file()).unwrap();
    assert!(after.strip_prefix(&before).is_some_and(|added| added.lines().count() == 1));
    assert_eq!(bench.ids().len(), 3);
}

#[test]
fn a_history_of_before_version_1_is_refused_and_left_as_it_is() {
    let versions = [100, 103, 104, 105, 106, 107];
    let lines = include_str!("../fixtures/runs_before_1.jsonl");
    assert_eq!(lines.lines().count(), versions.len());
    for (line, written) in lines.lines().zip(versions) {
        let (bench, file) = Bench::with_one_run("before-1");
        let text = format!("{line}\n");
        fs::write(&file, &text).unwrap();
        let query = Query::like(&example_run(0));
        let read = open(&bench.root).load(&query).unwrap_err();
        let added = bench.store().append(&example_run(1)).unwrap_err();
        for error in [read, added] {
            let is_refused =
                matches!(error, StoreError::OtherVersion { version, .. } if version == written);
            assert!(is_refused, "{error:?}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}
