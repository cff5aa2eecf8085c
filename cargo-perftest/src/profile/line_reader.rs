//! Lines of a file, one at a time, none longer than it may be.

use std::io::{self, BufRead, ErrorKind, Read};

/// A line of a stack of 10,000 frames has a few megabytes.
const LONGEST_BYTES: usize = 64 << 20;

/// Reads lines of any text; what is no UTF-8 is replaced.
pub(super) struct LineReader<R> {
    input: R,
    line: Vec<u8>,
    /// Whether the last line ended as a line does.
    pub(super) has_ended: bool,
}

impl<R: BufRead> LineReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: Vec::new(), has_ended: true }
    }

    /// The next line without its end; `None` behind the last one.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        self.line.clear();
        let with_end = LONGEST_BYTES as u64 + 1;
        self.input.by_ref().take(with_end).read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() {
            return Ok(None);
        }
        let line = self.line.strip_suffix(b"\n");
        self.has_ended = line.is_some();
        let line = line.unwrap_or(&self.line);
        if line.len() > LONGEST_BYTES {
            return Err(io::Error::new(ErrorKind::InvalidData, "a line has more than 64 MiB"));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(String::from_utf8_lossy(line).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_no_ends_and_the_last_one_may_have_none() {
        let mut lines = LineReader::new(&b"a\r\n\nb\xffc\nlast"[..]);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line);
        }
        assert_eq!(all, ["a", "", "b\u{fffd}c", "last"]);
        assert!(!lines.has_ended);
        let mut lines = LineReader::new(&b"a\n"[..]);
        assert_eq!(lines.next().unwrap().as_deref(), Some("a"));
        assert_eq!(lines.next().unwrap(), None);
        assert!(lines.has_ended);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let endless = io::BufReader::new(io::repeat(b'a'));
        assert_eq!(LineReader::new(endless).next().unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
