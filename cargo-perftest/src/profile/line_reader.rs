//! Lines of a file, one at a time, none longer than it may be.

use std::io::{self, BufRead, ErrorKind};

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
        loop {
            let bytes = self.input.fill_buf()?;
            if bytes.is_empty() {
                self.has_ended = self.line.is_empty() && self.has_ended;
                return Ok((!self.line.is_empty()).then(|| self.text()));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(bytes.len());
            if self.line.len() + length > LONGEST_BYTES {
                return Err(io::Error::new(ErrorKind::InvalidData, "a line has more than 64 MiB"));
            }
            self.line.extend_from_slice(&bytes[..length]);
            self.input.consume(end.map_or(length, |end| end + 1));
            if end.is_some() {
                return Ok(Some(self.text()));
            }
        }
    }

    fn text(&self) -> String {
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        String::from_utf8_lossy(line).into_owned()
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
