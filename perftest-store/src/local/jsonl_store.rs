//! The store of a developer's machine and of a CI job.

use super::append::append_line;
use super::directory;
use super::layout::Layout;
use super::read::{read_back, read_on};
use crate::format::{
    EventLine, Fields, JsonLine, LineError, SCHEMA, check_version, decode_judgements, decode_model,
    encode_judgements, encode_model, encode_run,
};
use crate::regular_file::read_stored_text;
use crate::selection::{
    MetricsOfRun, NewestExecution, OtherMetrics, ReadOrder, Selection, settled_series, testbed_of,
};
use crate::{Listing, Project, Query, Series, Store, StoreError, UnreadableFile, WithDamage};
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A larger context is none of ours.
const MOST_CONTEXT_BYTES: u64 = 16 << 20;

/// History in append-only JSON Lines files: one file per testbed and benchmark.
///
/// Nothing is created before the first record is written, and no file is kept open.
///
/// ```
/// use perftest_store::{JsonlStore, Project, Query, Store, conformance};
///
/// # let root = std::env::temp_dir().join(format!("perftest-doc-{}", std::process::id()));
/// let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
/// let store = JsonlStore::open(&root, &project);
/// let run = conformance::example_run(1);
/// store.append(&run)?;
/// assert_eq!(store.load(&Query::like(&run))?.value.runs, [run]);
/// # std::fs::remove_dir_all(root).unwrap();
/// # Ok::<(), perftest_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonlStore {
    layout: Layout,
    project: Project,
}

impl JsonlStore {
    /// The history of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        Self { layout: Layout::new(root, project), project: project.clone() }
    }

    /// What there are histories of, where a file that cannot be read does not hide the others.
    ///
    /// # Errors
    /// When a directory cannot be read.
    pub fn listing(&self) -> Result<Listing, StoreError> {
        let (mut newest, mut listing) = (Vec::new(), Listing::default());
        for path in self.history_files()? {
            let mut of_file = NewestExecution::default();
            match read_back(&path, |line| of_file.take_line(line)) {
                Ok(damaged) => {
                    listing.series.damaged.extend(damaged);
                    newest.push(of_file);
                }
                Err(error) => listing.unreadable.push(UnreadableFile { path, error }),
            }
        }
        listing.series.value = settled_series(newest);
        Ok(listing)
    }

    /// Whether a file has the history of this benchmark, on whichever testbed.
    pub fn is_history_of(&self, path: &Path, benchmark: &BenchmarkId) -> bool {
        path.file_name() == self.layout.history("", benchmark).file_name()
    }

    /// In which other units or directions runs of this history have recorded a metric of the same name.
    /// Damaged lines are skipped; loading the history reports them.
    ///
    /// # Errors
    /// As for [`load`](Store::load).
    pub fn other_metrics(&self, series: &Series) -> Result<Vec<Metric>, StoreError> {
        let mut others = OtherMetrics::beside(&series.metric);
        for benchmark in series.formerly.iter().chain([&series.benchmark]) {
            let path = self.layout.history(&series.testbed, benchmark);
            read_back(&path, |line| others.take_line(line, benchmark, &series.testbed))?;
        }
        Ok(others.into_metrics())
    }

    /// Says beside the files which project they belong to, for people who look.
    fn name_project(&self) -> Result<(), StoreError> {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        line.put("name", self.project.name.as_str());
        write_once(&self.layout.project_file(), &line.finish()?)
    }

    fn append_event(&self, event: &EventLine) -> Result<(), StoreError> {
        let line = event.encode()?;
        self.name_project()?;
        append_line(&self.layout.events(), &line)
    }

    fn load_one_name(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        let path = self.layout.history(&query.testbed, &query.benchmark);
        let mut selection = Selection::new(query);
        let damaged = match selection.lines_come() {
            ReadOrder::NewestFirst => read_back(&path, |line| selection.take_line(line)),
            ReadOrder::OldestFirst => read_on(&path, |line| selection.take_line(line)),
        }?;
        Ok(WithDamage { value: selection.into_history(), damaged })
    }

    /// All history files, in no particular order.
    fn history_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut files = Vec::new();
        for testbed in entries(&self.layout.histories())? {
            files.extend(entries(&testbed)?);
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        Ok(files)
    }
}

