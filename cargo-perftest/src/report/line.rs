//! One line of an answer.

use perftest_core::words::one_line;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line that stays one, whoever wrote what is in it.
pub(crate) fn write_line(out: &mut dyn Write, text: &dyn Display) -> io::Result<()> {
    writeln!(out, "{}", one_line(&text.to_string()))
}
