//! What each format makes of its lines.

use super::ProfileBuilder;

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineResult {
    /// Part of the profile.
    Read,
    /// None of the profile's business.
    Ignored,
    /// No line of this format; what is wrong with it fits after "line 12".
    Unreadable(&'static str),
    /// The weights are more than can be counted.
    TooHeavy,
}

/// A reader of one format.
pub(super) trait StackLines {
    /// Takes the next line, without its end.
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult;

    /// Takes the end of the file.
    fn finish(&mut self, profile: &mut ProfileBuilder) -> LineResult;
}
