//! A file that has no name, so that a process that is killed leaves none behind.

use crate::remote::RemoteError;
use std::fs::{self, File};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Creates an empty file in the directory for temporary files, to write and to read.
///
/// # Errors
/// When nothing can be written there.
pub(super) fn nameless_file() -> Result<File, RemoteError> {
    create().map_err(|error| {
        let directory = std::env::temp_dir();
        RemoteError::new(format!(
            "cannot write {}: {error}; allow it, or set TMPDIR to another directory",
            directory.display()
        ))
    })
}

fn create() -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("perftest-git-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        // Others cannot read it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            // Another one has this name at the moment.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                let file = created?;
                fs::remove_file(&path)?;
                return Ok(file);
            }
        }
    }
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
