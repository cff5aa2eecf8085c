//! Sinks show events. Only sinks print.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod captured;
mod github;
mod json;
mod paint;
mod plain;
mod text;

pub(crate) use captured::CapturedSink;
pub(crate) use github::{add_to_summary, annotations};
pub(crate) use plain::{complain, print_line, print_to_stderr};
pub(crate) use text::{failure, last_lines, warnings_so_far};

use crate::event::Event;
use crate::harness::{Arguments, ResultFormat};
use std::fs::File;
use std::io::Write;

/// Shows events as they happen.
pub(crate) trait Sink {
    /// Takes one event.
    fn take(&mut self, event: &Event<'_>);
}

/// Returns the sink that the command line selects.
///
/// # Errors
/// A message when the log file cannot be created.
pub(crate) fn of_arguments(arguments: &Arguments) -> Result<Box<dyn Sink>, String> {
    let paint = paint::Paint::of(arguments.color);
    let out: Box<dyn Write> = match &arguments.logfile {
        None => Box::new(std::io::stdout()),
        Some(path) => {
            // A pipe or a device, too, as in libtest.
            let file = File::create(path).map_err(|error| format!("--logfile {path}: {error}"))?;
            Box::new(plain::TeeWriter { file, output: std::io::stdout() })
        }
    };
    Ok(match arguments.format {
        ResultFormat::Pretty => Box::new(text::TextSink::new(out, paint)),
        ResultFormat::Terse => Box::new(text::TextSink::terse(out, paint)),
        ResultFormat::Json => Box::new(json::JsonSink::new(out)),
    })
}
