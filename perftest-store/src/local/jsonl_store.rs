//! The store of a developer's machine and of a CI job.

use super::append::append_line;
use super::directory;
use super::layout::Layout;
use super::read::{read_back, read_on};
use crate::format::{
    EventLine, Fields, JsonLine, LineError, SCHEMA, check_version, decode_judgements, decode_model,
    encode_judgements, encode_model, encode_run,
};
use crate::newest_execution::{NewestExecution, settled_series};
use crate::project::directory_of_projects;
use crate::recorded_metrics::RecordedMetrics;
use crate::regular_file::read_stored_text;
use crate::selection::{ReadOrder, Selection};
use crate::{
    Annotation, Listing, Project, Query, Store, StoreError, TestbedDecision, Testbeds, WithDamage,
    file_state,
};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};
use perftest_core::order::sort;
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest size of a context.
const MOST_CONTEXT_BYTES: u64 = 16 << 20;

/// History in append-only JSON Lines files: one file per testbed and benchmark.
///
/// The first record creates the files, and no file stays open.
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
#[derive(Debug, Clone)]
pub struct JsonlStore {
    layout: Layout,
    project: Project,
    /// How testbeds are read, and the state of the file with the decisions.
    testbeds: Arc<Mutex<(Option<String>, Arc<Testbeds>)>>,
}

impl JsonlStore {
    /// Returns the history of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        let layout = Layout::new(root, project);
        Self { layout, project: project.clone(), testbeds: Arc::default() }
    }

    /// Returns the histories of all projects below the directory `root`; `None` without a store.
    ///
    /// # Errors
    /// When a directory cannot be read.
    pub fn all_below(root: &Path) -> Result<Option<Vec<Self>>, StoreError> {
        let directory = directory_of_projects(root);
        if !directory.is_dir() {
            return Ok(None);
        }
        let mut projects = entries(&directory)?;
        projects.retain(|path| path.is_dir());
        sort(&mut projects);
        let slugs = projects.iter().filter_map(|path| path.file_name());
        let slugs = slugs.map(|name| name.to_string_lossy().into_owned());
        let open = |slug: String| Self::open(root, &Project { name: slug.clone(), slug });
        Ok(Some(slugs.map(open).into_list()))
    }

    /// Writes the name of the project beside the files, for people.
    pub(super) fn name_project(&self) -> Result<(), StoreError> {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        line.put("name", self.project.name.as_str());
        write_once(&self.layout.project_file(), &line.finish()?)
    }

    /// Appends lines to a file of the project.
    fn append_to(&self, path: &Path, lines: &str) -> Result<(), StoreError> {
        self.name_project()?;
        append_line(path, lines)
    }

    fn load_one_name(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        let path = self.layout.history(&query.testbed, &query.benchmark);
        let mut selection = Selection::new(query);
        let damaged = match selection.lines_come() {
            ReadOrder::NewestFirst => read_back(&path, &mut |line| selection.take_line(line)),
            ReadOrder::OldestFirst => read_on(&path, &mut |line| selection.take_line(line)),
        }?;
        Ok(WithDamage { value: selection.into_history(), damaged })
    }

    fn events(&self) -> Result<WithDamage<Vec<EventLine>>, StoreError> {
        records(&self.layout.events(), EventLine::decode)
    }

    /// Returns the history files of this benchmark or of all, in no particular order.
    pub(super) fn history_files(
        &self,
        benchmark: Option<&BenchmarkId>,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let mut files = Vec::new();
        for testbed in entries(&self.layout.histories())? {
            files.extend(entries(&testbed)?);
        }
        let only = benchmark.map(|benchmark| self.layout.history("", benchmark));
        files.retain(|file| match &only {
            Some(only) => file.file_name() == only.file_name(),
            None => file.extension().is_some_and(|extension| extension == "jsonl"),
        });
        Ok(files)
    }

    /// Writes adjacent judgements of one test on one testbed together.
    fn append_judgements(&self, judgements: &[Judgement]) -> Result<(), StoreError> {
        let is_beside = |one: &Judgement, other: &Judgement| {
            one.benchmark == other.benchmark && one.testbed == other.testbed
        };
        for of_one in judgements.chunk_by(is_beside) {
            let lines = encode_judgements(of_one)?;
            let Judgement { testbed, benchmark, .. } = &of_one[0];
            self.append_to(&self.layout.judgements(testbed, benchmark), &lines)?;
        }
        Ok(())
    }
}

