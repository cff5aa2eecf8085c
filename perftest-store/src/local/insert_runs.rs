//! Adds runs of the past, and finds those that are in summaries.

use super::add_records::insert_lines;
use super::read::read_on;
use super::record::Record;
use super::record_file_name::RecordFileName;
use super::record_files::RecordFiles;
use crate::StoreError;
use crate::format::{Fields, SUMMARY, decode_metric};
use perftest_core::model::{BenchmarkId, Metric, Run};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

impl RecordFiles {
    /// Adds runs, each at its time: behind the last one that is older, or behind an earlier form of itself, which a
    /// [corrected](Run::corrected_ms) one replaces. A run that is there is not added.
    ///
    /// # Errors
    /// When a number of a run is not finite, before anything is added, or when a file cannot be written.
    pub fn insert_runs<'a>(
        &self,
        runs: impl IntoIterator<Item = &'a Run>,
    ) -> Result<(), StoreError> {
        let mut by_file: BTreeMap<RecordFileName, Vec<Record>> = BTreeMap::new();
        for run in runs {
            let (name, record) = Record::of_run(run)?;
            by_file.entry(name).or_default().push(record);
        }
        for (name, records) in by_file {
            self.store.name_project()?;
            insert_lines(&self.path(&name), &records)?;
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
        let name = RecordFileName::of_history(testbed, benchmark);
        let mut all = self.summarised(&name)?.into_iter();
        Ok(all.find(|(summarised, _)| summarised == metric).map(|(_, ids)| ids).unwrap_or_default())
    }

    /// Leaves out the records of runs that became parts of summaries of their metric in this file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn leave_out_summarised(
        &self,
        name: &RecordFileName,
        records: &mut Vec<Record>,
    ) -> Result<(), StoreError> {
        let summarised = self.summarised(name)?;
        if summarised.is_empty() {
            return Ok(());
        }
        records.retain(|record| {
            let fields = Fields::parse(record.text.as_bytes());
            let metric = fields.and_then(|fields| decode_metric(&fields)).ok();
            let ids = metric.and_then(|metric| summarised.get(&metric));
            ids.is_none_or(|ids| !ids.contains(record.id()))
        });
        Ok(())
    }

    /// Returns the ids of the runs in a file that became parts of summaries, by their metrics.
    fn summarised(
        &self,
        name: &RecordFileName,
    ) -> Result<HashMap<Metric, HashSet<String>>, StoreError> {
        let path = self.path(name);
        let mut all: HashMap<Metric, HashSet<String>> = HashMap::new();
        let mut take = |line: &[u8]| {
            let fields = Fields::parse(line)?;
            if fields.is_text("kind", SUMMARY)? {
                let ids = fields.get_or_default::<Vec<String>>("ids")?;
                all.entry(decode_metric(&fields)?).or_default().extend(ids);
            }
            Ok(ControlFlow::Continue(()))
        };
        read_on(&path, &mut take)?;
        Ok(all)
    }
}
