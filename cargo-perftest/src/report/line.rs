//! Prints one line.

use perftest_core::words::one_line;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a text as a single line, whatever characters it contains.
pub(crate) fn write_line(out: &mut dyn Write, text: &dyn Display) -> io::Result<()> {
    writeln!(out, "{}", one_line(&text.to_string()))
}

/// Writes lines that need no escapes, such as JSON.
pub(crate) fn write_lines<T: Display>(
    out: &mut dyn Write,
    lines: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    lines.into_iter().try_for_each(|line| writeln!(out, "{line}"))
}