impl Store for JsonlStore {
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        let testbeds = self.testbeds()?;
        testbeds.load(query, |query| query.with_former(|query| self.load_one_name(query)))
    }

    fn append(&self, run: &Run) -> Result<(), StoreError> {
        let line = encode_run(run)?;
        self.append_to(&self.layout.history(&run.testbed, &run.benchmark), &line)
    }

    fn list(&self, benchmark: Option<&BenchmarkId>) -> Result<Listing, StoreError> {
        let testbeds = self.testbeds()?;
        let (mut newest, mut listing) = (Vec::new(), Listing::default());
        for path in self.history_files(benchmark)? {
            let mut of_file = NewestExecution::default();
            match read_back(&path, &mut |line| of_file.take_line(line)) {
                Ok(damaged) => {
                    listing.series.damaged.extend(damaged);
                    newest.push(of_file);
                }
                Err(error) => listing.unreadable.push(error),
            }
        }
        listing.series.value = settled_series(newest, &testbeds);
        // Two names may share a file when their hashes collide.
        listing.series.value.retain(|it| benchmark.is_none_or(|only| it.benchmark == *only));
        Ok(listing)
    }

    fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
    ) -> Result<Vec<Metric>, StoreError> {
        self.testbeds()?.metrics(testbed, |testbed| {
            let mut metrics = RecordedMetrics::of(benchmark, testbed, run);
            let path = self.layout.history(testbed, benchmark);
            read_back(&path, &mut |line| metrics.take_line(line))?;
            Ok(metrics.into_metrics())
        })
    }

    fn annotate(&self, annotation: Annotation<'_>) -> Result<(), StoreError> {
        match annotation {
            Annotation::Acceptance(acceptance) => {
                let line = EventLine::Accept(acceptance.clone()).encode()?;
                self.append_to(&self.layout.events(), &line)
            }
            Annotation::Testbed(decision) => {
                let line = EventLine::Testbed(decision.clone()).encode()?;
                self.append_to(&self.layout.events(), &line)
            }
            Annotation::Revocation { of, at_ms } => {
                let line = EventLine::Tombstone { of: of.to_owned(), at_ms }.encode()?;
                self.append_to(&self.layout.events(), &line)
            }
            Annotation::Judgements(judgements) => self.append_judgements(judgements),
            Annotation::Model(model) => {
                let line = encode_model(model)?;
                self.append_to(&self.layout.models(), &line)
            }
            Annotation::Context { hash, json } => write_once(&self.layout.context(hash)?, json),
        }
    }

    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError> {
        let WithDamage { value: events, damaged } = self.events()?;
        let mut value = EventLine::standing(events);
        self.testbeds()?.rename_in(&mut value);
        Ok(WithDamage { value, damaged })
    }

    fn testbed_decisions(&self) -> Result<Vec<TestbedDecision>, StoreError> {
        Ok(EventLine::standing_decisions(self.events()?.value))
    }

    /// Reads the events again only where their file changed: each history of a report needs the answer.
    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError> {
        let state = fs::metadata(self.layout.events()).ok();
        let state = state.map(|metadata| file_state(&metadata));
        // Without a file nothing is decided; without its state it is read every time.
        if state.is_none() {
            return Ok(Arc::default());
        }
        let state = state.flatten();
        let mut known = self.testbeds.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_none() || known.0 != state {
            let testbeds = Testbeds::of(&self.testbed_decisions()?);
            *known = (state, Arc::new(testbeds));
        }
        Ok(Arc::clone(&known.1))
    }

    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        self.testbeds()?.judgements(testbed, |testbed| {
            let path = self.layout.judgements(testbed, benchmark);
            let mut loaded = records(&path, decode_judgements)?;
            loaded.value.retain(|it| it.benchmark == *benchmark && it.testbed == testbed);
            Ok(loaded)
        })
    }

    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        records(&self.layout.models(), decode_model)
    }

    fn context(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let path = self.layout.context(hash)?;
        match read_stored_text(&path, MOST_CONTEXT_BYTES) {
            Ok(json) => Ok(Some(json)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::reading(&path, error)),
        }
    }
}

/// Returns every record of a file, oldest first.
fn records<T, Records: IntoIterator<Item = T>>(
    path: &Path,
    decode: impl Fn(&Fields<'_>) -> Result<Records, LineError>,
) -> Result<WithDamage<Vec<T>>, StoreError> {
    let mut value = Vec::new();
    let damaged = read_on(path, &mut |line| {
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

/// Returns the paths in a directory; none if it does not exist.
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
