//! Adds records to many files together: each statement takes the time of a network.

use super::session::{PostgresSession, unsigned, value};
use super::{digest_of, signed};
use crate::remote::RemoteError;
use crate::remote::database::other_format;
use crate::remote::interface::{Batch, EachFile};
use perftest_store::line::LineError;
use perftest_store::{AddedRecords, ReadPlace, Record, RecordFileName};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Gives the files `$2` of the project `$1` ids, unless they have some.
const ADD_FILES: &str = "\
INSERT INTO perftest_file (project, file, last, mark) \
SELECT $1::text, name, 0, '' FROM unnest($2::text[]) AS name \
WHERE NOT EXISTS (SELECT FROM perftest_file WHERE project = $1 AND file = name) \
ON CONFLICT DO NOTHING";
/// In one order, so that two machines never wait for each other.
const LOCK_FILES: &str = "\
SELECT file, id, last, mark FROM perftest_file \
WHERE project = $1 AND file = ANY ($2::text[]) ORDER BY file FOR UPDATE";
const NEWEST_LINES: &str = "\
SELECT file_id, line FROM unnest($1::integer[], $2::bigint[]) AS newest (id, last) \
JOIN perftest_record ON file_id = newest.id AND number = newest.last";
const ADD_RECORDS: &str = "\
INSERT INTO perftest_record (file_id, number, digest, line, metric, summary) \
SELECT file_id, number, decode(digest, 'hex'), line, metric, summary \
FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[]) \
AS new (file_id, number, digest, line, metric, summary) \
ON CONFLICT (file_id, digest) DO NOTHING RETURNING file_id, number, encode(digest, 'hex')";
const MOVE_ENDS: &str = "\
UPDATE perftest_file SET last = moved.last, mark = moved.mark \
FROM unnest($1::integer[], $2::bigint[], $3::text[]) AS moved (id, last, mark) \
WHERE perftest_file.id = moved.id";

/// A file that no other machine changes until the transaction ends.
struct LockedFile {
    name: RecordFileName,
    id: i32,
    end: ReadPlace,
    /// The version of its newest record, if it is another one.
    other_version: Option<u64>,
}

/// The digests of added records by their file and number.
type Added = BTreeMap<(i32, u64), String>;

/// Adds the records of all batches, or none.
pub(super) fn add(
    session: &mut PostgresSession,
    project: &str,
    batches: &[Batch],
) -> EachFile<AddedRecords> {
    let names: BTreeSet<&str> = batches.iter().map(|batch| batch.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    // Before the transaction: otherwise two machines with the same new names could wait for each other.
    session.rows(ADD_FILES, &[&project, &names])?;
    session.all_or_nothing(|session| {
        let mut files = lock(session, project, &names)?;
        let mut numbers: Vec<Range<u64>> = Vec::new();
        let mut next: BTreeMap<&str, u64> = BTreeMap::new();
        for Batch { name, records } in batches {
            let file = file_of(&mut files, name)?;
            let next = next.entry(name.as_str()).or_insert(file.end.end + 1);
            // Records of another version stay as they are, and nothing is added behind them.
            let count = if file.other_version.is_some() { 0 } else { records.len() as u64 };
            numbers.push(*next..*next + count);
            *next += count;
        }
        let added = insert(session, batches, &numbers, &mut files)?;
        let mut results = Vec::new();
        for (Batch { name, records }, numbers) in batches.iter().zip(numbers) {
            let file = file_of(&mut files, name)?;
            results.push(match file.other_version {
                Some(version) => Err(other_format(name.as_str(), version)),
                None => Ok(file.pass(&added, numbers, records.len())),
            });
        }
        move_ends(session, &added, files.values())?;
        Ok(results)
    })
}

impl LockedFile {
    /// Goes behind the added ones among `count` records with these numbers.
    fn pass(&mut self, all: &Added, numbers: Range<u64>, count: usize) -> AddedRecords {
        let added = || all.range((self.id, numbers.start)..(self.id, numbers.end));
        let (begin, count_added) = (self.end.end, added().count());
        if let Some(((_, number), digest)) = added().next_back() {
            self.end = ReadPlace { end: *number, mark: digest.clone() };
        }
        let known = count - count_added;
        AddedRecords { added: count_added, known, begin, place: self.end.clone() }
    }
}

fn file_of<'a>(
    files: &'a mut BTreeMap<String, LockedFile>,
    name: &RecordFileName,
) -> Result<&'a mut LockedFile, RemoteError> {
    let gone =
        || RemoteError::new(format!("{name} was deleted from the database meanwhile; push again"));
    files.get_mut(name.as_str()).ok_or_else(gone)
}

