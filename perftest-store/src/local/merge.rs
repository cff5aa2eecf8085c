//! Unites stores: what other directories have is added to one of them, line by line.

use super::JsonlStore;
use super::add_records::insert_lines;
use super::jsonl_store::{MOST_CONTEXT_BYTES, entries, write_once};
use super::layout::Layout;
use super::lock::Lock;
use super::read::read_on;
use super::record::{ReadPlace, Record};
use super::record_file_name::RecordFileName;
use super::record_files::{BlockOfLines, LEFT_OUT, RecordFiles, files_of_project};
use crate::project::directory_of_projects;
use crate::regular_file::read_stored_text;
use crate::{Damage, Project, StoreError};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a merge did.
#[derive(Debug, Default)]
pub struct MergedStores {
    /// Lines that were added.
    pub added: usize,
    /// Lines that were there already.
    pub known: usize,
    /// Records that are not runs, of stores whose runs are only shown.
    pub left_out: usize,
    /// Lines of the other stores that could not be read, and were not added.
    pub damaged: Vec<Damage>,
    /// Files of the other stores that could not be read, or that could not be written here.
    pub failed: Vec<StoreError>,
    /// The directories of the projects, below the root of the version.
    pub projects: Vec<PathBuf>,
}

/// Adds all lines of the stores `others` to the store `root`, each once, whatever project they are of. A
/// line is what its bytes are: merging again adds nothing. A line is added at its time; the lines that were there keep
/// their order.
///
/// # Errors
/// When one of `others` is no store, before anything is added.
pub fn merge_stores(root: &Path, others: &[PathBuf]) -> Result<MergedStores, StoreError> {
    let (mut merged, files) = files_of(others)?;
    for (relative, sources) in files {
        merged.add(&directory_of_projects(root).join(relative), &sources);
    }
    Ok(merged)
}

/// Adds all lines of the project `from` to the project `to` of the same store, each once, as [`merge_stores`] does.
/// The history of `from` stays as it is.
///
/// # Errors
/// When the store has no project `from`, before anything is added.
pub fn merge_project(
    root: &Path,
    from: &Project,
    to: &Project,
) -> Result<MergedStores, StoreError> {
    let add = |merged: &mut MergedStores, target: &Path, source: PathBuf| {
        merged.add(target, &[source]);
    };
    merge_project_by(add, root, from, to)
}

/// Moves all lines of the project `from` to the project `to` of the same store: for one repository that has two names. A
/// process that goes on writing under the old name begins new files, which the next call moves. A file with a damaged
/// line stays as well.
///
/// # Errors
/// As for [`merge_project`].
pub fn move_project(root: &Path, from: &Project, to: &Project) -> Result<MergedStores, StoreError> {
    merge_project_by(MergedStores::take_over, root, from, to)
}

/// Removes what is left of the project `from` behind [`move_project`], where all of its lines were moved: caches, kept
/// executables and profiles, what was exchanged, the name and the empty directories. Other files stay, with their directories.
pub fn remove_moved_project(root: &Path, from: &Project) {
    let directory = from.directory(root);
    for name in LEFT_OUT {
        let _ = fs::remove_dir_all(directory.join(name));
    }
    remove_empty_directories(&directory);
    let only_name = [Layout::new(root, from).project_file()];
    if entries(&directory).is_ok_and(|left| left == only_name) {
        let _ = fs::remove_file(&only_name[0]).and_then(|()| fs::remove_dir(&directory));
    }
}

/// Removes the directories that have no file. A directory with a file cannot be removed.
fn remove_empty_directories(directory: &Path) {
    let is_directory = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let below = entries(directory).unwrap_or_default();
    below.iter().filter(|path| is_directory(path)).for_each(|path| remove_empty_directories(path));
    let _ = fs::remove_dir(directory);
}

/// Passes each file of the project `from`, with its name in the project `to`, to `add`.
fn merge_project_by(
    add: impl Fn(&mut MergedStores, &Path, PathBuf),
    root: &Path,
    from: &Project,
    to: &Project,
) -> Result<MergedStores, StoreError> {
    let (source, target) = (from.directory(root), to.directory(root));
    if !source.is_dir() {
        let why = "the store has no such project".to_owned();
        return Err(StoreError::Unreadable { path: source, why });
    }
    let mut merged = MergedStores::default();
    let layout = Layout::new(root, from);
    for file in files_of_project(&source)? {
        // The name of the other project.
        if file != layout.project_file() {
            let relative = file.strip_prefix(&source).unwrap_or(&file).to_owned();
            add(&mut merged, &target.join(relative), file);
        }
    }
    merged.failed.extend(JsonlStore::open(root, to).name_project().err());
    Ok(merged)
}

