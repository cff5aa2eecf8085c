//! The history of a test.

use crate::scratch::in_empty_directory;
use perftest_core::model::Run;
use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Project, Query, Store, StoreError};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Further runs of an input are written as the first ones are.
const MOST_REWRITTEN: usize = 2;

/// Puts the data between two runs of a history. Both are read as they were, and what is read of the data is
/// written and read again as it was.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|root| {
        let (store, [before, after]) = (open(root), [0, 1].map(example_run));
        store.append(&before).unwrap();
        let file = history_file(root);
        append_bytes(&file, data);
        let whole = fs::read(&file).unwrap();
        match store.append(&after) {
            Ok(()) => {}
            Err(StoreError::OtherVersion { .. }) => {
                assert_eq!(fs::read(&file).unwrap(), whole, "a file of another version changed");
                return;
            }
            Err(error) => panic!("{error}"),
        }
        let query = Query { limit: usize::MAX, ..Query::like(&before) };
        let runs = match store.load(&query) {
            Ok(loaded) => loaded.value.runs,
            Err(StoreError::OtherVersion { .. }) => return,
            Err(error) => panic!("{error}"),
        };
        for run in [&before, &after] {
            assert!(
                names(data, run.id.as_str()) || runs.contains(run),
                "{} is lost",
                run.id.as_str()
            );
        }
        assert!(store.list(None).is_ok());
        let is_new = |run: &&Run| ![&before, &after].contains(run);
        for (number, run) in runs.iter().filter(is_new).take(MOST_REWRITTEN).enumerate() {
            is_written_the_same_again(&root.join(number.to_string()), run);
        }
    });
}

fn is_written_the_same_again(root: &Path, run: &Run) {
    let [one, other] = ["one", "other"].map(|name| root.join(name));
    match open(&one).append(run) {
        // A number is too large for a double.
        Err(StoreError::Invalid { .. }) => return,
        appended => appended.unwrap(),
    }
    let loaded = open(&one).load(&Query::like(run)).unwrap();
    let [read] = loaded.value.runs.try_into().unwrap();
    open(&other).append(&read).unwrap();
    let [one, other] = [one, other].map(|root| fs::read_to_string(history_file(&root)).unwrap());
    assert_eq!(one, other);
}

pub(super) fn project() -> Project {
    Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() }
}

pub(super) fn open(root: &Path) -> JsonlStore {
    JsonlStore::open(root, &project())
}

/// The only history of a store.
pub(super) fn history_file(root: &Path) -> PathBuf {
    let only = |directory: PathBuf| {
        let mut entries = fs::read_dir(directory).unwrap();
        entries.next().unwrap().unwrap().path()
    };
    only(only(project().directory(root).join("runs")))
}

pub(super) fn append_bytes(file: &Path, data: &[u8]) {
    File::options().append(true).open(file).unwrap().write_all(data).unwrap();
}

/// Whether the data may be about the record with this id: an escape may spell it.
pub(super) fn names(data: &[u8], id: &str) -> bool {
    let has = |part: &[u8]| data.windows(part.len()).any(|it| it == part);
    has(id.as_bytes()) || has(b"\\u")
}
