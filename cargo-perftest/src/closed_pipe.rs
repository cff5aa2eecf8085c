//! An output that may close early, as in `| head`.

use std::io::{ErrorKind, Result, Write};

/// Writes until the reader closes the pipe, and ignores the rest: the exit code of a command is
/// that of its verdict, also without a reader.
pub(crate) struct UntilClosed<W> {
    out: W,
    is_closed: bool,
}

impl<W: Write> UntilClosed<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, is_closed: false }
    }

    fn unless_closed<T>(
        &mut self,
        closed: T,
        write: impl FnOnce(&mut W) -> Result<T>,
    ) -> Result<T> {
        if self.is_closed {
            return Ok(closed);
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(closed)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        self.unless_closed((), Write::flush)
    }
}
