//! The file in which test processes report the outcomes of their tests.

use crate::exit::{CommandError, Result};
use crate::scratch_file::ScratchFile;
use perftest_process::TestOutcome;
use std::path::Path;

/// A file of outcomes, deleted in the end.
#[derive(Debug)]
pub(crate) struct OutcomeFile {
    file: ScratchFile,
}

impl OutcomeFile {
    /// Creates an empty file.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { file: ScratchFile::new("outcomes")? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the outcomes since the last call.
    pub(crate) fn take(&self) -> Result<Vec<TestOutcome>> {
        let outcomes = TestOutcome::read_all(self.path()).map_err(CommandError::Usage)?;
        self.file.write("")?;
        Ok(outcomes)
    }
}
