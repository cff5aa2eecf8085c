//! What was read, and what could not be.

use std::fmt;
use std::path::PathBuf;

/// What was read, beside the lines that could not be.
///
/// Damage costs only the damaged lines; whoever loads decides how loudly to say so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WithDamage<T> {
    /// Everything that could be read.
    pub value: T,
    /// The lines that could not, in the order of the file.
    pub damaged: Vec<Damage>,
}

/// One line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipped a damaged line ({}:{}): {}", self.file.display(), self.line, self.why)
    }
}
