//! The file in which test processes report the outcomes of their tests.

use crate::exit::{CommandError, Result};
use perftest_process::TestOutcome;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// A file of outcomes, deleted in the end.
#[derive(Debug)]
pub(crate) struct OutcomeFile {
    path: PathBuf,
}

impl OutcomeFile {
    /// Creates an empty file.
    pub(crate) fn new() -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = now.map_or(0, |since| since.as_nanos());
        let name = format!("perftest-outcomes-{}-{nanoseconds}", process::id());
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

    /// Returns the outcomes since the last call.
    pub(crate) fn take(&self) -> Result<Vec<TestOutcome>> {
        let outcomes = TestOutcome::read_all(&self.path).map_err(CommandError::Usage)?;
        File::create(&self.path).map_err(|error| cannot_write(&self.path, &error))?;
        Ok(outcomes)
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    let path = path.display();
    CommandError::Usage(format!("`{path}`, the file of test outcomes, cannot be written: {error}"))
}

impl Drop for OutcomeFile {
    fn drop(&mut self) {
        // A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}
