//! A directory of its own for a test.

use perftest_store::conformance::scratch;
use std::fs;
use std::path::PathBuf;

/// Gone with its files when dropped.
pub(crate) struct Bench {
    pub(crate) root: PathBuf,
}

impl Bench {
    pub(crate) fn new(name: &str) -> Self {
        Self { root: fs::canonicalize(scratch(name)).unwrap() }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}
