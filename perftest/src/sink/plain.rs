//! The plainest ways out.

use std::io::{Result, Write};

/// To standard output.
pub(crate) fn say(text: &str) {
    print!("{text}");
}

/// A message about the call itself, to standard error. Inside libtest it is shown with the
/// failed test.
pub(crate) fn complain(message: &str) {
    eprintln!("perftest: {message}");
}

/// To both, the first one's errors counting.
pub(crate) struct Both<A, B>(pub A, pub B);

impl<A: Write, B: Write> Write for Both<A, B> {
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
