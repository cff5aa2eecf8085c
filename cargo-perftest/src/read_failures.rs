//! Unreadable history files, beside an answer about the others.

use crate::exit::{CommandError, Result};
use crate::report::print_progress;
use perftest_store::StoreError;

/// The errors so far.
#[derive(Debug, Default)]
pub(crate) struct ReadFailures(Vec<StoreError>);

impl ReadFailures {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, error: StoreError) {
        // The series of one test are in one file.
        if !self.0.iter().any(|known| known.to_string() == error.to_string()) {
            self.0.push(error);
        }
    }

    /// Adds the errors of another reading.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|error| self.add(error));
    }

    /// Returns one sentence for each file.
    pub(crate) fn in_words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// Returns the value; `None` if its file cannot be read.
    ///
    /// # Errors
    /// Errors of any other kind.
    pub(crate) fn or_added<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
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

    /// Returns what was found. If nothing was found and some files could not be read, the wanted test may be
    /// in one of them, so both errors are printed.
    ///
    /// # Errors
    /// The refusal if all files were read, or else the last unreadable file; those before it are
    /// printed.
    pub(crate) fn or_report<T>(&mut self, found: Result<T>) -> Result<T> {
        match found {
            Err(refusal @ (CommandError::Usage(_) | CommandError::Store(_)))
                if !self.is_empty() =>
            {
                print_progress(&format_args!("error: {refusal}"));
                let read_failures = std::mem::take(self).into_result();
                read_failures.and(Err(refusal))
            }
            found => found,
        }
    }

    /// Prints the files, beside a graver result.
    pub(crate) fn report(&self) {
        self.0.iter().for_each(|error| print_progress(&format_args!("error: {error}")));
    }

    /// Returns nothing if all files were read.
    ///
    /// # Errors
    /// The last unreadable file; those before it are printed.
    pub(crate) fn into_result(mut self) -> Result<()> {
        let last = self.0.pop();
        self.report();
        last.map_or(Ok(()), |error| Err(error.into()))
    }
}
