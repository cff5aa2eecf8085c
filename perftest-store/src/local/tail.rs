//! Lines of a file from its end towards its beginning, in blocks, never the whole file.

use crate::regular_file::read_at_most;
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom};

/// About a hundred records.
const BLOCK: u64 = 64 * 1024;

/// Longest readable line. A damaged file may have no line feed at all.
pub(super) const LONGEST_LINE: u64 = 1 << 30;

/// Reads lines backwards.
#[derive(Debug)]
pub(crate) struct Tail<'a> {
    file: &'a File,
    /// Offset of the first byte in `unread`.
    start: u64,
    /// The bytes from `start` on.
    block: Vec<u8>,
    /// Number of bytes that were not returned yet, without the end of their last line.
    unread: usize,
    /// Only the last line of a file can lack its end.
    next_is_whole: bool,
    ended: bool,
}

/// One line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileLine<'a> {
    /// The line's beginning in the file, in bytes.
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
    /// Whether the line has its end.
    pub(crate) is_whole: bool,
}

impl<'a> Tail<'a> {
    pub(crate) fn new(file: &'a File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let (block, ended) = (Vec::new(), length == 0);
        let mut tail = Self { file, start: length, block, unread: 0, next_is_whole: true, ended };
        tail.read_block()?;
        tail.next_is_whole = tail.block.last() == Some(&b'\n');
        tail.unread = tail.block.len() - usize::from(tail.next_is_whole);
        Ok(tail)
    }

    /// Returns the next line towards the beginning; `None` before the first.
    pub(crate) fn previous_line(&mut self) -> io::Result<Option<FileLine<'_>>> {
        if self.ended {
            return Ok(None);
        }
        let is_whole = std::mem::replace(&mut self.next_is_whole, true);
        let mut unsearched = self.unread;
        let begin = loop {
            if let Some(end) = last_line_feed(&self.block[..unsearched]) {
                break end + 1;
            }
            if self.start == 0 {
                self.ended = true;
                break 0;
            }
            unsearched = self.read_block()?;
        };
        let bytes = &self.block[begin..self.unread];
        self.unread = begin.saturating_sub(1);
        Ok(Some(FileLine { offset: self.start + begin as u64, bytes, is_whole }))
    }

    /// Reads the block before the unread bytes and puts it in front of them; returns its size. The
    /// block is as large as the unread bytes, so a long line is copied only twice in all.
    fn read_block(&mut self) -> io::Result<usize> {
        refuse_endless(self.unread as u64)?;
        let size = self.start.min(BLOCK.max(self.unread as u64));
        self.start -= size;
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.start))?;
        let mut block = Vec::with_capacity(size as usize + self.unread);
        read_at_most(&mut file, size, &mut block)?;
        let read = block.len();
        block.extend_from_slice(&self.block[..self.unread]);
        self.unread = block.len();
        self.block = block;
        Ok(read)
    }
}

/// Refuses a line that is longer than any of ours.
pub(super) fn refuse_endless(length: u64) -> io::Result<()> {
    if length < LONGEST_LINE {
        return Ok(());
    }
    let why = format!("a line of it has more than {} MiB", LONGEST_LINE >> 20);
    Err(io::Error::new(ErrorKind::InvalidData, why))
}

/// Finds the last line feed. Searches piece by piece with the standard library's compiled code: in
/// an unoptimised build, a loop over bytes costs as much as reading the records.
fn last_line_feed(bytes: &[u8]) -> Option<usize> {
    const PIECE: usize = 256;
    let (pieces, is_end) = (bytes.rchunks(PIECE), |byte: &u8| *byte == b'\n');
    let (nth, piece) = pieces.enumerate().find(|(_, piece)| piece.contains(&b'\n'))?;
    let begin = bytes.len() - nth * PIECE - piece.len();
    piece.iter().rposition(is_end).map(|at| begin + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Returns all lines of a file with these bytes, last first.
    fn lines_of(name: &str, bytes: &[u8]) -> Vec<(u64, Vec<u8>, bool)> {
        let directory = crate::local::scratch(name);
        let path = directory.join("file");
        File::create(&path).unwrap().write_all(bytes).unwrap();
        let file = File::open(&path).unwrap();
        let mut tail = Tail::new(&file).unwrap();
        let mut lines = Vec::new();
        while let Some(line) = tail.previous_line().unwrap() {
            lines.push((line.offset, line.bytes.to_vec(), line.is_whole));
        }
        lines
    }

    #[test]
    fn lines_come_last_first_with_their_offsets() {
        let lines = lines_of("tail-order", b"one\n\nthree\n");
        let expected =
            [(5, b"three".to_vec(), true), (4, Vec::new(), true), (0, b"one".to_vec(), true)];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_last_line_without_its_end_is_kept_apart() {
        let lines = lines_of("tail-torn", b"one\ntw");
        assert_eq!(lines, [(4, b"tw".to_vec(), false), (0, b"one".to_vec(), true)]);
    }

    #[test]
    fn an_empty_file_has_no_line() {
        assert_eq!(lines_of("tail-empty", b""), []);
    }

    #[test]
    fn the_last_lines_are_read_without_the_rest_of_the_file() {
        let directory = crate::local::scratch("tail-long");
        let path = directory.join("file");
        std::fs::write(&path, "a line of forty bytes or so, and its end\n".repeat(100_000))
            .unwrap();
        let file = File::open(&path).unwrap();
        let mut tail = Tail::new(&file).unwrap();
        for _ in 0..100 {
            assert!(tail.previous_line().unwrap().is_some());
        }
        assert_eq!(tail.start, file.metadata().unwrap().len() - BLOCK);
    }

    #[test]
    fn what_is_read_at_once_grows_with_a_long_line() {
        let directory = crate::local::scratch("tail-linear");
        let path = directory.join("file");
        std::fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
        let file = File::open(&path).unwrap();
        let mut tail = Tail::new(&file).unwrap();
        let mut reads = 1;
        while tail.start > 0 {
            tail.read_block().unwrap();
            reads += 1;
        }
        // 64 KiB, and doubled four times.
        assert_eq!(reads, 5);
    }

    #[test]
    fn lines_across_block_borders_stay_whole() {
        let block = BLOCK as usize;
        for length in [block - 2, block - 1, block, block + 1, 3 * block + 7] {
            let long = vec![b'x'; length];
            let text = [b"first\n".as_slice(), &long, b"\nlast\n"].concat();
            let lines = lines_of("tail-blocks", &text);
            assert_eq!(lines.len(), 3, "{length}");
            assert_eq!(lines[1], (6, long, true));
            assert_eq!(lines[2], (0, b"first".to_vec(), true));
        }
    }
}
