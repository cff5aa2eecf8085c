//! Reads the records of a project from the lines of its files, wherever these are.

use crate::format::{EventLine, Fields, LineError, check_version, decode_judgements, decode_model};
use crate::keep_reading::KeepReading;
use crate::listed_metrics::{ListedMetrics, settled_series};
use crate::local::Layout;
use crate::recorded_metrics::RecordedMetrics;
use crate::selection::{ReadOrder, Selection};
use crate::{Damage, Decisions, Listing, Query, StoreError, Testbeds, WithDamage};
use perftest_core::model::{BenchmarkId, History, Judgement, Metric, Model, RunId};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Reads a line of a file that is listed.
type TakeLine = fn(&mut ListedMetrics, &[u8]) -> KeepReading;

/// The lines of the files of a project.
pub(crate) trait ProjectLines {
    /// Most runs of other executions between two series of one: where one process after the other writes, none.
    fn most_others(&self) -> usize {
        0
    }

    /// Announces that these files are read soon.
    fn announce(&self, _: &[PathBuf], _: WantedRecords<'_>) {}

    /// Passes lines of a file to `take` until it breaks off. All wanted lines are among them. Returns
    /// the unreadable lines in file order. A missing file is empty.
    fn read(
        &self,
        path: &Path,
        wanted: WantedRecords<'_>,
        take: &mut dyn FnMut(&[u8]) -> KeepReading,
    ) -> Result<Vec<Damage>, StoreError>;
}

/// What a reader is looking for in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WantedRecords<'a> {
    /// The runs of a query.
    Runs(&'a Query),
    /// The newest execution.
    NewestExecution,
    /// The newest run of each metric.
    EachMetric,
    /// The metrics of one run, wherever it is.
    OneRun,
    /// Everything, oldest first.
    All,
}

impl WantedRecords<'_> {
    pub(crate) fn order(self) -> ReadOrder {
        match self {
            Self::Runs(query) => query.which.read_order(),
            Self::NewestExecution | Self::EachMetric | Self::OneRun => ReadOrder::NewestFirst,
            Self::All => ReadOrder::OldestFirst,
        }
    }
}

/// The records in these lines. Histories are read under the names that `testbeds` give them, without what is retired.
pub(crate) struct ProjectRecords<'a> {
    pub(crate) lines: &'a dyn ProjectLines,
    pub(crate) layout: &'a Layout,
}

impl ProjectRecords<'_> {
    pub(crate) fn load(
        &self,
        query: &Query,
        testbeds: &Testbeds,
    ) -> Result<WithDamage<History>, StoreError> {
        let load = |query: &Query| -> Result<WithDamage<History>, StoreError> {
            let path = self.layout.history(&query.testbed, &query.benchmark);
            let (mut selection, wanted) = (Selection::new(query), WantedRecords::Runs(query));
            let damaged = self.lines.read(&path, wanted, &mut |line| selection.take_line(line))?;
            Ok(WithDamage { value: selection.into_history(), damaged })
        };
        testbeds.load(query, |query| query.with_former(load))
    }

    /// Lists the histories in these files of the benchmark, or of all. Leaves out a file whose name is not that of its
    /// history, such as a copy: only files of that name are loaded.
    pub(crate) fn list(
        &self,
        files: &[PathBuf],
        benchmark: Option<&BenchmarkId>,
        testbeds: &Testbeds,
    ) -> Result<Listing, StoreError> {
        let (mut found, mut listing) = (Vec::new(), Listing::default());
        let mut read = |path: &PathBuf, wanted, take: TakeLine| -> Result<bool, StoreError> {
            let mut metrics = ListedMetrics::among(self.lines.most_others());
            let lines = self.lines.read(path, wanted, &mut |line| take(&mut metrics, line));
            if metrics.has_imports {
                return Ok(true);
            }
            match lines {
                Ok(damaged) => {
                    listing.series.damaged.extend(damaged);
                    metrics.retain(&|it| self.layout.history(&it.testbed, &it.benchmark) == *path);
                    found.push(metrics);
                }
                Err(error @ StoreError::Remote { .. }) => return Err(error),
                Err(error) => listing.unreadable.push(error),
            }
            Ok(false)
        };
        self.lines.announce(files, WantedRecords::NewestExecution);
        let mut of_imports = Vec::new();
        for path in files {
            if read(path, WantedRecords::NewestExecution, ListedMetrics::take_line)? {
                of_imports.push(path.clone());
            }
        }
        self.lines.announce(&of_imports, WantedRecords::EachMetric);
        for path in &of_imports {
            read(path, WantedRecords::EachMetric, ListedMetrics::take_line_of_imports)?;
        }
        listing.series.value = settled_series(found, testbeds);
        // Two names may share a file when their hashes collide.
        listing.series.value.retain(|it| benchmark.is_none_or(|only| it.benchmark == *only));
        Ok(listing)
    }

    pub(crate) fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
        testbeds: &Testbeds,
    ) -> Result<Vec<Metric>, StoreError> {
        testbeds.metrics(testbed, |testbed| {
            let mut metrics = RecordedMetrics::of(benchmark, testbed, run);
            let path = self.layout.history(testbed, benchmark);
            let wanted = match run {
                None => WantedRecords::EachMetric,
                Some(_) => WantedRecords::OneRun,
            };
            self.lines.read(&path, wanted, &mut |line| metrics.take_line(line))?;
            Ok(metrics.into_metrics())
        })
    }

    pub(crate) fn decisions(&self) -> Result<WithDamage<Decisions>, StoreError> {
        let events = self.all(&self.layout.events(), EventLine::decode)?;
        Ok(WithDamage { value: Decisions::after(&events.value), damaged: events.damaged })
    }

    pub(crate) fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        testbeds: &Testbeds,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        testbeds.judgements(testbed, |testbed| {
            let path = self.layout.judgements(testbed, benchmark);
            let mut loaded = self.all(&path, decode_judgements)?;
            loaded.value.retain(|it| it.is_of(benchmark, testbed));
            Ok(loaded)
        })
    }

    pub(crate) fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        self.all(&self.layout.models(), decode_model)
    }

    /// Returns every record of a file, oldest first.
    fn all<T, Records: IntoIterator<Item = T>>(
        &self,
        path: &Path,
        decode: impl Fn(&Fields<'_>) -> Result<Records, LineError>,
    ) -> Result<WithDamage<Vec<T>>, StoreError> {
        let mut value = Vec::new();
        let damaged = self.lines.read(path, WantedRecords::All, &mut |line| {
            let fields = Fields::parse(line)?;
            check_version(&fields)?;
            value.extend(decode(&fields)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(WithDamage { value, damaged })
    }
}
