//! The files of a project whose records are copied between stores.

use super::JsonlStore;
use super::add_records::{AddedRecords, add_lines, insert_lines};
use super::jsonl_store::{MOST_CONTEXT_BYTES, entries, write_once};
use super::lock::Lock;
use super::read::read_on;
use super::record::{ReadPlace, Record, check_whole_text, end_of, is_place_of, place_at};
use super::record_file_name::RecordFileName;
use super::show_only::{ShownRecords, shown_run};
use crate::format::LineError;
use crate::project_files::ProjectFiles;
use crate::regular_file::{open_stored, read_stored_text};
use crate::{Damage, Digest, Project, StoreError, Testbeds};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most bytes that are read at once.
const BLOCK: u64 = 16 << 20;
/// Directories below that of a project: `runs/<testbed>`.
const DEEPEST: usize = 2;
/// What is no history of its own: an answer is found out again, executables and profiles are copied by who knows
/// them, and each store has exchanged other records.
pub(super) const LEFT_OUT: [&str; 4] = ["cache", "executables", "profiles", "sync"];

/// The files of a project that have records, for programs that copy new records from one store to
/// another. A record is what its bytes are: adding it again changes nothing.
///
/// ```
/// use perftest_store::{JsonlStore, Project, ReadPlace, RecordFiles, Store, conformance};
///
/// # let root = std::env::temp_dir().join(format!("perftest-doc-files-{}", std::process::id()));
/// let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
/// let [here, there] = ["here", "there"].map(|name| root.join(name));
/// JsonlStore::open(&here, &project).append(&conformance::example_run(1))?;
/// let [here, there] = [here, there].map(|root| RecordFiles::open(&root, &project));
/// for file in here.list()? {
///     let new = here.read(&file.name, &ReadPlace::default())?;
///     assert_eq!(there.add(&file.name, &new.records)?.added, 1);
///     assert_eq!(there.add(&file.name, &new.records)?.added, 0);
/// }
/// # std::fs::remove_dir_all(root).unwrap();
/// # Ok::<(), perftest_store::StoreError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordFiles {
    pub(super) store: JsonlStore,
    directory: PathBuf,
}

/// A file with records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// The same in every store of the project.
    pub name: RecordFileName,
    /// Its size.
    pub bytes: u64,
}

/// The records behind a place.
#[derive(Debug, Default)]
pub struct NewRecords {
    /// In the order of the file.
    pub records: Vec<Record>,
    /// The place behind them. The same as before if there is nothing more.
    pub place: ReadPlace,
    /// Lines that are no records, and are left out.
    pub damaged: Vec<Damage>,
}

impl RecordFiles {
    /// Returns the files of `project` below the directory `root`. Touches nothing yet.
    pub fn open(root: &Path, project: &Project) -> Self {
        Self { store: JsonlStore::open(root, project), directory: project.directory(root) }
    }

    /// Returns how the testbeds are read.
    ///
    /// # Errors
    /// When the decisions cannot be read.
    pub fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError> {
        self.store.testbeds()
    }

    /// The path of a file.
    pub fn path(&self, name: &RecordFileName) -> PathBuf {
        name.below(&self.directory)
    }

    /// Lists the files, sorted by name; none without a store.
    ///
    /// # Errors
    /// When a directory cannot be read.
    pub fn list(&self) -> Result<Vec<RecordFile>, StoreError> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        let mut files = Vec::new();
        for path in files_of_project(&self.directory)? {
            let relative = path.strip_prefix(&self.directory).unwrap_or(&path);
            if let Some(name) = RecordFileName::of_path(relative) {
                let found = fs::symlink_metadata(&path);
                let bytes = found.map_err(|error| StoreError::reading(&path, error))?.len();
                files.push(RecordFile { name, bytes });
            }
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(files)
    }

