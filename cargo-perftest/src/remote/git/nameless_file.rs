//! A file that has no name, so that a process that is killed leaves none behind.

use crate::remote::RemoteError;
use std::fs::File;
use std::io;

/// Creates an empty file in the directory for temporary files, to write and to read.
///
/// # Errors
/// When nothing can be written there.
pub(super) fn nameless_file() -> Result<File, RemoteError> {
    tempfile::tempfile().map_err(|error| {
        let directory = std::env::temp_dir();
        RemoteError::new(format!(
            "cannot write {}: {error}; allow it, or set TMPDIR to another directory",
            directory.display()
        ))
    })
}

/// The error of a file for temporary data.
pub(super) fn unusable(error: io::Error) -> RemoteError {
    RemoteError::new(format!("cannot use {}: {error}", std::env::temp_dir().display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    #[test]
    fn a_file_without_a_name_is_written_and_read() {
        let mut file = nameless_file().unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }
}
