//! A file between this process and those that it starts.

use crate::exit::{CommandError, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// A file in the system's temporary directory, deleted in the end.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    path: PathBuf,
}

impl ScratchFile {
    /// Creates an empty file. Its name has what it is for.
    pub(crate) fn new(purpose: &str) -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = now.map_or(0, |since| since.as_nanos());
        let name = format!("perftest-{purpose}-{}-{nanoseconds}", process::id());
        let path = std::env::temp_dir().join(name);
        // This refuses an existing file or link.
        match File::create_new(&path) {
            Ok(_) => Ok(Self { path }),
            Err(error) => Err(cannot_write(&path, &error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces what is in the file.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        fs::write(&self.path, text).map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    let path = path.display();
    CommandError::Usage(format!("`{path}`, a file for test processes, cannot be written: {error}"))
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}
