//! A store in a directory of its own.

use perftest_core::model::{Run, RunId};
use perftest_store::conformance::ScratchDirectory;
use perftest_store::{JsonlStore, Project, Query, Store, conformance};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Bench {
    pub(crate) root: ScratchDirectory,
}

impl Bench {
    pub(crate) fn new(name: &str) -> Self {
        Self { root: conformance::scratch(name) }
    }

    pub(crate) fn store(&self) -> JsonlStore {
        open(&self.root)
    }

    /// The file of the example run's history, which has to exist.
    pub(crate) fn history_file(&self) -> PathBuf {
        let mut path = self.root.join("v1/codec.0/runs");
        while path.is_dir() {
            path = fs::read_dir(&path).unwrap().next().unwrap().unwrap().path();
        }
        path
    }

    /// A file that holds the example run 0.
    pub(crate) fn with_one_run(name: &str) -> (Self, PathBuf) {
        let bench = Self::new(name);
        bench.store().append(&conformance::example_run(0)).unwrap();
        let file = bench.history_file();
        (bench, file)
    }

    pub(crate) fn ids(&self) -> Vec<RunId> {
        let query = Query { limit: usize::MAX, ..Query::like(&conformance::example_run(0)) };
        ids(&self.store().load(&query).unwrap().value.runs)
    }
}

pub(crate) fn open(root: &Path) -> JsonlStore {
    JsonlStore::open(root, &Project { name: "codec".into(), slug: "codec.0".into() })
}

pub(crate) fn ids(runs: &[Run]) -> Vec<RunId> {
    runs.iter().map(|run| run.id.clone()).collect()
}
