//! The answer of a reader after each line.

use crate::format::{Fields, LineError};
use std::ops::ControlFlow;

/// Whether to continue with the next line.
pub(crate) type KeepReading = Result<ControlFlow<()>, LineError>;

pub(crate) fn is_run(fields: &Fields<'_>) -> Result<bool, LineError> {
    fields.is_text("kind", "run")
}

pub(crate) fn flags(fields: &Fields<'_>) -> Result<Vec<String>, LineError> {
    fields.get_or_default("marks")
}
