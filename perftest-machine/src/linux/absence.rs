//! Why a sensor says nothing.

use perftest_core::model::Reading;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::path::Path;

/// The reason why a sensor has no answer, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Absence(String);

impl Absence {
    /// An absence for this reason.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The system refused to open or read the file at `path` (given without its leading slash).
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        Self(match error.kind() {
            ErrorKind::NotFound => format!("/{path} does not exist"),
            ErrorKind::PermissionDenied => format!("/{path} may not be read"),
            kind => format!("/{path} cannot be read: {kind}"),
        })
    }

    /// The text of the file at `path` is not what its format promises.
    pub(super) fn not_understood(path: &Path, text: &str) -> Self {
        let path = path.display();
        match text.trim() {
            "" => Self(format!("/{path} is empty")),
            _ => Self(format!("/{path} is not understood")),
        }
    }
}

impl Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A part of an answer as the core keeps it.
pub(super) fn part<T, U>(answer: &Result<T, Absence>, part: impl FnOnce(&T) -> U) -> Reading<U> {
    reading(answer.as_ref().map(part).map_err(Absence::clone))
}

/// A sensor's answer as the core keeps it.
pub(super) fn reading<T>(answer: Result<T, Absence>) -> Reading<T> {
    answer.map_or_else(|absence| Reading::absent(absence.0), Reading::Value)
}
