//! Files of history that cannot be read, while the others are answered about.

use crate::exit::Failure;
use crate::report::tell;
use perftest_store::StoreError;

/// What could not be read so far.
#[derive(Debug, Default)]
pub(crate) struct Unread(Vec<StoreError>);

impl Unread {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, error: StoreError) {
        // The series of one test are in one file.
        if !self.0.iter().any(|known| known.to_string() == error.to_string()) {
            self.0.push(error);
        }
    }

    /// What was read; `None` where its file cannot be.
    ///
    /// # Errors
    /// Of any other kind.
    pub(crate) fn or_added<T>(&mut self, read: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Failure::Store(
                error @ (StoreError::Unreadable { .. } | StoreError::FromTheFuture { .. }),
            )) => {
                self.add(error);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// What was found, where the question could be answered. Where it could not, what could not be read may
    /// be what is meant: the refusal is told, and is not all there is to know.
    ///
    /// # Errors
    /// The refusal where all was read, else the last file that was not; those before it are told.
    pub(crate) fn or_told<T>(&mut self, found: Result<T, Failure>) -> Result<T, Failure> {
        match found {
            Err(refusal @ (Failure::Usage(_) | Failure::Store(_))) if !self.is_empty() => {
                tell(&format_args!("error: {refusal}"));
                let unread = std::mem::take(self).into_result();
                unread.and(Err(refusal))
            }
            found => found,
        }
    }

    /// Says which files these are, beside an answer that is worse.
    pub(crate) fn tell(&self) {
        self.0.iter().for_each(|error| tell(&format_args!("error: {error}")));
    }

    /// Nothing where all was read.
    ///
    /// # Errors
    /// The last one where something was not; those before it are told.
    pub(crate) fn into_result(mut self) -> Result<(), Failure> {
        let last = self.0.pop();
        self.tell();
        last.map_or(Ok(()), |error| Err(error.into()))
    }
}
