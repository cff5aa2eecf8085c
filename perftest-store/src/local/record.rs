//! Records in the order of their time, and the place up to which a file was read.

use super::record_file_name::RecordFileName;
use super::record_time::RecordTime;
use crate::Digest;
use crate::format::{
    Fields, LineError, NotFinite, RunSummary, check_record, encode_run, refuse_nul,
};
use crate::regular_file::open_stored;
use perftest_core::model::Run;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes before a place whose digest is its mark: the end of a line has the line's own checksum.
const MARKED_BYTES: u64 = 64;

/// A record of any kind, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Begins with the time of the record. That of the record before, if it has none: a revocation
    /// stays behind what it revokes.
    pub(super) id: String,
    /// The line without its end, or a whole small file.
    pub(super) text: String,
}

impl Record {
    /// Reads the record behind the one with the id `id_before`.
    pub(super) fn of_line(line: &[u8], id_before: &str) -> Result<Self, LineError> {
        let id = check_record(line)?.unwrap_or_else(|| id_before.to_owned());
        Ok(Self { id, text: String::from_utf8_lossy(line).into_owned() })
    }

    /// Returns a run as a record, with the name of its file.
    pub(super) fn of_run(run: &Run) -> Result<(RecordFileName, Self), NotFinite> {
        let text = encode_run(run)?.trim_end().to_owned();
        let record = Self { id: run.id.as_str().to_owned(), text };
        Ok((RecordFileName::of_history(&run.testbed, &run.benchmark), record))
    }

    /// Reads a record of this file as a database has it, behind the record `before`.
    ///
    /// # Errors
    /// When the text is no record, or has another version.
    pub fn of_text(
        name: &RecordFileName,
        text: &str,
        before: Option<&Self>,
    ) -> Result<Self, LineError> {
        if !name.has_lines() {
            check_whole_text(text)?;
            return Ok(Self { id: String::new(), text: text.to_owned() });
        }
        if text.contains('\n') {
            return Err(LineError::Damaged("it is not one line".to_owned()));
        }
        Self::of_line(text.as_bytes(), before.map_or("", |record| record.id.as_str()))
    }

    /// Returns whether it is a summary of runs: it stays in the store that made it.
    pub fn is_summary(&self) -> bool {
        self.text.starts_with("{\"v\":1,\"kind\":\"summary\",")
    }

    /// Returns whether it is an acceptance: it is given for the machine whose store has it.
    pub fn is_acceptance(&self) -> bool {
        self.text.starts_with("{\"v\":1,\"kind\":\"accept\",")
    }

    /// Returns whether it is not sent from the store that has it.
    pub fn stays_here(&self) -> bool {
        self.is_summary() || self.is_acceptance()
    }

    /// The id of the run, or of the decision; empty for a kind without ids.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The line without its end, or a whole small file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns what a course of medians needs; `None` if this is no run, or has no median.
    pub fn summary(&self) -> Option<RunSummary> {
        RunSummary::of_line(self.text.as_bytes())
    }

    /// Returns when it was made, by which it is placed among others.
    pub(super) fn time(&self) -> RecordTime {
        Fields::parse(self.text.as_bytes())
            .map_or_else(|_| RecordTime::default(), |fields| RecordTime::new(&self.id, &fields))
    }
}

/// Refuses what is no whole small file, such as a context.
pub(super) fn check_whole_text(text: &str) -> Result<(), LineError> {
    refuse_nul(text.as_bytes())?;
    Fields::parse(text.trim_end().as_bytes()).map(drop)
}

/// The place up to which a file was read. The start of the file by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadPlace {
    /// Number of bytes before the place.
    pub end: u64,
    /// Digest of the last bytes before the place: another file of this name has another one.
    pub mark: String,
}

/// The place at this byte of a file.
pub(super) fn place_at(file: &mut (impl Read + Seek), end: u64) -> io::Result<ReadPlace> {
    let count = end.min(MARKED_BYTES);
    if count == 0 {
        return Ok(ReadPlace::default());
    }
    let mut marked = Vec::new();
    file.seek(SeekFrom::Start(end - count))?;
    file.by_ref().take(count).read_to_end(&mut marked)?;
    Ok(ReadPlace { end, mark: Digest::of(&marked).hex16() })
}

/// Returns whether a place is in this file.
pub(super) fn is_place_of(file: &mut (impl Read + Seek), place: &ReadPlace) -> io::Result<bool> {
    Ok(place.end <= file.seek(SeekFrom::End(0))? && place_at(file, place.end)? == *place)
}

/// The place at this byte of a content. Reading from memory cannot fail.
pub(super) fn place_in(content: &[u8], end: u64) -> ReadPlace {
    place_at(&mut Cursor::new(content), end).unwrap_or_default()
}

/// Returns whether a place is in this content.
pub(super) fn is_place_in(content: &[u8], place: &ReadPlace) -> bool {
    is_place_of(&mut Cursor::new(content), place).unwrap_or_default()
}

/// The place behind all of a file.
pub(super) fn end_of(path: &Path) -> io::Result<ReadPlace> {
    let mut file = open_stored(path, File::options().read(true))?;
    let end = file.metadata()?.len();
    place_at(&mut file, end)
}
