//! A directory of its own for a test.

use perftest_store::conformance::{ScratchDirectory, scratch};

pub(crate) struct Bench {
    pub(crate) root: ScratchDirectory,
}

impl Bench {
    pub(crate) fn new(name: &str) -> Self {
        Self { root: scratch(name) }
    }
}