    /// Reads records behind a place. All of them, or as many as fit into memory: the next call goes
    /// on. If the place is of another file, reads from the start. A missing file has no records.
    ///
    /// # Errors
    /// When the file cannot be read or was written in another version of the format.
    pub fn read(&self, name: &RecordFileName, place: &ReadPlace) -> Result<NewRecords, StoreError> {
        let path = self.path(name);
        let reading = |error| StoreError::reading(&path, error);
        let _lock = Lock::for_reading(&path).map_err(reading)?;
        let mut file = match open_stored(&path, File::options().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(NewRecords::default()),
            Err(error) => return Err(reading(error)),
        };
        let is_known = is_place_of(&mut file, place).map_err(reading)?;
        let place = if is_known { place.clone() } else { ReadPlace::default() };
        if name.has_lines() {
            lines_behind(&path, &mut file, place)
        } else {
            whole_text_behind(&path, &mut file, place)
        }
    }

    /// Adds records to a file, durably and in this order, all or none. Leaves out those that the
    /// file has, and creates a missing file. Another process adds nothing meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written or was written in another version of the format.
    pub fn add(
        &self,
        name: &RecordFileName,
        records: &[Record],
    ) -> Result<AddedRecords, StoreError> {
        self.store.name_project()?;
        let path = self.path(name);
        if name.has_lines() {
            add_lines(&path, records)
        } else {
            let mut done = AddedRecords::default();
            for record in records {
                let is_new = !path.is_file();
                write_once(&path, &record.text)?;
                *if is_new { &mut done.added } else { &mut done.known } += 1;
            }
            done.place = end_of(&path).map_err(|error| StoreError::reading(&path, error))?;
            Ok(done)
        }
    }

    /// Adds records like [`add`](Self::add), each at its time. The records that the file has keep
    /// their order.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn insert(
        &self,
        name: &RecordFileName,
        records: Vec<Record>,
    ) -> Result<AddedRecords, StoreError> {
        if !name.has_lines() {
            return self.add(name, &records);
        }
        self.store.name_project()?;
        insert_lines(&self.path(name), &records)
    }

    /// Adds the runs among records of a source that nobody vouches for. They are shown under a testbed that
    /// no machine has, so no run is compared with them, whatever they claim. A record that is here as it is stays what
    /// it is: the source had it from here.
    ///
    /// # Errors
    /// When a record cannot be read, or a file cannot be written.
    pub fn insert_show_only(&self, records: &[Record]) -> Result<ShownRecords, StoreError> {
        let mut done = ShownRecords::default();
        let mut by_file: BTreeMap<RecordFileName, Vec<Record>> = BTreeMap::new();
        let mut own = BTreeMap::new();
        for record in records {
            match shown_run(&record.text) {
                Ok(Some(shown)) => {
                    if self.has_line(&mut own, shown.own_file, &record.text)? {
                        done.known += 1;
                    } else {
                        by_file.entry(shown.file).or_default().push(shown.record);
                    }
                }
                Ok(None) => done.left_out += 1,
                Err(error) => {
                    let why = format!("a record cannot be read: {error:?}");
                    return Err(StoreError::Invalid { why });
                }
            }
        }
        for (name, records) in by_file {
            let of_file = self.insert(&name, records)?;
            done.added += of_file.added;
            done.known += of_file.known;
        }
        Ok(done)
    }

    /// Whether a file has this line. `read` keeps the lines of files that were read before.
    fn has_line(
        &self,
        read: &mut BTreeMap<RecordFileName, HashSet<Digest>>,
        name: RecordFileName,
        line: &str,
    ) -> Result<bool, StoreError> {
        if !read.contains_key(&name) {
            let mut lines = HashSet::new();
            let mut take = |line: &[u8]| {
                lines.insert(Digest::of(line));
                Ok(ControlFlow::Continue(()))
            };
            read_on(&self.path(&name), &mut take)?;
            read.insert(name.clone(), lines);
        }
        Ok(read[&name].contains(&Digest::of(line.as_bytes())))
    }
}

/// Reads the records behind a place of a file.
pub(super) fn lines_behind(
    path: &Path,
    file: &mut (impl Read + Seek),
    place: ReadPlace,
) -> Result<NewRecords, StoreError> {
    let reading = |error| StoreError::reading(path, error);
    let mut block = Vec::new();
    file.seek(SeekFrom::Start(place.end)).map_err(reading)?;
    file.by_ref().take(BLOCK).read_to_end(&mut block).map_err(reading)?;
    let lines = BlockOfLines::of(path, &block)?;
    let before = match lines.damaged[..] {
        [] => 0,
        _ => line_feeds_before(file, place.end).map_err(reading)?,
    };
    let end = place_at(file, place.end + lines.bytes).map_err(reading)?;
    Ok(lines.into_records(path, before, end))
}

