//! Acceptances, acknowledged alerts, and the results and versions of rules.

use super::history::{append_bytes, names, open, project};
use crate::scratch::in_empty_directory;
use perftest_core::model::{Acceptance, BenchmarkPattern, RuleResult};
use perftest_store::conformance::example_judgement;
use perftest_store::{AcceptanceFile, Annotation, Store, StoreError};
use std::fs;
use std::path::Path;

/// Puts the data between two entries of each kind: both are read as they were.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|root| {
        among_events(root, data);
        among_judgements(root, data);
        if let Ok(text) = str::from_utf8(data) {
            among_reviewed_entries(root, text);
        }
    });
}

fn acceptance(id: &str) -> Acceptance {
    Acceptance {
        id: id.into(),
        benchmark: BenchmarkPattern::new("codec::*"),
        testbed: String::new(),
        max_ratio: 1.25,
        reason: "checksums are on".into(),
        given_ms: 1_767_225_600_000,
        until_ms: None,
    }
}

fn both() -> [Acceptance; 2] {
    ["01KDVDNR0000000000000000AA", "01KDVDNR0000000000000000ZZ"].map(acceptance)
}

/// Whether a file of another version was refused.
fn is_refused<T>(answer: Result<T, StoreError>) -> Option<T> {
    match answer {
        Ok(value) => Some(value),
        Err(StoreError::OtherVersion { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn among_events(root: &Path, data: &[u8]) {
    let (store, [before, after]) = (open(root), both());
    store.annotate(Annotation::Acceptance(&before)).unwrap();
    append_bytes(&project().directory(root).join("events.jsonl"), data);
    let Some(()) = is_refused(store.annotate(Annotation::Acceptance(&after))) else { return };
    let Some(read) = is_refused(store.decisions()) else { return };
    for entry in [before, after] {
        assert!(
            names(data, &entry.id) || read.value.acceptances.contains(&entry),
            "{} is lost",
            entry.id
        );
    }
}

fn among_judgements(root: &Path, data: &[u8]) {
    let store = open(root);
    let [before, after] = [0, 1].map(|number| example_judgement(number, RuleResult::Quiet, None));
    let keep = |judgement| store.annotate(Annotation::Judgements(std::slice::from_ref(judgement)));
    keep(&before).unwrap();
    let directory = fs::read_dir(project().directory(root).join("judgements")).unwrap();
    let testbed = directory.flatten().next().unwrap().path();
    let file = fs::read_dir(testbed).unwrap().flatten().next().unwrap().path();
    append_bytes(&file, data);
    fs::write(project().directory(root).join("models.jsonl"), data).unwrap();
    // A file with nothing else may be refused as a whole.
    let _ = store.models();
    let Some(()) = is_refused(keep(&after)) else { return };
    let Some(read) = is_refused(store.judgements(&before.benchmark, &before.testbed)) else {
        return;
    };
    // A correction among the data outdates them.
    let is_kept = read.value.contains(&before) && read.value.contains(&after);
    assert!(is_kept || names(data, "correction"), "{:?}", read.value);
}

fn among_reviewed_entries(root: &Path, text: &str) {
    let (file, [before, after]) = (AcceptanceFile::in_root(root), both());
    file.add(&before).unwrap();
    append_bytes(file.path(), text.as_bytes());
    let whole = fs::read_to_string(file.path()).unwrap();
    file.add(&after).unwrap();
    let read = file.load().unwrap().value;
    assert!(file.acknowledgements().is_ok());
    for entry in [&before, &after] {
        let is_named = names(text.as_bytes(), &entry.id);
        assert!(is_named || read.contains(entry), "{} is lost", entry.id);
    }
    assert!(file.revoke(&after.id, 7).unwrap());
    if !names(text.as_bytes(), &after.id) {
        let left = fs::read_to_string(file.path()).unwrap();
        let (before, tombstone) = left.trim_end().rsplit_once('\n').unwrap();
        assert!(tombstone.contains(&format!("\"of\":\"{}\"", after.id)), "{left:?}");
        assert!(whole == before || whole.strip_suffix('\n') == Some(before), "{left:?}");
    }
}
