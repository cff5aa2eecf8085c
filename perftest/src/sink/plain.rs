//! The simplest outputs.

use std::io::{Result, Write, stderr, stdout};

/// Prints to standard output, and ignores a closed pipe.
pub(crate) fn print_line(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints to standard error, past every capture.
pub(crate) fn print_to_stderr(text: &str) {
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// Prints a message about the command line to standard error. Inside libtest it appears with the
/// failed test.
pub(crate) fn complain(message: &str) {
    eprintln!("perftest: {message}");
}

/// Writes to both; returns the errors of the first one.
pub(crate) struct TeeWriter<A, B>(pub A, pub B);

impl<A: Write, B: Write> Write for TeeWriter<A, B> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.write_all(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()?;
        self.1.flush()
    }
}
