//! Starts cargo.

use crate::closed_pipe::UntilClosed;
use crate::exit::CommandError;
use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};

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

/// Runs cargo, captures its standard output, and shows its standard error. Cargo fails where the reader of that
/// goes away, so only a terminal is handed on to it.
pub(crate) fn output_of_shown(cargo: &mut Command) -> Result<Output, CommandError> {
    if io::stderr().is_terminal() {
        return output_of(cargo.stderr(Stdio::inherit()));
    }
    cargo.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = cargo.spawn().map_err(|error| cannot_start(&error))?;
    let shown = child.stderr.take().map(|mut stderr| {
        thread::spawn(move || io::copy(&mut stderr, &mut UntilClosed::new(io::stderr())))
    });
    let output = child.wait_with_output().map_err(|error| cannot_start(&error));
    // What cannot be shown is no reason to fail, and it never panics.
    let _ = shown.map(JoinHandle::join);
    output
}

pub(crate) fn cannot_start(error: &io::Error) -> CommandError {
    CommandError::Usage(format!("cargo cannot be started: {error}"))
}
