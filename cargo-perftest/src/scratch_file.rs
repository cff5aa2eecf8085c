//! A file between this process and those that it starts.

use crate::exit::{CommandError, Result};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempPath;

/// A file in the system's temporary directory, deleted in the end.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    path: TempPath,
}

impl ScratchFile {
    /// Creates an empty file. Its name has what it is for.
    pub(crate) fn new(purpose: &str) -> Result<Self> {
        let file = tempfile::Builder::new().prefix(&format!("perftest-{purpose}-")).tempfile();
        let file = file.map_err(|error| cannot_use(&std::env::temp_dir(), &error))?;
        Ok(Self { path: file.into_temp_path() })
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
