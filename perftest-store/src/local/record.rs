//! Records in the order of their time, and the place up to which a file was read.

use super::record_file_name::RecordFileName;
use crate::format::{Fields, LineError, check_record};

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
            Fields::parse(text.trim_end().as_bytes())?;
            return Ok(Self { id: String::new(), text: text.to_owned() });
        }
        if text.contains('\n') {
            return Err(LineError::Damaged("it is not one line".to_owned()));
        }
        Self::of_line(text.as_bytes(), before.map_or("", |record| record.id.as_str()))
    }

    /// The line without its end, or a whole small file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts records in the order of their time.
    pub(super) fn sort_by_time(records: &mut [Self]) {
        records.sort_by(|one, other| one.id.cmp(&other.id));
    }
}

/// The place up to which a file was read. The start of the file by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadPlace {
    /// Number of bytes before the place.
    pub end: u64,
    /// Digest of the last bytes before the place: another file of this name has another one.
    pub mark: String,
}
