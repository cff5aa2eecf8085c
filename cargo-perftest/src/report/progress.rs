//! Progress of a slow command.

use super::write_line;
use perftest_core::words::one_line;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Shows the progress, if standard error is a terminal.
pub(crate) fn progress(text: &str) {
    const CLEAR_LINE: &str = "\r\x1b[2K";
    let mut stderr = anstream::stderr();
    if io::stderr().is_terminal() {
        let _ = write!(stderr, "{CLEAR_LINE}{}", one_line(text)).and_then(|()| stderr.flush());
    }
}

/// Prints the progress on a line of its own. Ignores a closed standard error.
pub(crate) fn print_progress(what: &dyn Display) {
    let _ = write_line(&mut anstream::stderr(), what);
}
