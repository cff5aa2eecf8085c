//! The readable and the damaged part of a file.

use std::fmt;
use std::path::PathBuf;

/// The readable data, beside the damaged lines.
///
/// Only the damaged lines are lost; the caller decides how to report them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WithDamage<T> {
    /// Everything that could be read.
    pub value: T,
    /// The damaged lines, in file order.
    pub damaged: Vec<Damage>,
}

/// One damaged line.
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
