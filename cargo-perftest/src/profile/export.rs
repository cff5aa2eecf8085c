//! Folded stacks, written as the core of the analysis writes them.

use perftest_analysis::profile::{Profile, write_folded, write_folded_with_remarks};
use std::fmt;
use std::io::{self, Write};

/// Writes a profile as folded stacks.
pub(crate) fn write_folded_file(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut text = FmtToIo::new(out);
    let written = write_folded(profile, &mut text);
    text.result(written)
}

/// Writes a recorded profile as folded stacks, with its number of samples and its notes.
pub(crate) fn write_recorded_file(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut text = FmtToIo::new(out);
    let written = write_folded_with_remarks(profile, &mut text);
    text.result(written)
}

/// Lets what writes text write bytes, and keeps the reason where that fails.
pub(super) struct FmtToIo<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl<'a> FmtToIo<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, error: None }
    }

    /// The reason for which writing failed.
    pub(super) fn result(self, written: fmt::Result) -> io::Result<()> {
        match (written, self.error) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(error)) => Err(error),
            (Err(error), None) => Err(io::Error::other(error)),
        }
    }
}

impl fmt::Write for FmtToIo<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
