//! The paths in a store.

use crate::file_name::file_name;
use crate::{Digest, Project, StoreError};
use perftest_core::model::BenchmarkId;
use std::path::{Path, PathBuf};

/// The paths of one project below a root; by default below the directory of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    project: PathBuf,
}

impl Layout {
    pub(crate) fn new(root: &Path, project: &Project) -> Self {
        Self { project: project.directory(root) }
    }

    pub(crate) fn project_file(&self) -> PathBuf {
        self.project.join(Project::FILE)
    }

    pub(crate) fn events(&self) -> PathBuf {
        self.project.join("events.jsonl")
    }

    /// The versions of rules.
    pub(crate) fn models(&self) -> PathBuf {
        self.project.join("models.jsonl")
    }

    /// The results of rules for one history.
    pub(crate) fn judgements(&self, testbed: &str, benchmark: &BenchmarkId) -> PathBuf {
        self.project.join("judgements").join(of_history(testbed, benchmark))
    }

    /// The directory of all histories: one directory for each testbed, one file for each benchmark.
    pub(crate) fn histories(&self) -> PathBuf {
        self.project.join("runs")
    }

    pub(crate) fn history(&self, testbed: &str, benchmark: &BenchmarkId) -> PathBuf {
        self.histories().join(of_history(testbed, benchmark))
    }

    /// The cache of slow results.
    pub(crate) fn cache(&self) -> PathBuf {
        self.project.join("cache")
    }

    /// Refuses text that is no hash, because it becomes part of a file name.
    pub(crate) fn context(&self, hash: &str) -> Result<PathBuf, StoreError> {
        if !Digest::is_hex16(hash) {
            let why = format!("`{hash}` is no context: that is 16 lower-case hex digits");
            return Err(StoreError::Invalid { why });
        }
        Ok(self.project.join("contexts").join(format!("{hash}.json")))
    }
}

fn of_history(testbed: &str, benchmark: &BenchmarkId) -> PathBuf {
    names_of_history(testbed, benchmark).iter().collect()
}

/// One directory for each testbed, one file for each benchmark.
pub(super) fn names_of_history(testbed: &str, benchmark: &BenchmarkId) -> [String; 2] {
    let file = file_name(benchmark.as_str(), benchmark.as_str());
    [file_name(testbed, testbed), format!("{file}.jsonl")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_asked_for_by_its_hash_alone() {
        let project = Project { name: "p".into(), slug: "p.0".into() };
        let layout = Layout::new(Path::new("r"), &project);
        assert!(layout.context("0123456789abcdef").is_ok());
        for hash in ["../../../../secret", "0123456789ABCDEF", "", "0123456789abcdef0"] {
            assert!(layout.context(hash).is_err(), "{hash}");
        }
    }
}
