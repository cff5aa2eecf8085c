//! The store of a developer's machine and of a CI job.

use super::append::append_line;
use super::directory;
use super::layout::Layout;
use super::read::{is_absent, read_back, read_on};
use crate::keep_reading::KeepReading;
use crate::project::directory_of_projects;
use crate::project_files::ProjectFiles;
use crate::project_records::{ProjectLines, ProjectRecords, WantedRecords};
use crate::regular_file::read_stored_text;
use crate::selection::ReadOrder;
use crate::{Damage, Decisions, Project, StoreError, Testbeds, WithDamage, file_state};
use perftest_core::list::IntoList;
use perftest_core::model::BenchmarkId;
use perftest_core::order::sort;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest size of a context.
pub(super) const MOST_CONTEXT_BYTES: u64 = 16 << 20;

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
    /// What is decided, and the state of the file with the decisions.
    decided: Arc<Mutex<(Option<String>, WithDamage<Decisions>)>>,
}

impl JsonlStore {
    /// Returns the history of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        let layout = Layout::new(root, project);
        Self { layout, project: project.clone(), decided: Arc::default() }
    }

    /// Returns the histories of all projects below the directory `root`; `None` without a store.
    ///
    /// # Errors
    /// When a directory cannot be read.
    #[inline]
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

    /// The project; of [`all_below`](Self::all_below) with its slug as its name.
    pub(crate) fn project(&self) -> &Project {
        &self.project
    }

    /// Writes the name of the project beside the files, for people.
    pub(super) fn name_project(&self) -> Result<(), StoreError> {
        write_once(&self.layout.project_file(), &self.project.file_text()?)
    }

    /// Passes what is decided to `take`. Reads the events again only where their file changed: each history of a report
    /// needs them.
    fn take_decided<T: Default>(
        &self,
        take: impl FnOnce(&WithDamage<Decisions>) -> T,
    ) -> Result<T, StoreError> {
        // Without a file nothing is decided; without its state it is read every time.
        let events = self.layout.events();
        let metadata = match fs::metadata(&events) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(T::default()),
            Err(error) => return Err(StoreError::reading(&events, error)),
        };
        let state = file_state(&metadata);
        let mut known = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_none() || known.0 != state {
            *known = (state, self.records().decisions()?);
        }
        Ok(take(&known.1))
    }
}

impl ProjectFiles for JsonlStore {
    fn records(&self) -> ProjectRecords<'_> {
        ProjectRecords { lines: &LocalLines, layout: &self.layout }
    }

    fn history_files(&self, benchmark: Option<&BenchmarkId>) -> Result<Vec<PathBuf>, StoreError> {
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

    fn decided(&self) -> Result<WithDamage<Decisions>, StoreError> {
        self.take_decided(WithDamage::clone)
    }

    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError> {
        self.take_decided(|decided| Arc::clone(&decided.value.testbeds))
    }

    fn text(&self, path: &Path) -> Result<Option<String>, StoreError> {
        match read_stored_text(path, MOST_CONTEXT_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::reading(path, error)),
        }
    }

    fn append_to(&self, path: &Path, lines: &str) -> Result<(), StoreError> {
        self.name_project()?;
        append_line(path, lines)
    }

    fn write_once(&self, path: &Path, text: &str) -> Result<(), StoreError> {
        write_once(path, text)
    }
}

/// Lines of files on this machine. The order decides how much of a file is read.
struct LocalLines;

impl ProjectLines for LocalLines {
    fn read(
        &self,
        path: &Path,
        wanted: WantedRecords<'_>,
        take: &mut dyn FnMut(&[u8]) -> KeepReading,
    ) -> Result<Vec<Damage>, StoreError> {
        match wanted.order() {
            ReadOrder::NewestFirst => read_back(path, take),
            ReadOrder::OldestFirst => read_on(path, take),
        }
    }
}

/// Writes a whole small file, such as a context, unless it exists: readers see all of it or nothing.
pub(super) fn write_once(path: &Path, text: &str) -> Result<(), StoreError> {
    if path.is_file() {
        return Ok(());
    }
    directory::replace(path, text.as_bytes()).map_err(|error| StoreError::writing(path, error))
}

/// Returns the paths in a directory; none if it does not exist, or is a file.
pub(super) fn entries(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let reading = |error| StoreError::reading(directory, error);
    match fs::read_dir(directory) {
        Ok(entries) => entries.map(|entry| Ok(entry.map_err(reading)?.path())).into_list_of_ok(),
        Err(error) if is_absent(&error) => Ok(Vec::new()),
        Err(error) => Err(reading(error)),
    }
}
