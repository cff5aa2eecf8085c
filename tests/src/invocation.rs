//! A process in a clean environment.

use crate::{Outcome, TempStore, clean_command};
use perftest_process::{PARENT_VARIABLE, parent_token};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A process to run: nothing is recorded unless it is given a store, and each run counts as one.
#[derive(Debug)]
pub struct Invocation {
    command: Command,
    /// What it reads from standard input.
    input: String,
}

impl Invocation {
    /// Runs `program` as if by hand in `directory`, the directory of a package.
    pub fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        let mut command = clean_command(program);
        command
            .current_dir(directory)
            .env("CARGO_MANIFEST_DIR", directory)
            .env("PERFTEST_STORE", "off")
            // Most tests need a history run by run.
            .env("PERFTEST_LEARN", "one-per-run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { command, input: String::new() }
    }

    /// What it runs.
    pub fn program(&self) -> &OsStr {
        self.command.get_program()
    }

    /// Adds arguments.
    pub fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Keeps the history in this store.
    pub fn store(self, store: &TempStore) -> Self {
        self.env("PERFTEST_STORE", store.path())
    }

    /// Sets the variable of an internal mode, as a perftest process does for its children.
    pub fn internal(self, name: &str, value: &str) -> Self {
        self.env(PARENT_VARIABLE, parent_token()).env(name, value)
    }

    /// Lets nothing read what it prints.
    ///
    /// # Panics
    /// When there is no pipe.
    pub fn unread(mut self) -> Self {
        let closed = || io::pipe().map(|(_, writer)| Stdio::from(writer));
        self.command.stdout(closed().expect("a pipe can be made"));
        self.command.stderr(closed().expect("a pipe can be made"));
        self
    }

    /// Lets it read this from standard input.
    pub fn input(self, text: impl Into<String>) -> Self {
        Self { input: text.into(), ..self }
    }

    /// Runs each body once, for tests of everything but measuring.
    pub fn smoke(self) -> Self {
        self.env("PERFTEST_MODE", "smoke")
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn run(mut self) -> Outcome {
        match self.output() {
            Ok(output) => output.into(),
            Err(error) => panic!("{:?}: {error}", self.command.get_program()),
        }
    }

    fn output(&mut self) -> io::Result<Output> {
        let mut child = self.command.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // Who ends without reading does not want it.
            let _ = input.write_all(self.input.as_bytes());
        }
        child.wait_with_output()
    }
}
