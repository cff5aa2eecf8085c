//! The answer of a reader after each line.

use crate::format::{Fields, LineError};
use perftest_core::model::Run;
use std::ops::ControlFlow;

/// Whether to continue with the next line.
pub(crate) type KeepReading = Result<ControlFlow<()>, LineError>;

pub(crate) fn is_run(fields: &Fields<'_>) -> Result<bool, LineError> {
    fields.is_text("kind", "run")
}

pub(crate) fn is_fresh_process(fields: &Fields<'_>) -> Result<bool, LineError> {
    Ok(flags(fields)?.iter().any(|mark| Run::marks_fresh_process(mark)))
}

pub(crate) fn flags(fields: &Fields<'_>) -> Result<Vec<String>, LineError> {
    fields.get_or_default("marks")
}
