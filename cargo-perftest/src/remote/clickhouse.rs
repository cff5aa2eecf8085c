//! Tables of a ClickHouse server.
//!
//! A server has no transactions. A file is the set of its rows, in the order of `number` and `digest`. Machines
//! that push at the same time may use the same numbers: the rows of all of them are there, and a reader whose
//! earlier rows have changed reads the file from its start. A record that is sent twice at the same time is there
//! twice until the server merges both, and every store has it once.
//!
//! All statements are a subset that old and new servers understand: no settings, parameters, windows or CTEs.

mod file_place;
mod lines;
mod server;
mod sql;

use super::RemoteError;
use super::database::{check_tables, other_format, refuse_later_tables};
use super::interface::{Batch, Remote, Wanted};
use crate::exit::CommandError;
use file_place::{FilePlace, Position, digest_of};
use perftest_store::line::LineError;
use perftest_store::{
    AddedRecords, Damage, LinePage, LinesWanted, NewRecords, Project, Record, RecordFile,
    RecordFileName,
};
use serde::{Deserialize, Serialize};
use server::Server;
use sql::{integer, list, literal};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The statements that make the tables. Each statement changes nothing where its table is there.
pub(super) const TABLES: &str = "\
CREATE TABLE IF NOT EXISTS perftest_version (
    version UInt32
) ENGINE = ReplacingMergeTree() ORDER BY version;
CREATE TABLE IF NOT EXISTS perftest_record (
    project String,
    file String,
    number UInt64,
    digest UInt64,
    line String,
    metric String,
    summary String
) ENGINE = ReplacingMergeTree() ORDER BY (project, file, digest) SETTINGS index_granularity = 1024;
INSERT INTO perftest_version
    SELECT 1 FROM system.one WHERE (SELECT count() FROM perftest_version) = 0;
";

/// The version of the tables.
const VERSION: u32 = 1;
/// Most files of a query: with their names, a statement stays below the 256 KiB that a server reads.
const MOST_FILES: usize = 200;
/// Most digests of a query.
const MOST_DIGESTS: usize = 2_000;
/// Most records that a query returns, unless it has more files.
const MOST_RECORDS: usize = 20_000;
/// Bytes of rows that are sent together, or one row more.
const MOST_ROW_BYTES: usize = 8 << 20;
const INSERT: &str = "INSERT INTO perftest_record FORMAT JSONEachRow\n";

/// A database whose tables [`TABLES`] made.
pub(super) struct ClickHouseRemote {
    server: Server,
    project: String,
}

/// A row to add.
#[derive(Serialize)]
struct NewRow<'a> {
    project: &'a str,
    file: &'a str,
    number: u64,
    digest: u64,
    line: &'a str,
    /// Empty for what is no run, as the summary.
    metric: &'a str,
    summary: &'a str,
}

#[derive(Deserialize)]
struct Row {
    file: String,
    #[serde(deserialize_with = "integer")]
    number: u64,
    #[serde(deserialize_with = "integer")]
    digest: u64,
    line: String,
}

/// What a file has.
#[derive(Deserialize)]
struct FileRow {
    file: String,
    #[serde(deserialize_with = "integer")]
    records: u64,
    #[serde(default, deserialize_with = "integer")]
    digests: u64,
    #[serde(default, deserialize_with = "integer")]
    last: u64,
}

#[derive(Deserialize)]
struct DigestRow {
    file: String,
    #[serde(deserialize_with = "integer")]
    digest: u64,
}

#[derive(Deserialize)]
struct LineRow {
    file: String,
    line: String,
}

#[derive(Deserialize)]
struct VersionRow {
    version: u32,
}

/// Whether a table is there: 1 or 0.
#[derive(Deserialize)]
struct ExistsRow {
    result: u8,
}

/// What is to be known of a file before records are added.
#[derive(Default)]
struct FileHead {
    place: FilePlace,
    /// The version of its newest records, if it is another one.
    other_version: Option<u64>,
    /// The digests among those to add that are there.
    known: HashSet<u64>,
}

impl ClickHouseRemote {
    /// Connects to a server.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses the user, or has other tables than these.
    pub(super) fn open(url: &str, project: &Project) -> Result<Self, CommandError> {
        let server = Server::of(url)?;
        check_tables(version_of_tables(&server)?, VERSION)?;
        Ok(Self { server, project: project.slug.clone() })
    }

