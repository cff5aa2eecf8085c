//! Unites stores: what other directories have is added to one of them, line by line.

use super::append::append_line;
use super::directory;
use super::read::read_on;
use crate::format::{Fields, LineError, check_version};
use crate::project::directory_of_projects;
use crate::regular_file::read_stored_text;
use crate::{Damage, StoreError};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A larger context is none of ours.
const MOST_CONTEXT_BYTES: u64 = 16 << 20;
/// Directories below that of a project: `runs/<testbed>`.
const DEEPEST: usize = 2;
/// What is no history of its own: an answer is found out again, and executables are copied by who knows
/// them.
const LEFT_OUT: [&str; 2] = ["cache", "executables"];

/// What a merge did.
#[derive(Debug, Default)]
pub struct MergedStores {
    /// Lines that were added.
    pub added: usize,
    /// Lines that were there already.
    pub known: usize,
    /// Lines of the other stores that could not be read, and were not added.
    pub damaged: Vec<Damage>,
    /// Files of the other stores that could not be read, or that could not be written here.
    pub failed: Vec<StoreError>,
    /// The directories of the projects, below the root of the version.
    pub projects: Vec<PathBuf>,
}

/// A line that may be added.
struct NewLine {
    /// Begins with the time of the line. That of the line before, where it has none: a revocation stays
    /// behind what it revokes.
    id: String,
    /// With its end.
    text: String,
}

/// Adds all lines of the stores `others` to the store `root`, each once, whatever project they are of. A
/// line is what its bytes are: merging again adds nothing. Lines of several stores are added in the order of
/// their time.
///
/// # Errors
/// When one of `others` is no store, before anything is added.
pub fn merge_stores(root: &Path, others: &[PathBuf]) -> Result<MergedStores, StoreError> {
    let mut merged = MergedStores::default();
    let mut files: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for other in others {
        let below = directory_of_projects(other);
        if !below.is_dir() {
            let why = "it is no store: name the directory that PERFTEST_STORE was".to_owned();
            return Err(StoreError::Unreadable { path: other.clone(), why });
        }
        for project in entries(&below)? {
            for file in files_below(&project, DEEPEST)? {
                let relative = file.strip_prefix(&below).unwrap_or(&file).to_owned();
                files.entry(relative).or_default().push(file);
            }
            merged.projects.extend(project.strip_prefix(&below).map(Path::to_owned));
        }
    }
    merged.projects.sort();
    merged.projects.dedup();
    for (relative, sources) in files {
        let target = directory_of_projects(root).join(relative);
        let is_lines = target.extension() == Some(OsStr::new("jsonl"));
        let done = match is_lines {
            true => merged.add_lines(&target, &sources),
            false => sources.iter().try_for_each(|source| copy_once(source, &target)),
        };
        merged.failed.extend(done.err());
    }
    Ok(merged)
}

impl MergedStores {
    /// Adds the lines of all these files to one of the same name. A file that cannot be read keeps the others
    /// from nothing.
    fn add_lines(&mut self, target: &Path, sources: &[PathBuf]) -> Result<(), StoreError> {
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        read_on(target, &mut |line| {
            seen.insert(line.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        let mut new: Vec<NewLine> = Vec::new();
        for source in sources {
            let (mut of_source, mut known, mut last_id) = (Vec::new(), 0, String::new());
            let read = read_on(source, &mut |line| {
                let id = id_of(line)?.unwrap_or_else(|| last_id.clone());
                last_id.clone_from(&id);
                if seen.insert(line.to_vec()) {
                    let text = String::from_utf8_lossy(line).into_owned() + "\n";
                    of_source.push(NewLine { id, text });
                } else {
                    known += 1;
                }
                Ok(ControlFlow::Continue(()))
            });
            match read {
                Ok(damaged) => {
                    self.damaged.extend(damaged);
                    self.known += known;
                    new.append(&mut of_source);
                }
                Err(error) => self.failed.push(error),
            }
        }
        new.sort_by(|one, other| one.id.cmp(&other.id));
        if !new.is_empty() {
            let text: String = new.iter().map(|line| line.text.as_str()).collect();
            append_line(target, &text)?;
            self.added += new.len();
        }
        Ok(())
    }
}

/// The id of a line that can be read.
fn id_of(line: &[u8]) -> Result<Option<String>, LineError> {
    let fields = Fields::parse(line)?;
    check_version(&fields)?;
    fields.get("id")
}

/// Copies a whole small file, such as a context, unless it is there.
fn copy_once(source: &Path, target: &Path) -> Result<(), StoreError> {
    let text = read_stored_text(source, MOST_CONTEXT_BYTES)
        .map_err(|error| StoreError::reading(source, error))?;
    directory::write_once(target, &text).map_err(|error| StoreError::writing(target, error))
}

/// The files of a store's project that are lines or whole small files, sorted.
fn files_below(directory: &Path, depth: usize) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    for path in entries(directory)? {
        let is_left_out = LEFT_OUT.iter().any(|name| path.file_name() == Some(OsStr::new(name)));
        let found =
            fs::symlink_metadata(&path).map_err(|error| StoreError::reading(&path, error))?;
        if found.is_dir() {
            if depth > 0 && !is_left_out {
                files.extend(files_below(&path, depth - 1)?);
            }
        } else if ["jsonl", "json"].map(OsStr::new).contains(&path.extension().unwrap_or_default())
        {
            files.push(path);
        }
    }
    Ok(files)
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let reading = |error| StoreError::reading(directory, error);
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        // A file beside the projects.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Vec::new()),
        Err(error) => return Err(reading(error)),
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut paths = paths.map_err(reading)?;
    paths.sort();
    Ok(paths)
}
