//! Tables of a ClickHouse server.
//!
//! A server has no transactions. A file is the set of its rows, in the order of `number` and `digest`. Machines
//! that push at the same time may use the same numbers: the rows of all of them are there, and a reader whose
//! earlier rows have changed reads the file from its start. A record that is sent twice at the same time is there
//! twice until the server merges both, and every store has it once.
//!
//! All statements are a subset that old and new servers understand: no settings, parameters, windows or CTEs.

mod file_heads;
mod file_place;
mod lines;
mod read_records;
mod server;
mod sql;
mod tables;

use super::RemoteError;
use super::database::other_format;
use super::interface::{Batch, EachFile, ReadRequest, Remote};
use crate::exit::Result;
use file_place::{Position, digest_of};
use perftest_store::{
    AddedRecords, LinePage, LinesWanted, NewRecords, Project, RecordFile, RecordFileName,
};
use serde::Serialize;
use server::Server;
use sql::{list, literal};
use std::collections::BTreeSet;
pub(super) use tables::TABLES;

/// Most files of a query: with their names, a statement stays below the 256 KiB that a server reads.
const MOST_FILES: usize = 200;
/// Most digests of a query.
const MOST_DIGESTS: usize = 2_000;
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

impl ClickHouseRemote {
    /// Connects to a server.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses the user, or has other tables than these.
    pub(super) fn open(url: &str, project: &Project) -> Result<Self> {
        let server = Server::of(url)?;
        tables::check(&server)?;
        Ok(Self { server, project: project.slug.clone() })
    }

    /// The condition that a row is of one of these files.
    fn of_files<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
        let names = list(names.into_iter().map(literal));
        format!("project = {} AND file IN ({names})", literal(&self.project))
    }

    /// The conditions that a row has one of these digests, each for as many as fit into a statement. The digests of a
    /// file follow each other.
    fn of_digests(&self, mut digests: &[(&str, u64)]) -> Vec<String> {
        let mut conditions = Vec::new();
        while !digests.is_empty() {
            let mut names = BTreeSet::new();
            let mut count = 0;
            for (name, _) in digests.iter().take(MOST_DIGESTS) {
                if names.len() == MOST_FILES && !names.contains(name) {
                    break;
                }
                names.insert(*name);
                count += 1;
            }
            let (part, later) = digests.split_at(count);
            let part = list(part.iter().map(|(_, digest)| digest));
            conditions.push(format!("{} AND digest IN ({part})", self.of_files(names)));
            digests = later;
        }
        conditions
    }
}

impl Remote for ClickHouseRemote {
    /// A row that is there twice counts twice: a file may look larger than it is, never smaller.
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        let query = format!(
            "SELECT file, count() FROM perftest_record WHERE project = {} GROUP BY file ORDER BY file",
            literal(&self.project)
        );
        let files = self.server.rows(&query, |[file, records]| {
            let bytes = records.parse().ok()?;
            Some(RecordFileName::parse(&file).map(|name| RecordFile { name, bytes }))
        })?;
        Ok(files.into_iter().flatten().collect())
    }

    fn read(&mut self, wanted: &[ReadRequest]) -> EachFile<NewRecords> {
        let mut results = Vec::new();
        for part in wanted.chunks(MOST_FILES) {
            results.extend(self.read_part(part)?);
        }
        Ok(results)
    }

    fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
        Ok(self.pages(wanted)?.into_iter().map(Ok).collect())
    }

    fn add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords> {
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

/// The value of a row's file.
fn by_file<'a>(values: impl Iterator<Item = (&'a str, u64)>) -> String {
    let (names, values): (Vec<String>, Vec<u64>) =
        values.map(|(name, value)| (literal(name), value)).unzip();
    format!("transform(file, [{}], [{}], 0)", list(names), list(values))
}

/// Makes the tables.
///
/// # Errors
/// When the server cannot be reached, the user may not make tables, or a later tool has made them.
pub(super) fn make_tables(url: &str) -> Result<()> {
    Ok(tables::make(&Server::of(url)?)?)
}
