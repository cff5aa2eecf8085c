//! Adds the records that a file does not have, at its end or at their time.

use super::append::{append_under, lock_for_append};
use super::directory;
use super::lock::Lock;
use super::record::{ReadPlace, Record, end_of, place_in};
use super::record_time::{RecordTime, latest_time};
use crate::StoreError;
use crate::format::{Fields, LineError, check_version};
use crate::regular_file::open_stored;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

/// The result of adding records to a file.
#[derive(Debug, Default)]
pub struct AddedRecords {
    /// Records that were added.
    pub added: usize,
    /// Records that the file had.
    pub known: usize,
    /// The size of the file before.
    pub begin: u64,
    /// The place behind them: the end of the file at that time.
    pub place: ReadPlace,
}

/// Adds records at the end of a file, in this order.
pub(super) fn add_lines(path: &Path, records: &[Record]) -> Result<AddedRecords, StoreError> {
    add_new(path, records, |lock, _, new| append(lock, path, new))
}

/// Adds the records that the file does not have at their time: behind the last one of the file, or between those that
/// it has, and another form of a record behind it. The records of the file keep their order, whatever their times are.
/// One of a future time has no place: records of all machines would be put before it, and own ones behind it.
pub(super) fn insert_lines(path: &Path, records: &[Record]) -> Result<AddedRecords, StoreError> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    insert_lines_at(path, records, now.as_millis() as u64)
}

/// Adds records as [`insert_lines`] does, on a machine whose clock has this time.
fn insert_lines_at(
    path: &Path,
    records: &[Record],
    now_ms: u64,
) -> Result<AddedRecords, StoreError> {
    add_new(path, records, |lock, content, new| {
        let present = lines_with_ids(path, content)?;
        let times: Vec<RecordTime> = new.iter().map(|record| record.time()).collect();
        let latest = latest_time(now_ms, present.iter().map(|line| &line.time).chain(&times));
        let time_of = |line: &PresentLine<'_>| line.time.place(&latest);
        let new = times.iter().map(|time| time.place(&latest)).zip(new.iter().copied());
        let mut new: Vec<(String, &Record)> = new.collect();
        // Those of one time keep their order: what else an id has is no order.
        new.sort_by(|(one, _), (other, _)| one.cmp(other));
        let places: HashMap<&str, usize> =
            present.iter().enumerate().map(|(place, line)| (line.id.as_str(), place)).collect();
        let is_known = |record: &Record| places.contains_key(record.id.as_str());
        let has_other_forms = new.iter().any(|(_, record)| is_known(record));
        let newest = present.iter().rev().map(time_of).find(|time| *time <= latest);
        if !has_other_forms && newest.is_none_or(|newest| newest <= new[0].0) {
            let new: Vec<&Record> = new.into_iter().map(|(_, record)| record).collect();
            return append(lock, path, &new);
        }
        let (other_forms, new_ids): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(_, record)| is_known(record));
        let mut behind: HashMap<usize, Vec<&Record>> = HashMap::new();
        for (_, record) in other_forms {
            behind.entry(places[record.id.as_str()]).or_default().push(record);
        }
        let text = merged(&present, &behind, new_ids, &latest);
        directory::replace(path, &text).map_err(|error| StoreError::writing(path, error))?;
        // Nobody holds the lock of the new file: others may have appended to it.
        Ok(place_in(&text, text.len() as u64))
    })
}

/// Passes the new ones of these records to `write`, with the content of the file, under its lock. `write` returns the
/// place behind them.
fn add_new(
    path: &Path,
    records: &[Record],
    write: impl FnOnce(&Lock, &[u8], &[&Record]) -> Result<ReadPlace, StoreError>,
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
    let place =
        if new.is_empty() { end_of(path).map_err(reading)? } else { write(&lock, &content, &new)? };
    Ok(AddedRecords {
        added: new.len(),
        known: records.len() - new.len(),
        begin: content.len() as u64,
        place,
    })
}

/// Returns the records that are no line of a content, each once.
pub(super) fn missing_in<'a>(content: &[u8], records: &'a [Record]) -> Vec<&'a Record> {
    let mut seen: HashSet<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    records.iter().filter(|record| seen.insert(record.text.as_bytes())).collect()
}

fn append(lock: &Lock, path: &Path, new: &[&Record]) -> Result<ReadPlace, StoreError> {
    let text: String = new.iter().flat_map(|record| [record.text.as_str(), "\n"]).collect();
    append_under(lock, path, &text)?;
    end_of(path).map_err(|error| StoreError::reading(path, error))
}

/// A line that a file has.
struct PresentLine<'a> {
    /// That of the line before, if it has none.
    id: String,
    time: RecordTime,
    bytes: &'a [u8],
}

fn lines_with_ids<'a>(path: &Path, content: &'a [u8]) -> Result<Vec<PresentLine<'a>>, StoreError> {
    let mut lines: Vec<PresentLine<'_>> = Vec::new();
    for bytes in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let own = match id_and_time(bytes) {
            Ok(own) => own,
            // A damaged line stays where it is.
            Err(LineError::Damaged(_)) => None,
            Err(error) => return Err(StoreError::of_line(path, error)),
        };
        let before = || lines.last().map(|line| (line.id.clone(), line.time.clone()));
        let (id, time) = own.or_else(before).unwrap_or_default();
        lines.push(PresentLine { id, time, bytes });
    }
    Ok(lines)
}

fn id_and_time(line: &[u8]) -> Result<Option<(String, RecordTime)>, LineError> {
    let fields = Fields::parse(line)?;
    check_version(&fields)?;
    let id: Option<String> = fields.get("id")?;
    Ok(id.map(|id| {
        let time = RecordTime::new(&id, &fields);
        (id, time)
    }))
}

/// Puts each record of a new id before the first later line that is not later than `latest`, and the others behind the
/// line at their place.
fn merged(
    present: &[PresentLine<'_>],
    behind: &HashMap<usize, Vec<&Record>>,
    new_ids: Vec<(String, &Record)>,
    latest: &str,
) -> Vec<u8> {
    let (mut text, mut new) = (Vec::new(), new_ids.into_iter().peekable());
    let mut put = |line: &[u8]| {
        text.extend_from_slice(line);
        text.push(b'\n');
    };
    for (place, line) in present.iter().enumerate() {
        let own = line.time.place(latest);
        let is_before = |(time, _): &(String, &Record)| *own <= *latest && *time < own;
        while let Some((_, record)) = new.next_if(is_before) {
            put(record.text.as_bytes());
        }
        put(line.bytes);
        behind.get(&place).into_iter().flatten().for_each(|record| put(record.text.as_bytes()));
    }
    new.for_each(|(_, record)| put(record.text.as_bytes()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example_run::example_run;
    use crate::local::scratch;
    use std::fs;

    #[test]
    fn earlier_records_are_inserted_also_by_a_machine_whose_clock_is_years_behind() {
        let root = scratch("clock-behind");
        let path = root.join("history.jsonl");
        let records = |ordinals: &[u64]| -> Vec<Record> {
            ordinals.iter().map(|it| Record::of_run(&example_run(*it)).unwrap().1).collect()
        };
        for ordinals in [&[4, 6][..], &[5, 3], &[7]] {
            insert_lines_at(&path, &records(ordinals), 1_000).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap();
        let expected: Vec<String> =
            records(&[3, 4, 5, 6, 7]).into_iter().map(|it| it.text).collect();
        assert_eq!(written.lines().collect::<Vec<_>>(), expected);
    }
}
