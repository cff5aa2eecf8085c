//! Writes the changes of a plan.

use super::plan::{Change, Plan};
use crate::exit::{CommandError, Result};
use perftest_store::change_file;
use std::io;

/// Writes every file of the plan, each as a whole.
///
/// # Errors
/// When a file cannot be written, or has changed since the plan was made; the files before it are
/// written.
pub(crate) fn write(plan: &Plan) -> Result<()> {
    for Change { path, before, after } in &plan.changes {
        let change = |now: &str| match now == before.as_deref().unwrap_or_default() {
            true => Ok(Some(after.clone())),
            false => Err(io::Error::other("it has changed meanwhile; run the command again")),
        };
        change_file(path, change).map_err(|error| {
            CommandError::Usage(format!("{} cannot be written: {error}", path.display()))
        })?;
    }
    Ok(())
}
