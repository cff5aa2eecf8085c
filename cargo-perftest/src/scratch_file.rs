//! A file between this process and those that it starts.

use crate::exit::{CommandError, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
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
            Err(error) => Err(cannot_use(&path, &error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces what is in the file.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        fs::write(&self.path, text).map_err(|error| cannot_use(&self.path, &error))
    }

    /// Returns the file as an output of a process. With a pipe one would wait for all processes that have it open, and
    /// a test may leave some running.
    pub(crate) fn as_output(&self) -> Result<Stdio> {
        let file = File::options().append(true).open(&self.path);
        file.map(Stdio::from).map_err(|error| cannot_use(&self.path, &error))
    }

    /// Returns what is in the file.
    pub(crate) fn text(&self) -> Result<String> {
        let bytes = fs::read(&self.path).map_err(|error| cannot_use(&self.path, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn cannot_use(path: &Path, error: &io::Error) -> CommandError {
    let path = path.display();
    CommandError::Usage(format!("`{path}`, a file for test processes, cannot be used: {error}"))
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}
