//! What is to be known of files before records are added.

use super::file_place::{FilePlace, Position, digest_of};
use super::sql::integer;
use super::{ClickHouseRemote, FileRow, MOST_FILES, by_file};
use crate::remote::RemoteError;
use crate::remote::interface::Batch;
use perftest_store::line::LineError;
use perftest_store::{Record, RecordFileName};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap, HashSet};

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

/// What is to be known of a file before records are added.
#[derive(Default)]
pub(super) struct FileHead {
    pub(super) place: FilePlace,
    /// The version of its newest records, if it is another one.
    pub(super) other_version: Option<u64>,
    /// The digests among those to add that are there.
    pub(super) known: HashSet<u64>,
}

impl ClickHouseRemote {
    /// Returns what is to be known of the files of these batches.
    pub(super) fn heads<'a>(
        &self,
        batches: &'a [Batch],
    ) -> Result<HashMap<&'a str, FileHead>, RemoteError> {
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
        for condition in self.of_digests(&digests) {
            let rows: Vec<DigestRow> = self.server.rows(&format!(
                "SELECT file, digest FROM perftest_record WHERE {condition} GROUP BY file, digest"
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
