//! Adds the records that a file does not have, at its end or at their time.

use super::append::{append_under, lock_for_append};
use super::directory;
use super::lock::Lock;
use super::record::{ReadPlace, Record, end_of};
use crate::StoreError;
use crate::format::{Fields, LineError, check_version};
use crate::regular_file::open_stored;
use perftest_core::model::RunId;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The result of adding records to a file.
#[derive(Debug, Default)]
pub struct AddedRecords {
    /// Records that were added.
    pub added: usize,
    /// Records that the file had.
    pub known: usize,
    /// The size of the file before.
    pub begin: u64,
    /// The place behind them: the end of the file.
    pub place: ReadPlace,
}

/// Adds records at the end of a file, in this order.
pub(super) fn add_lines(path: &Path, records: &[Record]) -> Result<AddedRecords, StoreError> {
    add_new(path, records, |lock, _, new| append(lock, path, new))
}

/// Adds the records that the file does not have at their time: behind the last one of the file, or between those that
/// it has, and another form of a record behind it. The records of the file keep their order, whatever their times are.
pub(super) fn insert_lines(
    path: &Path,
    mut records: Vec<Record>,
) -> Result<AddedRecords, StoreError> {
    Record::sort_by_time(&mut records);
    add_new(path, &records, |lock, content, new| {
        let present = lines_with_ids(path, content)?;
        let places: HashMap<&str, usize> =
            present.iter().enumerate().map(|(place, (id, _))| (id.as_str(), place)).collect();
        let (other_forms, new_ids): (Vec<&Record>, Vec<&Record>) =
            new.iter().partition(|record| places.contains_key(record.id.as_str()));
        let is_behind = |newest: &str| RunId::time_in(newest) <= RunId::time_in(&new[0].id);
        if other_forms.is_empty() && present.last().is_none_or(|(newest, _)| is_behind(newest)) {
            return append(lock, path, new);
        }
        let mut behind: HashMap<usize, Vec<&Record>> = HashMap::new();
        for record in other_forms {
            behind.entry(places[record.id.as_str()]).or_default().push(record);
        }
        let text = merged(&present, &behind, &new_ids);
        directory::replace(path, &text).map_err(|error| StoreError::writing(path, error))
    })
}

/// Passes the new ones of these records to `write`, with the content of the file, under its lock.
fn add_new(
    path: &Path,
    records: &[Record],
    write: impl FnOnce(&Lock, &[u8], &[&Record]) -> Result<(), StoreError>,
) -> Result<AddedRecords, StoreError> {
    if records.is_empty() {
        return Ok(AddedRecords::default());
    }
    let reading = |error| StoreError::reading(path, error);
    let lock = lock_for_append(path)?;
    let mut content = Vec::new();
    match open_stored(path, File::options().read(true)) {
        Ok(mut file) => {
            file.read_to_end(&mut content).map_err(reading)?;
        }
        // Where a lock is a file of its own, the data may not exist yet.
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(reading(error)),
    }
    let new = missing_in(&content, records);
    if !new.is_empty() {
        write(&lock, &content, &new)?;
    }
    Ok(AddedRecords {
        added: new.len(),
        known: records.len() - new.len(),
        begin: content.len() as u64,
        place: end_of(path).map_err(reading)?,
    })
}

/// Returns the records that are no line of a content, each once.
pub(super) fn missing_in<'a>(content: &[u8], records: &'a [Record]) -> Vec<&'a Record> {
    let mut seen: HashSet<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    records.iter().filter(|record| seen.insert(record.text.as_bytes())).collect()
}

fn append(lock: &Lock, path: &Path, new: &[&Record]) -> Result<(), StoreError> {
    let text: String = new.iter().flat_map(|record| [record.text.as_str(), "\n"]).collect();
    append_under(lock, path, &text)
}

/// The lines of a file, each with its id, or with that of the line before if it has none.
fn lines_with_ids<'a>(
    path: &Path,
    content: &'a [u8],
) -> Result<Vec<(String, &'a [u8])>, StoreError> {
    let mut lines: Vec<(String, &[u8])> = Vec::new();
    for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let id = match id_of(line) {
            Err(LineError::OtherVersion(version)) => {
                return Err(StoreError::OtherVersion { path: path.to_owned(), version });
            }
            // A damaged line stays where it is.
            Err(LineError::Damaged(_)) => None,
            Ok(id) => id,
        };
        let id = id.or_else(|| lines.last().map(|(before, _)| before.clone()));
        lines.push((id.unwrap_or_default(), line));
    }
    Ok(lines)
}

fn id_of(line: &[u8]) -> Result<Option<String>, LineError> {
    let fields = Fields::parse(line)?;
    check_version(&fields)?;
    fields.get("id")
}

/// Puts each record of a new id before the first later line, and the others behind the line at their place.
fn merged(
    present: &[(String, &[u8])],
    behind: &HashMap<usize, Vec<&Record>>,
    new_ids: &[&Record],
) -> Vec<u8> {
    let (mut text, mut new) = (Vec::new(), new_ids.iter().peekable());
    let mut put = |line: &[u8]| {
        text.extend_from_slice(line);
        text.push(b'\n');
    };
    for (place, (id, line)) in present.iter().enumerate() {
        while let Some(record) =
            new.next_if(|record| RunId::time_in(&record.id) < RunId::time_in(id))
        {
            put(record.text.as_bytes());
        }
        put(line);
        behind.get(&place).into_iter().flatten().for_each(|record| put(record.text.as_bytes()));
    }
    new.for_each(|record| put(record.text.as_bytes()));
    text
}