/// Adds the runs of stores that nobody vouches for, each once, as [`RecordFiles::insert_show_only`] does. Leaves out
/// everything else.
///
/// # Errors
/// As for [`merge_stores`].
pub fn merge_show_only(root: &Path, others: &[PathBuf]) -> Result<MergedStores, StoreError> {
    let (mut merged, files) = files_of(others)?;
    for (relative, sources) in files {
        let mut parts = relative.components();
        let project = parts.next().map(|it| it.as_os_str().to_string_lossy().into_owned());
        let (Some(slug), Some(name)) = (project, RecordFileName::of_path(parts.as_path())) else {
            continue;
        };
        if !name.has_lines() {
            merged.left_out += sources.len();
            continue;
        }
        let records = merged.records_of(&sources);
        if !name.is_history() {
            merged.left_out += records.len();
            continue;
        }
        let target = RecordFiles::open(root, &Project { name: slug.clone(), slug });
        match target.insert_show_only(&records) {
            Ok(done) => {
                merged.added += done.added;
                merged.known += done.known;
                merged.left_out += done.left_out;
            }
            Err(error) => merged.failed.push(error),
        }
    }
    Ok(merged)
}

/// The files of all these stores, by their path below the projects of a store.
type FilesOfStores = BTreeMap<PathBuf, Vec<PathBuf>>;

/// Returns the files, and a merge that has done nothing yet.
fn files_of(others: &[PathBuf]) -> Result<(MergedStores, FilesOfStores), StoreError> {
    let mut merged = MergedStores::default();
    let mut files = FilesOfStores::new();
    for other in others {
        let below = directory_of_projects(other);
        if !below.is_dir() {
            let why = "it is no store: name the directory that PERFTEST_STORE was".to_owned();
            return Err(StoreError::Unreadable { path: other.clone(), why });
        }
        let mut projects = entries(&below)?;
        projects.sort();
        for project in projects {
            for file in files_of_project(&project)? {
                let relative = file.strip_prefix(&below).unwrap_or(&file).to_owned();
                files.entry(relative).or_default().push(file);
            }
            merged.projects.extend(project.strip_prefix(&below).map(Path::to_owned));
        }
    }
    merged.projects.sort();
    merged.projects.dedup();
    Ok((merged, files))
}

impl MergedStores {
    /// Adds the content of all these files to one of the same name.
    fn add(&mut self, target: &Path, sources: &[PathBuf]) {
        let done = match has_lines(target) {
            true => self.add_lines(target, sources),
            false => sources.iter().try_for_each(|source| copy_once(source, target)),
        };
        self.failed.extend(done.err());
    }

    /// Adds the content of a file to one of another project, and removes the file.
    fn take_over(&mut self, target: &Path, source: PathBuf) {
        let done = match has_lines(target) {
            true => self.move_lines(target, &source),
            false => copy_once(&source, target).and_then(|()| remove(&source)),
        };
        self.failed.extend(done.err());
    }

    /// Adds the lines of a file to another one, and removes the file.
    fn move_lines(&mut self, target: &Path, source: &Path) -> Result<(), StoreError> {
        let reading = |error| StoreError::reading(source, error);
        let _lock = Lock::for_replacing(source).map_err(reading)?;
        let content = fs::read(source).map_err(reading)?;
        let lines = BlockOfLines::of(source, &content)?;
        let is_whole = lines.bytes == content.len() as u64;
        let new = lines.into_records(source, 0, ReadPlace::default());
        let done = insert_lines(target, &new.records)?;
        self.added += done.added;
        self.known += done.known;
        if is_whole && new.damaged.is_empty() {
            remove(source)?;
        }
        self.damaged.extend(new.damaged);
        Ok(())
    }

    /// Adds the lines of all these files to one of the same name. A file that cannot be read keeps the others
    /// from nothing.
    fn add_lines(&mut self, target: &Path, sources: &[PathBuf]) -> Result<(), StoreError> {
        let records = self.records_of(sources);
        let done = insert_lines(target, &records)?;
        self.added += done.added;
        self.known += done.known;
        Ok(())
    }

    /// Reads the records of all these files, and notes what cannot be read.
    fn records_of(&mut self, sources: &[PathBuf]) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        for source in sources {
            let mut of_source: Vec<Record> = Vec::new();
            let read = read_on(source, &mut |line| {
                let id_before = of_source.last().map_or("", |record| record.id.as_str());
                of_source.push(Record::of_line(line, id_before)?);
                Ok(ControlFlow::Continue(()))
            });
            match read {
                Ok(damaged) => {
                    self.damaged.extend(damaged);
                    records.append(&mut of_source);
                }
                Err(error) => self.failed.push(error),
            }
        }
        records
    }
}

fn remove(file: &Path) -> Result<(), StoreError> {
    fs::remove_file(file).map_err(|error| StoreError::writing(file, error))
}

fn has_lines(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("jsonl"))
}

/// Copies a whole small file, such as a context, unless it is there.
fn copy_once(source: &Path, target: &Path) -> Result<(), StoreError> {
    let text = read_stored_text(source, MOST_CONTEXT_BYTES)
        .map_err(|error| StoreError::reading(source, error))?;
    write_once(target, &text)
}
