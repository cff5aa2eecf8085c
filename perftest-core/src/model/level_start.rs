//! The beginning of a level in a history.

/// The beginning of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelStart {
    /// Commit of the last run before it; empty if it is unknown.
    pub commit_before: String,
    /// Commit of its first run; empty if it is unknown.
    pub commit: String,
    /// The ratio to the level before: above 1 is worse.
    pub ratio: f64,
}
