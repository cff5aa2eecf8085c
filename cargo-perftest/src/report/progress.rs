//! How far a command is that takes its time.

use super::write_line;
use perftest_core::words::one_line;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Shows how far it is, to somebody who waits before a terminal.
pub(crate) fn progress(text: &str) {
    const CLEAR_LINE: &str = "\r\x1b[2K";
    let mut stderr = anstream::stderr();
    if io::stderr().is_terminal() {
        let _ = write!(stderr, "{CLEAR_LINE}{}", one_line(text)).and_then(|()| stderr.flush());
    }
}

/// Says on a line of its own how far it is. Without a standard error there is nobody to tell.
pub(crate) fn print_progress(what: &dyn Display) {
    let _ = write_line(&mut anstream::stderr(), what);
}
