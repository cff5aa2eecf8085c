//! What is to be known of files before records are added.

use super::file_place::{FilePlace, Position, digest_of};
use super::{ClickHouseRemote, MOST_FILES, by_file};
use crate::remote::RemoteError;
use crate::remote::interface::Batch;
use perftest_store::line::LineError;
use perftest_store::{Record, RecordFileName};
use std::collections::{BTreeSet, HashMap, HashSet};

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
            let query = format!(
                "SELECT file, digest FROM perftest_record WHERE {condition} GROUP BY file, digest"
            );
            let row = |[file, digest]: [String; 2]| Some((file, digest.parse().ok()?));
            for (file, digest) in self.server.rows(&query, row)? {
                if let Some(head) = heads.get_mut(&*file) {
                    head.known.insert(digest);
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
        let query = format!(
            "SELECT file, count(), sum(digest), max(number) FROM (\
             SELECT file, number, digest FROM perftest_record WHERE {of_files} \
             GROUP BY file, number, digest) GROUP BY file"
        );
        let places = self.server.rows(&query, |[file, records, digests, last]| {
            let last = Position { number: last.parse().ok()?, digest: u64::MAX };
            let (records, digests) = (records.parse().ok()?, digests.parse().ok()?);
            Some((file, FilePlace { records, digests, last }))
        })?;
        if places.is_empty() {
            return Ok(());
        }
        for (file, place) in &places {
            if let Some(head) = heads.get_mut(&**file) {
                head.place = *place;
            }
        }
        let query = format!(
            "SELECT file, line FROM perftest_record WHERE {of_files} AND number = {}",
            by_file(places.iter().map(|(file, place)| (file.as_str(), place.last.number)))
        );
        for [file, line] in self.server.rows(&query, Some)? {
            let name = RecordFileName::parse(&file);
            let record = name.map(|name| Record::of_text(&name, &line, None));
            if let Some(Err(LineError::OtherVersion(version))) = record
                && let Some(head) = heads.get_mut(&*file)
            {
                head.other_version = Some(version);
            }
        }
        Ok(())
    }
}
