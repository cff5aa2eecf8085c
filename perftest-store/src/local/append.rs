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
///
/// The sync is behind the lock: a disk may take many seconds for it, in which others append.
pub(crate) fn append_line(path: &Path, line: &str) -> Result<(), StoreError> {
    let lock = lock_for_append(path)?;
    let written = write_under(&lock, path, line)?;
    drop(lock);
    let synced = written.sync();
    synced.map_err(|error| {
        if let Ok(lock) = lock_for_append(path) {
            written.take_back(&lock);
        }
        StoreError::writing(path, error)
    })
}

/// Waits until this process alone may append to the file. Creates its directory.
pub(crate) fn lock_for_append(path: &Path) -> Result<Lock, StoreError> {
    let directory = path.parent().unwrap_or(Path::new(""));
    // Records of other machines may replace the file, in the order of their time.
    directory::act_in(directory, || Lock::for_replacing(path))
        .map_err(|error| StoreError::writing(path, error))
}

/// Appends like [`append_line`], all of it under the lock of the file.
#[cfg(any(test, feature = "merge"))]
pub(crate) fn append_under(lock: &Lock, path: &Path, line: &str) -> Result<(), StoreError> {
    let written = write_under(lock, path, line)?;
    let synced = written.sync();
    synced.map_err(|error| {
        written.take_back(lock);
        StoreError::writing(path, error)
    })
}

/// A record that may be lost in a power loss.
struct UnsyncedFile<'a> {
    path: &'a Path,
    file: File,
    /// The size of the file before the record, and behind it.
    begin: u64,
    end: u64,
}

/// Writes a record behind the last one, or leaves the file unchanged.
fn write_under<'a>(_: &Lock, path: &'a Path, line: &str) -> Result<UnsyncedFile<'a>, StoreError> {
    let writing = |error| StoreError::writing(path, error);
    let options = &mut File::options();
    let mut file =
        open_stored(path, options.read(true).append(true).create(true)).map_err(writing)?;
    let begin = file.metadata().map_err(writing)?.len();
    refuse_another_version(path, &file)?;
    let record = if ends_in_line_feed(&mut file, begin).map_err(writing)? {
        line.to_owned()
    } else {
        format!("\n{line}")
    };
    write_whole(&mut file, record.as_bytes(), begin).map_err(writing)?;
    Ok(UnsyncedFile { path, file, begin, end: begin + record.len() as u64 })
}

impl UnsyncedFile<'_> {
    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        if self.begin > 0 {
            return Ok(());
        }
        match directory::sync(self.path.parent().unwrap_or(Path::new(""))) {
            // Who moves a project meanwhile syncs what it moves.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            synced => synced,
        }
    }

    /// Cuts the file back to what it was before the record. If others appended meanwhile, the record stays.
    fn take_back(&self, _: &Lock) {
        if self.file.metadata().is_ok_and(|it| it.len() == self.end) {
            // If even this fails, the record stays as well.
            let _ = self.file.set_len(self.begin);
        }
    }
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

/// Writes the whole record, or leaves the file unchanged.
fn write_whole(file: &mut File, record: &[u8], length_before: u64) -> io::Result<()> {
    let written = write_at_once(file, record);
    if written.is_err() {
        // If even this fails, the file ends in a torn line, and the next append completes it.
        let _ = file.set_len(length_before);
    }
    written
}

/// Writes the whole record in one system call: a crash could separate two.
fn write_at_once(file: &mut File, record: &[u8]) -> io::Result<()> {
    loop {
        match file.write(record) {
            Ok(count) if count == record.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::scratch;
    use std::fs;

    fn write<'a>(path: &'a Path, line: &str) -> UnsyncedFile<'a> {
        write_under(&lock_for_append(path).unwrap(), path, line).unwrap()
    }

    #[test]
    fn while_the_disk_takes_a_record_others_append() {
        let directory = scratch("append-sync");
        let path = directory.join("file.jsonl");
        let first = write(&path, "first\n");
        append_line(&path, "second\n").unwrap();
        first.sync().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    }

    #[test]
    fn a_record_that_was_moved_before_its_sync_is_no_error() {
        let directory = scratch("append-moved");
        let path = directory.join("project/file.jsonl");
        let first = write(&path, "first\n");
        fs::remove_dir_all(directory.join("project")).unwrap();
        first.sync().unwrap();
    }

    #[test]
    fn a_record_that_the_disk_does_not_take_is_taken_back_but_no_other_with_it() {
        let directory = scratch("append-back");
        let path = directory.join("file.jsonl");
        append_line(&path, "first\n").unwrap();
        let second = write(&path, "second\n");
        second.take_back(&lock_for_append(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
        let second = write(&path, "second\n");
        append_line(&path, "third\n").unwrap();
        second.take_back(&lock_for_append(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n");
    }
}
