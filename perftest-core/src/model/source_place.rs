//! Where a test is in the sources.

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, from the root of the repository, its parts joined by `/`.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}