/// The whole lines at the beginning of a block of a file.
pub(super) struct BlockOfLines {
    records: Vec<Record>,
    /// Lines that are no records, by their numbers in the block.
    pub(super) damaged: Vec<(u64, String)>,
    pub(super) bytes: u64,
}

impl BlockOfLines {
    pub(super) fn of(path: &Path, block: &[u8]) -> Result<Self, StoreError> {
        // A line without its end is not finished.
        let end = block.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if end == 0 && block.len() as u64 == BLOCK {
            let why = format!("a line of it has more than {} MiB", BLOCK >> 20);
            return Err(StoreError::Unreadable { path: path.to_owned(), why });
        }
        let (mut records, mut damaged): (Vec<Record>, Vec<(u64, String)>) = Default::default();
        let lines = block[..end].split(|byte| *byte == b'\n').zip(1..);
        for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
            let id_before = records.last().map_or("", |record| record.id.as_str());
            match Record::of_line(line, id_before) {
                Ok(record) => records.push(record),
                Err(LineError::Damaged(why)) => damaged.push((number, why)),
                Err(error) => return Err(StoreError::of_line(path, error)),
            }
        }
        Ok(Self { records, damaged, bytes: end as u64 })
    }

    /// Returns the records of a block behind so many lines, with the place behind it.
    pub(super) fn into_records(self, path: &Path, before: u64, place: ReadPlace) -> NewRecords {
        let damage = |(number, why)| Damage { file: path.to_owned(), line: before + number, why };
        let damaged = self.damaged.into_iter().map(damage).collect();
        NewRecords { records: self.records, place, damaged }
    }
}

/// A whole small file, unless it was read.
fn whole_text_behind(
    path: &Path,
    file: &mut File,
    place: ReadPlace,
) -> Result<NewRecords, StoreError> {
    let reading = |error| StoreError::reading(path, error);
    if place.end > 0 {
        return Ok(NewRecords { place, ..NewRecords::default() });
    }
    let text = read_stored_text(path, MOST_CONTEXT_BYTES).map_err(reading)?;
    let place = place_at(file, text.len() as u64).map_err(reading)?;
    Ok(record_of_text(path, &text, place))
}

/// The record that is a whole small file, up to its end.
pub(super) fn record_of_text(path: &Path, text: &str, place: ReadPlace) -> NewRecords {
    if check_whole_text(text).is_err() {
        let why = "not a whole JSON object".to_owned();
        let damaged = vec![Damage { file: path.to_owned(), line: 1, why }];
        return NewRecords { records: Vec::new(), place, damaged };
    }
    let records = vec![Record { id: String::new(), text: text.to_owned() }];
    NewRecords { records, place, damaged: Vec::new() }
}

fn line_feeds_before(file: &mut (impl Read + Seek), end: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let (mut count, mut left, mut block) = (0, end, vec![0; 64 * 1024]);
    while left > 0 {
        let wanted = left.min(block.len() as u64) as usize;
        file.read_exact(&mut block[..wanted])?;
        count += block[..wanted].iter().filter(|byte| **byte == b'\n').count() as u64;
        left -= wanted as u64;
    }
    Ok(count)
}

/// The files of a store's project that are lines or whole small files, sorted.
pub(super) fn files_of_project(project: &Path) -> Result<Vec<PathBuf>, StoreError> {
    files_below(project, DEEPEST)
}

fn files_below(directory: &Path, depth: usize) -> Result<Vec<PathBuf>, StoreError> {
    let (mut files, mut paths) = (Vec::new(), entries(directory)?);
    paths.sort();
    for path in paths {
        let is_left_out = LEFT_OUT.iter().any(|name| path.file_name() == Some(OsStr::new(name)));
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            // A temporary file has got its name meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::reading(&path, error)),
        };
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
