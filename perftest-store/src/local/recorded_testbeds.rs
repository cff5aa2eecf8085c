//! The testbeds in a store, as their runs have them.

use super::JsonlStore;
use super::read::read_on;
use crate::format::{Fields, LineError, check_version};
use crate::keep_reading::{is_fresh_process, is_run};
use crate::project_files::ProjectFiles;
use crate::{Damage, StoreError};
use perftest_core::model::BenchmarkId;
use perftest_core::text::Text;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

/// The runs that were recorded under one testbed, at any speed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedTestbed {
    /// `label/fingerprint`, as the runs have it.
    pub testbed: String,
    /// The tests.
    pub tests: usize,
    /// The runs, each with all of its metrics and fresh processes.
    pub runs: usize,
    /// When the first run started, in milliseconds since 1970.
    pub first_ms: u64,
    /// When the newest run started.
    pub newest_ms: u64,
    /// Hash of the context of the newest run.
    pub context: String,
}

/// The testbeds of a store.
#[derive(Debug, Default)]
pub struct RecordedTestbeds {
    /// Sorted by name.
    pub testbeds: Vec<RecordedTestbed>,
    /// Lines that could not be read.
    pub damaged: Vec<Damage>,
    /// Files that could not be read.
    pub unreadable: Vec<StoreError>,
}

impl JsonlStore {
    /// Reads every run of every history, and counts those of each testbed. Applies no decision.
    ///
    /// # Errors
    /// When nothing can be listed. Errors of single files are in the answer.
    pub fn recorded_testbeds(&self) -> Result<RecordedTestbeds, StoreError> {
        let (mut found, mut all) = (BTreeMap::new(), RecordedTestbeds::default());
        let mut files = self.history_files(None)?;
        files.sort();
        for path in files {
            let read = read_on(&path, &mut |line| {
                let fields = Fields::parse(line)?;
                check_version(&fields)?;
                if is_run(&fields)? {
                    let testbed: String = fields.need("testbed")?;
                    let whole = testbed.parts("@").next().unwrap_or_default();
                    let of_testbed: &mut TestbedRuns = found.entry(whole.to_owned()).or_default();
                    of_testbed.add(&fields)?;
                }
                Ok(ControlFlow::Continue(()))
            });
            match read {
                Ok(damaged) => all.damaged.extend(damaged),
                Err(error) => all.unreadable.push(error),
            }
        }
        all.testbeds = found.into_iter().map(TestbedRuns::into_testbed).collect();
        Ok(all)
    }
}

/// The runs of a testbed so far.
#[derive(Default)]
struct TestbedRuns {
    tests: BTreeSet<BenchmarkId>,
    /// Ids: the metrics of a run share one.
    runs: HashSet<String>,
    first_ms: Option<u64>,
    /// Start and context of the newest run.
    newest: (u64, String),
}

impl TestbedRuns {
    fn add(&mut self, fields: &Fields<'_>) -> Result<(), LineError> {
        let (benchmark, context): (String, String) =
            (fields.need("benchmark")?, fields.get_or_default("context")?);
        let started_ms = fields.need("started_ms")?;
        if !is_fresh_process(fields)? {
            self.runs.insert(fields.need("id")?);
        }
        self.tests.insert(BenchmarkId::from_recorded(benchmark));
        self.first_ms = Some(self.first_ms.map_or(started_ms, |first| first.min(started_ms)));
        if started_ms >= self.newest.0 {
            self.newest = (started_ms, context);
        }
        Ok(())
    }

    fn into_testbed((testbed, runs): (String, Self)) -> RecordedTestbed {
        let (newest_ms, context) = runs.newest;
        RecordedTestbed {
            testbed,
            tests: runs.tests.len(),
            runs: runs.runs.len(),
            first_ms: runs.first_ms.unwrap_or(newest_ms),
            newest_ms,
            context,
        }
    }
}
