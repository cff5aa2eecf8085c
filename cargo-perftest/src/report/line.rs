//! Prints one line.

use perftest_core::words::one_line;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a text as a single line, whatever characters it contains.
pub(crate) fn write_line(out: &mut dyn Write, text: &dyn Display) -> io::Result<()> {
    writeln!(out, "{}", one_line(&text.to_string()))
}
