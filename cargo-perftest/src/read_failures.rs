//! Unreadable history files, beside an answer about the others.

use crate::exit::{CommandError, Result};
use crate::report::print_progress;
use perftest_store::StoreError;
use std::cell::RefCell;
use std::process::ExitCode;

/// The errors so far.
#[derive(Debug, Default)]
pub(crate) struct ReadFailures(RefCell<Vec<StoreError>>);

impl ReadFailures {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    pub(crate) fn add(&self, error: StoreError) {
        let mut errors = self.0.borrow_mut();
        // The series of one test are in one file.
        if !errors.iter().any(|known| known.to_string() == error.to_string()) {
            errors.push(error);
        }
    }

    /// Returns one sentence for each file.
    pub(crate) fn in_words(&self) -> Vec<String> {
        self.0.borrow().iter().map(ToString::to_string).collect()
    }

    /// Returns the value; `None` if its file cannot be read.
    ///
    /// # Errors
    /// Errors of any other kind.
    pub(crate) fn or_added<T>(&self, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(CommandError::Store(
                error @ (StoreError::Unreadable { .. }
                | StoreError::OtherVersion { .. }
                | StoreError::RemoteHistory { .. }),
            )) => {
                self.add(error);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Returns how a command ends. Files that could not be read make a success an error, and are printed beside
    /// a graver result. They are printed with a refusal, too: one of them may have what was not found.
    ///
    /// # Errors
    /// The last unreadable file of a success or a refusal, or else the error of the command.
    pub(crate) fn end(&self, end: Result<ExitCode>) -> Result<ExitCode> {
        match end {
            Ok(ExitCode::SUCCESS) => self.refuse().map(|()| ExitCode::SUCCESS),
            Err(refusal @ (CommandError::Usage(_) | CommandError::Store(_)))
                if !self.is_empty() =>
            {
                print_progress(&format_args!("error: {refusal}"));
                self.refuse().and(Err(refusal))
            }
            Ok(_) => {
                self.report();
                end
            }
            Err(_) => end,
        }
    }

    /// Prints the files.
    pub(crate) fn report(&self) {
        let errors = self.0.take();
        errors.iter().for_each(|error| print_progress(&format_args!("error: {error}")));
    }

    /// Returns nothing if all files were read.
    ///
    /// # Errors
    /// The last unreadable file; those before it are printed.
    pub(crate) fn refuse(&self) -> Result<()> {
        let last = self.0.borrow_mut().pop();
        self.report();
        last.map_or(Ok(()), |error| Err(error.into()))
    }
}
