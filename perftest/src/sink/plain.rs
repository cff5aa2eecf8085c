//! The plainest ways out.

use std::io::{Result, Write, stderr, stdout};

/// To standard output. A reader that went away has seen enough.
pub(crate) fn print_line(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// To standard error, past every capture.
pub(crate) fn print_to_stderr(text: &str) {
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// A message about the call itself, to standard error. Inside libtest it is shown with the
/// failed test.
pub(crate) fn complain(message: &str) {
    eprintln!("perftest: {message}");
}

/// To both, the first one's errors counting.
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
