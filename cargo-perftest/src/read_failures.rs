//! Files of history that cannot be read, while the others are answered about.

use crate::exit::CommandError;
use crate::report::print_progress;
use perftest_store::StoreError;

/// What could not be read so far.
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

    /// Adds those of another reading.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|error| self.add(error));
    }

    /// A sentence a file.
    pub(crate) fn in_words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// What was read; `None` where its file cannot be.
    ///
    /// # Errors
    /// Of any other kind.
    pub(crate) fn or_added<T>(
        &mut self,
        read: Result<T, CommandError>,
    ) -> Result<Option<T>, CommandError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(CommandError::Store(
                error @ (StoreError::Unreadable { .. } | StoreError::OtherVersion { .. }),
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
    /// The refusal where all was read, else the last unreadable file; those before it are printed.
    pub(crate) fn or_report<T>(
        &mut self,
        found: Result<T, CommandError>,
    ) -> Result<T, CommandError> {
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

    /// Says which files these are, beside an answer that is worse.
    pub(crate) fn report(&self) {
        self.0.iter().for_each(|error| print_progress(&format_args!("error: {error}")));
    }

    /// Nothing where all was read.
    ///
    /// # Errors
    /// The last unreadable file; those before it are printed.
    pub(crate) fn into_result(mut self) -> Result<(), CommandError> {
        let last = self.0.pop();
        self.report();
        last.map_or(Ok(()), |error| Err(error.into()))
    }
}
