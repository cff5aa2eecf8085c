//! History as long as the process runs.

use crate::keep_reading::KeepReading;
use crate::local::Layout;
use crate::local::read::LineCheck;
use crate::local::tail::FileLine;
use crate::project_files::ProjectFiles;
use crate::project_records::{ProjectLines, ProjectRecords, WantedRecords};
use crate::selection::ReadOrder;
use crate::{Damage, Decisions, StoreError, Testbeds, WithDamage};
use perftest_core::model::BenchmarkId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory, for tests. It has the lines that a store on a disk would have.
#[derive(Debug, Default)]
pub struct MemoryStore {
    /// Paths below the directory of the project.
    layout: Layout,
    files: Mutex<BTreeMap<PathBuf, String>>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every change is a single push, so a panic elsewhere leaves the content consistent.
    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, String>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectLines for MemoryStore {
    fn read(
        &self,
        path: &Path,
        wanted: WantedRecords<'_>,
        take: &mut dyn FnMut(&[u8]) -> KeepReading,
    ) -> Result<Vec<Damage>, StoreError> {
        let text = self.files().get(path).cloned().unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().collect();
        if wanted.order() == ReadOrder::NewestFirst {
            lines.reverse();
        }
        let mut check = LineCheck::new(take);
        for line in lines {
            let line = FileLine { offset: 0, bytes: line.as_bytes(), is_whole: true };
            if check.show(line).is_break() {
                break;
            }
        }
        check.finish(path, &|offsets| Ok(offsets.to_vec()))
    }
}

impl ProjectFiles for MemoryStore {
    fn records(&self) -> ProjectRecords<'_> {
        ProjectRecords { lines: self, layout: &self.layout }
    }

    fn history_files(&self, benchmark: Option<&BenchmarkId>) -> Result<Vec<PathBuf>, StoreError> {
        let only = benchmark.map(|benchmark| self.layout.history("", benchmark));
        let is_meant = |path: &&PathBuf| {
            path.starts_with(self.layout.histories())
                && only.as_ref().is_none_or(|only| path.file_name() == only.file_name())
        };
        Ok(self.files().keys().filter(is_meant).cloned().collect())
    }

    fn decided(&self) -> Result<WithDamage<Decisions>, StoreError> {
        self.records().decisions()
    }

    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError> {
        Ok(self.decided()?.value.testbeds)
    }

    fn text(&self, path: &Path) -> Result<Option<String>, StoreError> {
        Ok(self.files().get(path).cloned())
    }

    fn append_to(&self, path: &Path, lines: &str) -> Result<(), StoreError> {
        self.files().entry(path.to_owned()).or_default().push_str(lines);
        Ok(())
    }

    fn write_once(&self, path: &Path, text: &str) -> Result<(), StoreError> {
        self.files().entry(path.to_owned()).or_insert_with(|| text.to_owned());
        Ok(())
    }
}
