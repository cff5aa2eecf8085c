//! Stores with one history.

use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Project, Query, Store};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The project that all runs are of.
const IDENTITY: &str = "codec";

/// Returns a store below `directory` whose one history has so many runs, and what selects its newest. It is made
/// once, and kept there for later processes.
///
/// # Panics
/// When it cannot be made.
pub fn history(directory: &Path, runs: u64) -> (JsonlStore, Query) {
    let root = kept_root(directory, runs);
    (open(&root), Query::like(&example_run(0)))
}

/// Returns a copy of the same store, which may be changed, and the directory in which it lives.
///
/// # Panics
/// When it cannot be made.
pub fn copy_of_history(directory: &Path, runs: u64) -> (JsonlStore, TempDir) {
    let copy = TempDir::new_in(directory).expect("a temporary directory can be made");
    copy_files(&kept_root(directory, runs), copy.path());
    (open(copy.path()), copy)
}

fn open(root: &Path) -> JsonlStore {
    JsonlStore::open(root, &Project::of_identity(IDENTITY))
}

fn kept_root(directory: &Path, runs: u64) -> PathBuf {
    let kept = directory.join(format!("history-{runs}"));
    if !kept.exists() {
        let new = TempDir::new_in(directory).expect("a temporary directory can be made");
        let store = open(new.path());
        for ordinal in 0..runs {
            store.append(&example_run(ordinal)).expect("runs can be appended");
        }
        // Another process may have been faster.
        if fs::rename(new.path(), &kept).is_ok() {
            let _ = new.keep();
        }
    }
    kept
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory can be made");
    for entry in fs::read_dir(from).expect("the store is a directory") {
        let entry = entry.expect("the store can be listed");
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_files(&entry.path(), &copy);
        } else {
            fs::copy(entry.path(), copy).expect("a file can be copied");
        }
    }
}
