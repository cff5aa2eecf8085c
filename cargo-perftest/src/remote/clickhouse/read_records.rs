//! Reads the new records of files, many in one statement.

use super::file_place::{FilePlace, Position};
use super::{ClickHouseRemote, by_file};
use crate::remote::RemoteError;
use crate::remote::database::{MOST_RECORDS, add_line};
use crate::remote::interface::{EachFile, ReadRequest};
use perftest_store::{NewRecords, RecordFileName};
use std::collections::HashMap;

impl ClickHouseRemote {
    /// Returns the places up to which these files were read, or their starts where rows were added before.
    fn confirmed_places(&self, wanted: &[ReadRequest]) -> Result<Vec<FilePlace>, RemoteError> {
        let mut places: Vec<FilePlace> = wanted.iter().map(|it| FilePlace::of(&it.place)).collect();
        if places.iter().all(FilePlace::is_start) {
            return Ok(places);
        }
        let names: Vec<&str> = wanted.iter().map(|it| it.name.as_str()).collect();
        let query = format!(
            "SELECT file, count(), sum(digest) FROM (\
             SELECT file, number, digest FROM perftest_record \
             WHERE {} AND NOT ({}) GROUP BY file, number, digest) GROUP BY file",
            self.of_files(names.iter().copied()),
            behind(&names, &places),
        );
        let found = self.server.rows(&query, |[file, records, digests]| {
            Some((file, (records.parse().ok()?, digests.parse().ok()?)))
        });
        let found: HashMap<String, (u64, u64)> = found?.into_iter().collect();
        for (name, place) in names.iter().zip(&mut places) {
            if found.get(*name) != Some(&(place.records, place.digests)) {
                *place = FilePlace::default();
            }
        }
        Ok(places)
    }

    /// Reads what is behind the places of a few files, or as much of it as fits into memory.
    pub(super) fn read_part(&self, wanted: &[ReadRequest]) -> EachFile<NewRecords> {
        let places = self.confirmed_places(wanted)?;
        let names: Vec<&str> = wanted.iter().map(|it| it.name.as_str()).collect();
        let query = format!(
            "SELECT file, number, digest, line FROM perftest_record \
             WHERE {} AND ({}) ORDER BY file, number, digest LIMIT {} BY file",
            self.of_files(names.iter().copied()),
            behind(&names, &places),
            (MOST_RECORDS / wanted.len()).max(1),
        );
        let rows = self.server.rows(&query, |[file, number, digest, line]| {
            let (number, digest) = (number.parse().ok()?, digest.parse().ok()?);
            Some((file, (Position { number, digest }, line)))
        });
        let mut rows_of: HashMap<String, Vec<(Position, String)>> = HashMap::new();
        for (file, row) in rows? {
            rows_of.entry(file).or_default().push(row);
        }
        let read = |(wanted, place): (&ReadRequest, FilePlace)| {
            let rows = rows_of.remove(wanted.name.as_str()).unwrap_or_default();
            records_of(&wanted.name, place, rows)
        };
        Ok(wanted.iter().zip(places).map(read).collect())
    }
}

/// The condition that a row is behind the place of its file.
fn behind(names: &[&str], places: &[FilePlace]) -> String {
    if places.iter().all(FilePlace::is_start) {
        return "1".to_owned();
    }
    let of =
        |value: fn(&FilePlace) -> u64| by_file(names.iter().copied().zip(places.iter().map(value)));
    format!(
        "number > ({} AS last_number) OR number = last_number AND digest > {}",
        of(|place| place.last.number),
        of(|place| place.last.digest)
    )
}

/// Reads the rows behind a place of a file. Rows that were sent twice follow each other.
fn records_of(
    name: &RecordFileName,
    mut place: FilePlace,
    rows: Vec<(Position, String)>,
) -> Result<NewRecords, RemoteError> {
    let mut new = NewRecords::default();
    for (position, line) in rows {
        if !place.is_start() && position <= place.last {
            continue;
        }
        place.pass(position);
        add_line(&mut new, name, place.into(), &line)?;
    }
    new.place = place.into();
    Ok(new)
}
