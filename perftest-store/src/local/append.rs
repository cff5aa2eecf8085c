//! Appends records so that all are there or none.

use super::directory;
use super::lock::Lock;
use super::tail::Tail;
use crate::StoreError;
use crate::format::{Fields, LineError, check_sum, check_version};
use crate::regular_file::open_stored;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends `line`, which ends in a line feed, to the file, which may not exist yet. It may be several lines:
/// of those a crash in the middle costs the last one that was begun, and what comes behind it.
///
/// One `write` under the lock, then a sync. A line that a crash cut short before gets its end
/// first, so that it costs only itself. When not everything could be written, the file is cut
/// back to what it was.
pub(crate) fn append_line(path: &Path, line: &str) -> Result<(), StoreError> {
    let writing = |error| StoreError::writing(path, error);
    let directory = path.parent().unwrap_or(Path::new(""));
    directory::create_durably(directory).map_err(writing)?;
    let _lock = Lock::for_writing(path).map_err(writing)?;
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
        directory::sync(directory).map_err(writing)?;
    }
    Ok(())
}

/// The newest line that can be read has the version.
fn refuse_another_version(path: &Path, file: &File) -> Result<(), StoreError> {
    let reading = |error| StoreError::reading(path, error);
    let mut tail = Tail::new(file).map_err(reading)?;
    while let Some(line) = tail.previous_line().map_err(reading)? {
        let format = || check_version(&Fields::parse(line.bytes)?);
        match check_sum(line.bytes).and_then(|()| format()) {
            Ok(()) => break,
            Err(LineError::Damaged(_)) => {}
            Err(LineError::OtherVersion(version)) => {
                return Err(StoreError::OtherVersion { path: path.to_owned(), version });
            }
        }
    }
    Ok(())
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

/// Writes all of the record so that it survives, or leaves the file as it was.
fn write_durably(file: &mut File, record: &[u8], length_before: u64) -> io::Result<()> {
    let written = write_whole(file, record).and_then(|()| file.sync_data());
    if written.is_err() {
        // If even this fails, what was written is a torn line, which the next append ends.
        let _ = file.set_len(length_before);
    }
    written
}

/// One call of the system for the whole record: a second one could be cut off from the first.
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
