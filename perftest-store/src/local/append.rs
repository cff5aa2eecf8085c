//! Appends records, all of them or none.

use super::directory;
use super::lock::Lock;
use super::tail::Tail;
use crate::StoreError;
use crate::format::{Fields, LineError, check_sum, check_version};
use crate::regular_file::open_stored;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends `line`, which ends in a line feed, to the file. Creates the file if it does not exist.
/// `line` may be several lines: a crash in the middle loses the line in progress and all later
/// ones.
///
/// Makes one `write` under the lock, then a sync. First completes a line that an earlier crash cut
/// short, so that only that line is lost. If not everything can be written, cuts the file back to
/// its old length.
pub(crate) fn append_line(path: &Path, line: &str) -> Result<(), StoreError> {
    let lock = lock_for_append(path)?;
    append_under(&lock, path, line)
}

/// Waits until this process alone may append to the file. Creates its directory.
pub(crate) fn lock_for_append(path: &Path) -> Result<Lock, StoreError> {
    let directory = path.parent().unwrap_or(Path::new(""));
    // Records of other machines may replace the file, in the order of their time.
    directory::act_in(directory, || Lock::for_replacing(path))
        .map_err(|error| StoreError::writing(path, error))
}

/// Appends like [`append_line`], under the lock of the file.
pub(crate) fn append_under(_: &Lock, path: &Path, line: &str) -> Result<(), StoreError> {
    let writing = |error| StoreError::writing(path, error);
    let options = &mut File::options();
    let mut file =
        open_stored(path, options.read(true).append(true).create(true)).map_err(writing)?;
    let length = file.metadata().map_err(writing)?.len();
    refuse_another_version(path, &file)?;
    let record = if ends_in_line_feed(&mut file, length).map_err(writing)? {
        line.to_owned()
    } else {
        format!("\n{line}")
    };
    write_durably(&mut file, record.as_bytes(), length).map_err(writing)?;
    if length == 0 {
        directory::sync(path.parent().unwrap_or(Path::new(""))).map_err(writing)?;
    }
    Ok(())
}

/// Refuses a file whose newest readable line has another version.
fn refuse_another_version(path: &Path, file: &File) -> Result<(), StoreError> {
    let reading = |error| StoreError::reading(path, error);
    let mut tail = Tail::new(file).map_err(reading)?;
    while let Some(line) = tail.previous_line().map_err(reading)? {
        match is_readable(line.bytes) {
            Ok(true) => break,
            Ok(false) => {}
            Err(version) => {
                return Err(StoreError::OtherVersion { path: path.to_owned(), version });
            }
        }
    }
    Ok(())
}

/// Returns whether a line is no damaged one. The error is the version of a line that only another version reads.
pub(super) fn is_readable(line: &[u8]) -> Result<bool, u64> {
    match check_sum(line).and_then(|()| check_version(&Fields::parse(line)?)) {
        Ok(()) => Ok(true),
        Err(LineError::Damaged(_)) => Ok(false),
        Err(LineError::OtherVersion(version)) => Err(version),
    }
}

fn ends_in_line_feed(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Writes the whole record durably, or leaves the file unchanged.
fn write_durably(file: &mut File, record: &[u8], length_before: u64) -> io::Result<()> {
    let written = write_whole(file, record).and_then(|()| file.sync_data());
    if written.is_err() {
        // If even this fails, the file ends in a torn line, and the next append completes it.
        let _ = file.set_len(length_before);
    }
    written
}

/// Writes the whole record in one system call: a crash could separate two.
fn write_whole(file: &mut File, record: &[u8]) -> io::Result<()> {
    loop {
        match file.write(record) {
            Ok(count) if count == record.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
