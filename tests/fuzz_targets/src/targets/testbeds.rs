//! Decisions about testbeds.

use super::history::{append_bytes, names, open, project};
use crate::scratch::in_empty_directory;
use perftest_store::{Annotation, Store, StoreError, TestbedChange, TestbedDecision, Testbeds};
use std::collections::BTreeSet;
use std::path::Path;

/// More decisions only take time.
const MOST_DECISIONS: usize = 24;
/// Letters of the names: short ones meet each other.
const NAME_LENGTH: usize = 6;

/// Every testbed is read by one name, which is its own name in the end, and is among those that share it. Decisions
/// around the data are read as they were.
pub(super) fn run(data: &[u8]) {
    let decisions = decisions_in(&String::from_utf8_lossy(data));
    agree(&Testbeds::of(&decisions));
    in_empty_directory(|root| {
        are_read_as_written(root, &decisions);
        among_decisions(&root.join("damaged"), data);
    });
}

/// A line is `testbed`, which is retired, or `testbed name`, by which it is read.
fn decisions_in(text: &str) -> Vec<TestbedDecision> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_DECISIONS);
    let decision = |(number, line): (u64, &str)| {
        let mut words = line.split_whitespace();
        let mut name = || words.next().map(|it| it.chars().take(NAME_LENGTH).collect::<String>());
        let testbed = name().unwrap_or_default();
        let change = name().map_or(TestbedChange::Retired, TestbedChange::ReadAs);
        TestbedDecision { id: format!("{number:026}"), testbed, change, given_ms: number }
    };
    (1..).zip(lines).map(decision).collect()
}

fn agree(testbeds: &Testbeds) {
    let mut known: BTreeSet<&str> = BTreeSet::from(["ci/other"]);
    for decision in testbeds.decisions() {
        known.insert(&decision.testbed);
        if let TestbedChange::ReadAs(name) = &decision.change {
            known.insert(name);
        }
    }
    for testbed in &known {
        let (name, members) = (testbeds.name_of(testbed), testbeds.members_of(testbed));
        assert_eq!(testbeds.name_of(&name), name, "{testbed}: {testbeds:?}");
        assert_eq!(members.first(), Some(&name), "{testbeds:?}");
        let each: BTreeSet<&String> = members.iter().collect();
        assert_eq!(each.len(), members.len(), "{testbed}: {testbeds:?}");
        for other in &known {
            let is_shared = testbeds.name_of(other) == name;
            let is_member = members.iter().any(|member| member == other);
            assert_eq!(is_member, is_shared, "{testbed} and {other}: {testbeds:?}");
        }
        let times = 1..=testbeds.decisions().len() as u64;
        assert!(testbeds.retired_ms(testbed).is_none_or(|until| times.contains(&until)));
    }
}

/// What is written to a store, and taken back in part.
fn are_read_as_written(root: &Path, decisions: &[TestbedDecision]) {
    let store = open(root);
    for decision in decisions {
        store.annotate(Annotation::Testbed(decision)).unwrap();
    }
    assert_eq!(*store.decisions().unwrap().value.testbeds, Testbeds::of(decisions));
    let Some((last, rest)) = decisions.split_last() else { return };
    store.annotate(Annotation::Revocation { of: &last.id, at_ms: 1 }).unwrap();
    assert_eq!(*open(root).decisions().unwrap().value.testbeds, Testbeds::of(rest));
}

fn among_decisions(root: &Path, data: &[u8]) {
    let store = open(root);
    let [before, after] = ["01KDVDNR0000000000000000AA", "01KDVDNR0000000000000000ZZ"].map(|id| {
        let change = TestbedChange::ReadAs("ci/aaaa".into());
        TestbedDecision { id: id.into(), testbed: "ci/bbbb".into(), change, given_ms: 7 }
    });
    store.annotate(Annotation::Testbed(&before)).unwrap();
    append_bytes(&project().directory(root).join("events.jsonl"), data);
    match store.annotate(Annotation::Testbed(&after)) {
        Err(StoreError::OtherVersion { .. }) => return,
        annotated => annotated.unwrap(),
    }
    let testbeds = match open(root).decisions() {
        Err(StoreError::OtherVersion { .. }) => return,
        read => read.unwrap().value.testbeds,
    };
    for decision in [before, after] {
        let is_there = testbeds.decisions().contains(&decision);
        assert!(is_there || names(data, &decision.id), "{} is lost", decision.id);
    }
    agree_on_names(&testbeds);
}

/// A name that a foreign line has leads to one history, too.
fn agree_on_names(testbeds: &Testbeds) {
    for decision in testbeds.decisions() {
        let name = testbeds.name_of(&decision.testbed);
        assert_eq!(testbeds.name_of(&name), name, "{testbeds:?}");
    }
}