    /// The condition that a row is of one of these files.
    fn of_files<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
        let names = list(names.into_iter().map(literal));
        format!("project = {} AND file IN ({names})", literal(&self.project))
    }

    /// Returns the places up to which these files were read, or their starts where rows were added before.
    fn confirmed_places(&self, wanted: &[Wanted]) -> Result<Vec<FilePlace>, RemoteError> {
        let mut places: Vec<FilePlace> = wanted.iter().map(|it| FilePlace::of(&it.place)).collect();
        if places.iter().all(FilePlace::is_start) {
            return Ok(places);
        }
        let names: Vec<&str> = wanted.iter().map(|it| it.name.as_str()).collect();
        let rows: Vec<FileRow> = self.server.rows(&format!(
            "SELECT file, count() AS records, sum(digest) AS digests FROM (\
             SELECT file, number, digest FROM perftest_record \
             WHERE {} AND NOT ({}) GROUP BY file, number, digest) GROUP BY file",
            self.of_files(names.iter().copied()),
            behind(&names, &places),
        ))?;
        let found: HashMap<&str, (u64, u64)> =
            rows.iter().map(|row| (row.file.as_str(), (row.records, row.digests))).collect();
        for (name, place) in names.iter().zip(&mut places) {
            if found.get(name) != Some(&(place.records, place.digests)) {
                *place = FilePlace::default();
            }
        }
        Ok(places)
    }

    fn read_part(
        &self,
        wanted: &[Wanted],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError> {
        let places = self.confirmed_places(wanted)?;
        let names: Vec<&str> = wanted.iter().map(|it| it.name.as_str()).collect();
        let rows: Vec<Row> = self.server.rows(&format!(
            "SELECT file, number, digest, line FROM perftest_record \
             WHERE {} AND ({}) ORDER BY file, number, digest LIMIT {} BY file",
            self.of_files(names.iter().copied()),
            behind(&names, &places),
            (MOST_RECORDS / wanted.len()).max(1),
        ))?;
        let mut rows_of: HashMap<&str, Vec<&Row>> = HashMap::new();
        rows.iter().for_each(|row| rows_of.entry(&row.file).or_default().push(row));
        let read = |(wanted, place): (&Wanted, FilePlace)| {
            let rows = rows_of.remove(wanted.name.as_str()).unwrap_or_default();
            records_of(&wanted.name, place, &rows)
        };
        Ok(wanted.iter().zip(places).map(read).collect())
    }

    /// Returns what is to be known of the files of these batches.
    fn heads<'a>(&self, batches: &'a [Batch]) -> Result<HashMap<&'a str, FileHead>, RemoteError> {
        let names: BTreeSet<&str> = batches.iter().map(|batch| batch.name.as_str()).collect();
        let mut heads: HashMap<&str, FileHead> =
            names.iter().map(|name| (*name, FileHead::default())).collect();
        let names: Vec<&str> = names.into_iter().collect();
        for part in names.chunks(MOST_FILES) {
            self.find_ends(part, &mut heads)?;
        }
        let digests = batches.iter().flat_map(|batch| {
            let digest = |record: &Record| (batch.name.as_str(), digest_of(record.text()));
            batch.records.iter().map(digest)
        });
        let digests: Vec<(&str, u64)> = digests.collect();
        for part in digests.chunks(MOST_DIGESTS) {
            let names: BTreeSet<&str> = part.iter().map(|(name, _)| *name).collect();
            let rows: Vec<DigestRow> = self.server.rows(&format!(
                "SELECT file, digest FROM perftest_record WHERE {} AND digest IN ({}) GROUP BY file, digest",
                self.of_files(names),
                list(part.iter().map(|(_, digest)| digest)),
            ))?;
            for row in rows {
                if let Some(head) = heads.get_mut(&*row.file) {
                    head.known.insert(row.digest);
                }
            }
        }
        Ok(heads)
    }

    /// Finds where these files end, and whether they end with records of another version.
    fn find_ends(
        &self,
        names: &[&str],
        heads: &mut HashMap<&str, FileHead>,
    ) -> Result<(), RemoteError> {
        let of_files = self.of_files(names.iter().copied());
        let rows: Vec<FileRow> = self.server.rows(&format!(
            "SELECT file, count() AS records, sum(digest) AS digests, max(number) AS last FROM (\
             SELECT file, number, digest FROM perftest_record WHERE {of_files} \
             GROUP BY file, number, digest) GROUP BY file"
        ))?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in &rows {
            if let Some(head) = heads.get_mut(&*row.file) {
                let last = Position { number: row.last, digest: u64::MAX };
                head.place = FilePlace { records: row.records, digests: row.digests, last };
            }
        }
        let newest: Vec<LineRow> = self.server.rows(&format!(
            "SELECT file, line FROM perftest_record WHERE {of_files} AND number = {}",
            by_file(rows.iter().map(|row| (row.file.as_str(), row.last)))
        ))?;
        for row in newest {
            let name = RecordFileName::parse(&row.file);
            let record = name.map(|name| Record::of_text(&name, &row.line, None));
            if let Some(Err(LineError::OtherVersion(version))) = record
                && let Some(head) = heads.get_mut(&*row.file)
            {
                head.other_version = Some(version);
            }
        }
        Ok(())
    }
}

