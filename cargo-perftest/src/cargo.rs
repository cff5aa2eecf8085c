//! Starts cargo.

use crate::closed_pipe::UntilClosed;
use crate::exit::{CommandError, Result};
use serde_json::Value;
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
pub(crate) fn output_of(cargo: &mut Command) -> Result<Output> {
    cargo.output().map_err(|error| cannot_start(&error))
}

/// Returns what `cargo metadata` prints about the workspace of `directory`, without dependencies.
///
/// # Errors
/// When cargo finds no project there, or refuses it.
pub(crate) fn metadata(directory: &Path) -> Result<Value> {
    let mut metadata = cargo(directory);
    let output = output_of(metadata.args(["metadata", "--no-deps", "--format-version", "1"]))?;
    if output.status.success() {
        return Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null));
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(CommandError::Usage(if why.contains("could not find `Cargo.toml`") {
        "there is no Cargo.toml in this directory or above it; go to the project's directory, or \
         begin a project with `cargo init`"
            .into()
    } else {
        format!("cargo cannot read this project: {}", why.trim())
    }))
}

/// Runs cargo, captures its standard output, and shows its standard error. Cargo fails where the reader of that
/// goes away, so only a terminal is handed on to it.
pub(crate) fn output_of_shown(cargo: &mut Command) -> Result<Output> {
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
