//! Adds runs of the past, and finds those that are in summaries.

use super::add_records::insert_corrections;
use super::read::read_on;
use super::record::Record;
use super::record_file_name::RecordFileName;
use super::record_files::RecordFiles;
use crate::StoreError;
use crate::format::{Fields, SUMMARY, decode_metric};
use perftest_core::model::{BenchmarkId, Metric, Run};
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

impl RecordFiles {
    /// Adds runs, each at its time: behind the last one that is older, or behind an earlier copy of itself, which it
    /// replaces. A run that is the same as its last copy is not added.
    ///
    /// # Errors
    /// When a number of a run is not finite, before anything is added, or when a file cannot be written.
    pub fn insert_runs<'a>(
        &self,
        runs: impl IntoIterator<Item = &'a Run>,
    ) -> Result<(), StoreError> {
        let mut by_file: BTreeMap<RecordFileName, Vec<Record>> = BTreeMap::new();
        for run in runs {
            let Some((name, record)) = Record::of_run(run)? else {
                let why = format!("no file can be named like {} on {}", run.benchmark, run.testbed);
                return Err(StoreError::Invalid { why });
            };
            by_file.entry(name).or_default().push(record);
        }
        for (name, records) in by_file {
            self.store.name_project()?;
            insert_corrections(&self.path(&name), records)?;
        }
        Ok(())
    }

    /// Returns the ids of the runs of a test that became parts of summaries of this metric.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn summarised_runs(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        metric: &Metric,
    ) -> Result<HashSet<String>, StoreError> {
        match RecordFileName::of_history(testbed, benchmark) {
            Some(name) => self.summarised(&name, &|it| *it == *metric),
            None => Ok(HashSet::new()),
        }
    }

    /// Returns the ids of the runs in a file that became parts of summaries, of all metrics.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn summarised_in(&self, name: &RecordFileName) -> Result<HashSet<String>, StoreError> {
        self.summarised(name, &|_| true)
    }

    /// Returns the ids of the runs in a file that became parts of summaries of some metrics.
    fn summarised(
        &self,
        name: &RecordFileName,
        is_meant: &dyn Fn(&Metric) -> bool,
    ) -> Result<HashSet<String>, StoreError> {
        let path = self.path(name);
        let mut all = HashSet::new();
        let mut take = |line: &[u8]| {
            let fields = Fields::parse(line)?;
            if fields.is_text("kind", SUMMARY)? && is_meant(&decode_metric(&fields)?) {
                all.extend(fields.get_or_default::<Vec<String>>("ids")?);
            }
            Ok(ControlFlow::Continue(()))
        };
        read_on(&path, &mut take)?;
        Ok(all)
    }
}