fn lock(
    session: &mut PostgresSession,
    project: &str,
    names: &[&str],
) -> Result<BTreeMap<String, LockedFile>, RemoteError> {
    let mut files = BTreeMap::new();
    for row in session.rows(LOCK_FILES, &[&project, &names])? {
        let text: String = value(&row, 0)?;
        let Some(name) = RecordFileName::parse(&text) else { continue };
        let end = ReadPlace { end: unsigned(&row, 2)?, mark: value(&row, 3)? };
        files.insert(text, LockedFile { name, id: value(&row, 1)?, end, other_version: None });
    }
    let ids: Vec<i32> = files.values().map(|file| file.id).collect();
    let ends: Vec<i64> = files.values().map(|file| signed(file.end.end)).collect();
    for row in session.rows(NEWEST_LINES, &[&ids, &ends])? {
        let (id, line): (i32, &str) = (value(&row, 0)?, value(&row, 1)?);
        if let Some(file) = files.values_mut().find(|file| file.id == id)
            && let Err(LineError::OtherVersion(version)) = Record::of_text(&file.name, line, None)
        {
            file.other_version = Some(version);
        }
    }
    Ok(files)
}

/// Inserts the records with these numbers, unless they are there.
fn insert(
    session: &mut PostgresSession,
    batches: &[Batch],
    numbers: &[Range<u64>],
    files: &mut BTreeMap<String, LockedFile>,
) -> Result<Added, RemoteError> {
    let (mut ids, mut all_numbers, mut records) = (Vec::new(), Vec::new(), Vec::new());
    for (batch, numbers) in batches.iter().zip(numbers) {
        let id = file_of(files, &batch.name)?.id;
        for (number, record) in numbers.clone().zip(&batch.records) {
            ids.push(id);
            all_numbers.push(signed(number));
            records.push(record);
        }
    }
    let lines: Vec<&str> = records.iter().map(|record| record.text()).collect();
    let digests: Vec<String> = lines.iter().map(|line| digest_of(line)).collect();
    let (metrics, summaries): (Vec<Option<String>>, Vec<Option<String>>) =
        records.iter().map(|it| it.summary().map(|it| (it.metric, it.line)).unzip()).unzip();
    let rows =
        session.rows(ADD_RECORDS, &[&ids, &all_numbers, &digests, &lines, &metrics, &summaries])?;
    let digest = |row| Ok(((value(row, 0)?, unsigned(row, 1)?), value(row, 2)?));
    rows.iter().map(digest).collect()
}

fn move_ends<'a>(
    session: &mut PostgresSession,
    added: &Added,
    files: impl Iterator<Item = &'a LockedFile>,
) -> Result<(), RemoteError> {
    let is_moved = |file: &&LockedFile| added.contains_key(&(file.id, file.end.end));
    let (mut ids, mut ends, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for LockedFile { id, end, .. } in files.filter(is_moved) {
        ids.push(*id);
        ends.push(signed(end.end));
        marks.push(end.mark.as_str());
    }
    session.rows(MOVE_ENDS, &[&ids, &ends, &marks]).map(drop)
}
