//! Reads the records of a file, from the newest to the oldest or in file order.

use super::lock::Lock;
use super::tail::{FileLine, LONGEST_LINE, Tail, refuse_endless};
use crate::format::{LineError, check_sum};
use crate::keep_reading::KeepReading;
use crate::regular_file::open_stored;
use crate::{Damage, StoreError};
use perftest_core::list::IntoList;
use perftest_core::order::sort_by;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// Passes every line to `take`, from the newest to the oldest, until `take` breaks off. Returns the
/// unreadable lines in file order. A missing file is empty.
pub(crate) fn read_back(
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> KeepReading,
) -> Result<Vec<Damage>, StoreError> {
    read(path, take, &|file, show| {
        let mut tail = Tail::new(file)?;
        while let Some(line) = tail.previous_line()? {
            if show(line).is_break() {
                break;
            }
        }
        Ok(())
    })
}

/// Passes every line to `take`, from the oldest to the newest.
pub(crate) fn read_on(
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> KeepReading,
) -> Result<Vec<Damage>, StoreError> {
    read(path, take, &|file, show| {
        let mut file = BufReader::new(file);
        let (mut offset, mut line) = (0, Vec::new());
        while file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? > 0 {
            refuse_endless(line.len() as u64)?;
            let (bytes, is_whole) = match line.strip_suffix(b"\n") {
                Some(bytes) => (bytes, true),
                None => (line.as_slice(), false),
            };
            if show(FileLine { offset, bytes, is_whole }).is_break() {
                break;
            }
            offset += line.len() as u64;
            line.clear();
        }
        Ok(())
    })
}

/// Whether nothing exists at the path. Any other failure may hide records.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Receives one line after the other until it breaks off.
type Show<'a> = &'a mut dyn FnMut(FileLine<'_>) -> ControlFlow<()>;

fn read(
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> KeepReading,
    walk: &dyn Fn(&File, Show<'_>) -> io::Result<()>,
) -> Result<Vec<Damage>, StoreError> {
    let reading = |error| StoreError::reading(path, error);
    let _lock = Lock::for_reading(path).map_err(reading)?;
    let file = match open_stored(path, File::options().read(true)) {
        Ok(file) => file,
        // A place without files has no history; writing reports what is wrong.
        Err(error) if is_absent(&error) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(reading(error)),
    };
    let mut check = LineCheck::new(take);
    walk(&file, &mut |line| check.show(line)).map_err(reading)?;
    check.finish(path, &|offsets| line_numbers(path, offsets))
}

/// Checks lines, passes on those that can be read, and collects what is wrong with the others.
pub(crate) struct LineCheck<'a> {
    take: &'a mut dyn FnMut(&[u8]) -> KeepReading,
    damaged: DamageLog,
    other_version: Option<u64>,
}

impl<'a> LineCheck<'a> {
    pub(crate) fn new(take: &'a mut dyn FnMut(&[u8]) -> KeepReading) -> Self {
        Self { take, damaged: DamageLog::default(), other_version: None }
    }

    pub(crate) fn show(&mut self, line: FileLine<'_>) -> ControlFlow<()> {
        if line.bytes.is_empty() {
            return ControlFlow::Continue(());
        }
        match check_sum(line.bytes).and_then(|()| (self.take)(line.bytes)) {
            Ok(flow) => {
                self.damaged.any_readable = true;
                return flow;
            }
            Err(LineError::Damaged(why)) => {
                let is_cut_short = !line.is_whole && line.bytes.starts_with(b"{");
                self.damaged.add(line.offset, why, is_cut_short);
            }
            Err(LineError::OtherVersion(version)) => {
                self.other_version = Some(version);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the damaged lines. `line_numbers` converts ascending offsets.
    pub(crate) fn finish(
        self,
        path: &Path,
        line_numbers: &dyn Fn(&[u64]) -> io::Result<Vec<u64>>,
    ) -> Result<Vec<Damage>, StoreError> {
        match self.other_version {
            Some(version) => Err(StoreError::OtherVersion { path: path.to_owned(), version }),
            None => self.damaged.into_lines(path, line_numbers),
        }
    }
}

/// The damage so far.
#[derive(Default)]
struct DamageLog {
    /// Offset and problem of each line, in reading order.
    lines: Vec<(u64, String)>,
    any_foreign: bool,
    any_readable: bool,
}

impl DamageLog {
    fn add(&mut self, offset: u64, why: String, is_cut_short: bool) {
        self.lines.push((offset, why));
        self.any_foreign |= !is_cut_short;
    }

    /// A single record cut short is damage: a power loss leaves that of a first record. A file with
    /// only foreign bytes is an error.
    fn into_lines(
        mut self,
        path: &Path,
        line_numbers: &dyn Fn(&[u64]) -> io::Result<Vec<u64>>,
    ) -> Result<Vec<Damage>, StoreError> {
        sort_by(&mut self.lines, &|a, b| a.0.cmp(&b.0));
        if let Some((_, why)) =
            self.lines.first().filter(|_| self.any_foreign && !self.any_readable)
        {
            let why = format!("none of its lines can be read (the first: {why})");
            return Err(StoreError::Unreadable { path: path.to_owned(), why });
        }
        let offsets: Vec<u64> = self.lines.iter().map(|(offset, _)| *offset).into_list();
        let numbers = line_numbers(&offsets).map_err(|error| StoreError::reading(path, error))?;
        let damage = |(line, (_, why))| Damage { file: path.to_owned(), line, why };
        Ok(numbers.into_iter().zip(self.lines).map(damage).into_list())
    }
}

/// Converts ascending offsets to line numbers. Reads the whole file, but only for a damaged one.
fn line_numbers(path: &Path, offsets: &[u64]) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    if offsets.is_empty() {
        return Ok(numbers);
    }
    let mut file = BufReader::new(open_stored(path, File::options().read(true))?);
    let (mut line, mut begin) = (1, 0);
    for offset in offsets {
        while begin < *offset {
            begin += file.skip_until(b'\n')? as u64;
            line += 1;
        }
        numbers.push(line);
    }
    Ok(numbers)
}