impl Remote for ClickHouseRemote {
    /// A row that is there twice counts twice: a file may look larger than it is, never smaller.
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        let rows: Vec<FileRow> = self.server.rows(&format!(
            "SELECT file, count() AS records FROM perftest_record WHERE project = {} \
             GROUP BY file ORDER BY file",
            literal(&self.project)
        ))?;
        let file = |row: &FileRow| {
            Some(RecordFile { name: RecordFileName::parse(&row.file)?, bytes: row.records })
        };
        Ok(rows.iter().filter_map(file).collect())
    }

    fn read(
        &mut self,
        wanted: &[Wanted],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError> {
        let mut results = Vec::new();
        for part in wanted.chunks(MOST_FILES) {
            results.extend(self.read_part(part)?);
        }
        Ok(results)
    }

    fn lines(
        &mut self,
        wanted: &[LinesWanted],
    ) -> Result<Vec<Result<LinePage, RemoteError>>, RemoteError> {
        Ok(self.pages(wanted)?.into_iter().map(Ok).collect())
    }

    fn add(
        &mut self,
        batches: &[Batch],
    ) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError> {
        let mut heads = self.heads(batches)?;
        let (mut results, mut rows) = (Vec::new(), INSERT.to_owned());
        for Batch { name, records } in batches {
            let head = heads.entry(name.as_str()).or_default();
            if let Some(version) = head.other_version {
                results.push(Err(other_format(name.as_str(), version)));
                continue;
            }
            let begin = head.place.records;
            for record in records {
                let digest = digest_of(record.text());
                if !head.known.insert(digest) {
                    continue;
                }
                let (project, file, line) = (&*self.project, name.as_str(), record.text());
                let number = head.place.last.number + 1;
                head.place.pass(Position { number, digest });
                let of_run = record.summary();
                let (metric, summary) =
                    of_run.as_ref().map_or(("", ""), |it| (&it.metric, &it.line));
                let row = NewRow { project, file, number, digest, line, metric, summary };
                let row = serde_json::to_string(&row);
                rows.extend([
                    row.map_err(|error| RemoteError::new(error.to_string()))?.as_str(),
                    "\n",
                ]);
                if rows.len() >= MOST_ROW_BYTES {
                    self.server.run(&rows)?;
                    rows.truncate(INSERT.len());
                }
            }
            let added = usize::try_from(head.place.records - begin).unwrap_or(0);
            results.push(Ok(AddedRecords {
                added,
                known: records.len() - added,
                begin,
                place: head.place.into(),
            }));
        }
        if rows.len() > INSERT.len() {
            self.server.run(&rows)?;
        }
        Ok(results)
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

/// The value of a row's file.
fn by_file<'a>(values: impl Iterator<Item = (&'a str, u64)>) -> String {
    let (names, values): (Vec<String>, Vec<u64>) =
        values.map(|(name, value)| (literal(name), value)).unzip();
    format!("transform(file, [{}], [{}], 0)", list(names), list(values))
}

/// Reads the rows behind a place of a file. Rows that were sent twice follow each other.
fn records_of(
    name: &RecordFileName,
    mut place: FilePlace,
    rows: &[&Row],
) -> Result<NewRecords, RemoteError> {
    let mut new = NewRecords::default();
    for row in rows {
        let position = Position { number: row.number, digest: row.digest };
        if !place.is_start() && position <= place.last {
            continue;
        }
        place.pass(position);
        match Record::of_text(name, &row.line, new.records.last()) {
            Ok(record) => new.records.push(record),
            Err(LineError::Damaged(why)) => {
                let (file, line) = (name.as_str().into(), place.records);
                new.damaged.push(Damage { file, line, why });
            }
            Err(LineError::OtherVersion(version)) => {
                return Err(other_format(name.as_str(), version));
            }
        }
    }
    new.place = place.into();
    Ok(new)
}

/// Makes the tables.
///
/// # Errors
/// When the server cannot be reached, the user may not make tables, or a later tool has made them.
pub(super) fn make_tables(url: &str) -> Result<(), CommandError> {
    let server = Server::of(url)?;
    let are_there: Vec<ExistsRow> = server.rows("EXISTS TABLE perftest_version")?;
    if are_there.first().is_some_and(|row| row.result == 1) {
        refuse_later_tables(version_of_tables(&server)?, VERSION)?;
    }
    for statement in TABLES.split(";\n").filter(|statement| !statement.is_empty()) {
        server.run(statement)?;
    }
    Ok(())
}

fn version_of_tables(server: &Server) -> Result<Option<u32>, RemoteError> {
    let rows: Vec<VersionRow> =
        server.rows("SELECT max(version) AS version FROM perftest_version")?;
    Ok(rows.first().map(|row| row.version).filter(|version| *version > 0))
}
