//! The reason why a sensor has no value.

use perftest_core::model::Reading;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::path::Path;

/// The reason why a sensor has no value, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Absence(String);

impl Absence {
    /// Creates an absence with this reason.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// Reports that the file at `path` (without its leading slash) could not be opened or read.
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        Self(match error.kind() {
            ErrorKind::NotFound => format!("/{path} does not exist"),
            ErrorKind::PermissionDenied => format!("/{path} may not be read"),
            kind => format!("/{path} cannot be read: {kind}"),
        })
    }

    /// Reports that the file at `path` does not have the expected format.
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

/// Converts a part of a sensor's answer to a [`Reading`].
#[inline(never)]
pub(super) fn part<T, U>(answer: &Result<T, Absence>, part: impl FnOnce(&T) -> U) -> Reading<U> {
    reading(answer.as_ref().map(part).map_err(Absence::clone))
}

/// Converts a sensor's answer to a [`Reading`].
#[inline(never)]
pub(super) fn reading<T>(answer: Result<T, Absence>) -> Reading<T> {
    answer.map_or_else(|absence| Reading::absent(absence.0), Reading::Value)
}
