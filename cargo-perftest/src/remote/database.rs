//! What all remotes in databases have in common.

use super::RemoteError;
use crate::exit::CommandError;
use perftest_store::line::LineError;
use perftest_store::{Damage, NewRecords, ReadPlace, Record, RecordFileName, read_regular_text};
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

/// What to do where there are no tables.
pub(super) const MAKE_TABLES: &str = "; make the tables: cargo perftest setup-remote ADDRESS";
/// What to do where a user has too few rights.
pub(super) const GIVE_RIGHTS: &str =
    "; give the user the rights that docs/reference/remotes.md lists";
/// Longest wait for one address of a server to accept a connection.
pub(super) const LONGEST_CONNECT: Duration = Duration::from_secs(10);
/// Longest wait for the first answer: a server that works has it at once, also one with much to do.
pub(super) const LONGEST_FIRST_ANSWER: Duration = Duration::from_secs(20);
/// Longest wait without a byte. Each statement but those of `setup-remote` is about a few thousand records, which take
/// a server seconds; a slow network still moves a byte.
pub(super) const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// Longest wait for a whole answer, in silences: a server that sends a byte a second would never end.
pub(super) const MOST_SILENCES: u32 = 10;
/// A larger answer is none of ours.
pub(super) const MOST_ANSWER_BYTES: u64 = 1 << 30;
/// So is one with more rows, which take several times the memory of short lines. Answers are pages of records, or a row
/// for each file.
pub(super) const MOST_ANSWER_ROWS: usize = 4 << 20;
/// Most records that a statement returns, unless it has more files.
pub(super) const MOST_RECORDS: usize = 20_000;
/// A larger file is none of passwords.
const MOST_PASSWORD_BYTES: u64 = 1 << 20;

pub(super) fn unusable(error: impl Display) -> RemoteError {
    RemoteError::new(format!("the database cannot be used: {error}"))
}

/// The error of a server that accepts questions and does not answer.
pub(super) fn silent_server(waited: Duration) -> RemoteError {
    unusable(format_args!(
        "it sent nothing for {} s; check the address, and whether the server works",
        waited.as_secs()
    ))
}

/// The error of a server that sends, but does not come to an end.
pub(super) fn slow_server(waited: Duration) -> RemoteError {
    unusable(format_args!(
        "an answer was not complete after {} s; check the network, and whether the server works",
        waited.as_secs()
    ))
}

/// The error of an answer that does not fit into memory.
pub(super) fn too_long_answer() -> RemoteError {
    unusable(format_args!("an answer has more than {} MiB", MOST_ANSWER_BYTES >> 20))
}

/// The error of an answer that ends within a row.
#[cfg(feature = "clickhouse")]
pub(super) fn cut_answer() -> RemoteError {
    unusable(
        "an answer ends within a row; check the network, and what is between here and the server",
    )
}

/// The error of an answer whose rows do not fit into memory.
#[cfg(feature = "clickhouse")]
pub(super) fn too_many_rows() -> RemoteError {
    unusable(format_args!("an answer has more than {MOST_ANSWER_ROWS} rows"))
}

/// Refuses tables of another version than the `known` one; `None` is a database that was made by half.
pub(super) fn check_tables(found: Option<u32>, known: u32) -> Result<(), RemoteError> {
    refuse_other_tables(found, known)?;
    found.map(drop).ok_or_else(|| {
        RemoteError::new(format!(
            "the tables have version none, and this tool knows version {known}; bring them up to date: cargo perftest \
             setup-remote ADDRESS"
        ))
    })
}

/// Refuses tables that a tool of another version made: only that one can read and change them.
pub(super) fn refuse_other_tables(found: Option<u32>, known: u32) -> Result<(), RemoteError> {
    let Some(found) = found.filter(|found| *found != known) else { return Ok(()) };
    let which = if found > known { "later" } else { "earlier" };
    Err(RemoteError::new(format!(
        "the tables have version {found}, and this tool knows version {known}; use a cargo-perftest {which} \
         than {}, as the one that made them, or another database",
        env!("CARGO_PKG_VERSION")
    )))
}

/// Names the feature of this tool that encrypts connections to a kind of database.
pub(super) fn no_tls(feature: &str) -> CommandError {
    CommandError::Usage(format!(
        "this cargo-perftest has no TLS: cargo install cargo-perftest --locked --features {feature}"
    ))
}

/// Returns why a file with records of another version is neither read nor written.
pub(super) fn other_format(file: &str, version: u64) -> RemoteError {
    RemoteError::new(format!(
        "{file} in the database was written by another version of perftest (format {version}) and is left as \
         it is; use that version, or another database"
    ))
}

/// Adds the record of a line to those that were read, and goes behind it.
///
/// # Errors
/// When the line is of another version.
pub(super) fn add_line(
    new: &mut NewRecords,
    name: &RecordFileName,
    place: ReadPlace,
    line: &str,
) -> Result<(), RemoteError> {
    match Record::of_text(name, line, new.records.last()) {
        Ok(record) => new.records.push(record),
        Err(LineError::Damaged(why)) => {
            new.damaged.push(Damage { file: name.as_str().into(), line: place.end, why });
        }
        Err(LineError::OtherVersion(version)) => return Err(other_format(name.as_str(), version)),
    }
    new.place = place;
    Ok(())
}

/// Reads a file with passwords.
///
/// # Errors
/// When others can read the file, or nobody can.
pub(super) fn read_password_file(path: &Path) -> Result<String, RemoteError> {
    refuse_readable_by_others(path)?;
    read_regular_text(path, MOST_PASSWORD_BYTES).map_err(|error| {
        RemoteError::new(format!("the passwords in {} cannot be read: {error}", path.display()))
    })
}

#[cfg(unix)]
fn refuse_readable_by_others(path: &Path) -> Result<(), RemoteError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(RemoteError::new(format!("others can read the passwords in {path}: chmod 600 '{path}'")))
}

#[cfg(not(unix))]
fn refuse_readable_by_others(_: &Path) -> Result<(), RemoteError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_another_version_are_for_the_tool_that_made_them() {
        assert!(check_tables(Some(3), 3).is_ok());
        let refused = |found| check_tables(found, 3).unwrap_err().to_string();
        assert!(refused(Some(4)).contains("use a cargo-perftest later than "));
        assert!(refused(Some(2)).contains("use a cargo-perftest earlier than "));
        assert!(refused(None).contains("setup-remote"));
    }
}
