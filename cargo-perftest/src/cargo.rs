//! Starts cargo.

use crate::exit::CommandError;
use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};

/// Returns the cargo that started this tool, or the one in the path, to be run in `directory`.
pub(crate) fn cargo(directory: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(directory);
    cargo
}

/// Runs cargo and captures its output.
pub(crate) fn output_of(cargo: &mut Command) -> Result<Output, CommandError> {
    cargo.output().map_err(|error| cannot_start(&error))
}

/// Runs cargo with its output visible.
pub(crate) fn status_of(cargo: &mut Command) -> Result<ExitStatus, CommandError> {
    cargo.status().map_err(|error| cannot_start(&error))
}

pub(crate) fn cannot_start(error: &io::Error) -> CommandError {
    CommandError::Usage(format!("cargo cannot be started: {error}"))
}
