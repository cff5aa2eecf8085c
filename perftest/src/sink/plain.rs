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

/// Writes into a log file and to standard output, each whether or not the other can be written: whoever reads standard
/// output may leave early, and a disk may be full. Returns the errors of the file.
pub(crate) struct TeeWriter<F, O> {
    pub file: F,
    pub output: O,
}

impl<F: Write, O: Write> Write for TeeWriter<F, O> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let logged = self.file.write_all(bytes);
        let _ = self.output.write_all(bytes);
        if logged.is_err() {
            // Whoever gets an error does not flush.
            let _ = self.output.flush();
        }
        logged.map(|()| bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        let logged = self.file.flush();
        let _ = self.output.flush();
        logged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    /// A pipe without a reader, a disk without room.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> Result<()> {
            Err(ErrorKind::BrokenPipe.into())
        }
    }

    /// A standard output that keeps what it gets until it is flushed.
    #[derive(Default)]
    struct Buffered {
        held: Vec<u8>,
        printed: Vec<u8>,
    }

    impl Write for Buffered {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.held.write(bytes)
        }

        fn flush(&mut self) -> Result<()> {
            self.printed.append(&mut self.held);
            Ok(())
        }
    }

    #[test]
    fn standard_output_is_flushed_where_the_log_file_cannot_be_written() {
        let mut tee = TeeWriter { file: Closed, output: Buffered::default() };
        assert!(tee.write_all(b"test encode ... ").is_err());
        assert_eq!(tee.output.printed, b"test encode ... ");
        let mut tee = TeeWriter { file: Vec::new(), output: Buffered::default() };
        assert!(tee.write_all(b"ok").and_then(|()| tee.flush()).is_ok());
        assert_eq!((tee.file, tee.output.printed), (b"ok".to_vec(), b"ok".to_vec()));
    }

    #[test]
    fn the_log_file_is_written_where_nobody_reads_standard_output_and_the_other_way_round() {
        let mut tee = TeeWriter { file: Vec::new(), output: Closed };
        assert!(tee.write_all(b"ok").and_then(|()| tee.flush()).is_ok());
        assert_eq!(tee.file, b"ok");
        let mut tee = TeeWriter { file: Closed, output: Vec::new() };
        assert!(tee.write_all(b"ok").is_err());
        assert_eq!(tee.output, b"ok");
    }
}