impl Store for JsonlStore {
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        query.with_former(|query| self.load_one_name(query))
    }

    fn append(&self, run: &Run) -> Result<(), StoreError> {
        let line = encode_run(run)?;
        self.name_project()?;
        append_line(&self.layout.history(&run.testbed, &run.benchmark), &line)
    }

    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError> {
        let mut events = Vec::new();
        let damaged = read_back(&self.layout.events(), |line| {
            let fields = Fields::parse(line)?;
            check_version(&fields)?;
            events.extend(EventLine::decode(&fields)?);
            Ok(ControlFlow::Continue(()))
        })?;
        events.reverse();
        Ok(WithDamage { value: EventLine::standing(events), damaged })
    }

    fn accept(&self, acceptance: &Acceptance) -> Result<(), StoreError> {
        self.append_event(&EventLine::Accept(acceptance.clone()))
    }

    fn revoke(&self, acceptance_id: &str, at_ms: u64) -> Result<(), StoreError> {
        self.append_event(&EventLine::Tombstone { of: acceptance_id.to_owned(), at_ms })
    }

    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        let path = self.layout.judgements(testbed, benchmark);
        let mut loaded = records(&path, decode_judgements)?;
        loaded.value.retain(|it| it.benchmark == *benchmark && it.testbed == testbed);
        Ok(loaded)
    }

    fn keep_judgements(&self, judgements: &[Judgement]) -> Result<(), StoreError> {
        let is_beside = |one: &Judgement, other: &Judgement| {
            one.benchmark == other.benchmark && one.testbed == other.testbed
        };
        for of_one in judgements.chunk_by(is_beside) {
            let lines = encode_judgements(of_one)?;
            self.name_project()?;
            let Judgement { testbed, benchmark, .. } = &of_one[0];
            append_line(&self.layout.judgements(testbed, benchmark), &lines)?;
        }
        Ok(())
    }

    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        records(&self.layout.models(), decode_model)
    }

    fn keep_model(&self, model: &Model) -> Result<(), StoreError> {
        let line = encode_model(model)?;
        self.name_project()?;
        append_line(&self.layout.models(), &line)
    }

    fn put_context(&self, hash: &str, json: &str) -> Result<(), StoreError> {
        write_once(&self.layout.context(hash)?, json)
    }

    fn context(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let path = self.layout.context(hash)?;
        match read_stored_text(&path, MOST_CONTEXT_BYTES) {
            Ok(json) => Ok(Some(json)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::reading(&path, error)),
        }
    }

    fn series(&self) -> Result<WithDamage<Vec<Series>>, StoreError> {
        let Listing { series, unreadable } = self.listing()?;
        unreadable.into_iter().next().map_or(Ok(series), |file| Err(file.error))
    }

    fn metrics_of(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: &RunId,
    ) -> Result<Vec<Metric>, StoreError> {
        let mut metrics = MetricsOfRun::new(benchmark, testbed, run);
        let path = self.layout.history(testbed, benchmark);
        read_on(&path, |line| metrics.take_line(line))?;
        Ok(metrics.into_metrics())
    }

    fn testbeds_of(&self, benchmark: &BenchmarkId) -> Result<Vec<String>, StoreError> {
        let mut testbeds = Vec::new();
        let files = self.history_files()?;
        for path in files.iter().filter(|path| self.is_history_of(path, benchmark)) {
            read_back(path, |line| {
                let found = testbed_of(line, benchmark)?;
                let is_known = found.is_some();
                testbeds.extend(found);
                Ok(if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
        }
        testbeds.sort_unstable();
        Ok(testbeds)
    }
}

/// Every record of a file, oldest first.
fn records<T, Records: IntoIterator<Item = T>>(
    path: &Path,
    decode: impl Fn(&Fields<'_>) -> Result<Records, LineError>,
) -> Result<WithDamage<Vec<T>>, StoreError> {
    let mut value = Vec::new();
    let damaged = read_on(path, |line| {
        let fields = Fields::parse(line)?;
        check_version(&fields)?;
        value.extend(decode(&fields)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(WithDamage { value, damaged })
}

fn write_once(path: &Path, text: &str) -> Result<(), StoreError> {
    directory::write_once(path, text).map_err(|error| StoreError::writing(path, error))
}

/// The paths in a directory; none when there is no such directory.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let reading = |error| StoreError::reading(directory, error);
    match fs::read_dir(directory) {
        Ok(entries) => {
            entries.map(|entry| entry.map(|entry| entry.path()).map_err(reading)).collect()
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(reading(error)),
    }
}
