//! Where a level of a history began.

/// Where a level began.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelStart {
    /// Commit of the last run before it, empty when not known.
    pub commit_before: String,
    /// Commit of its first run, empty when not known.
    pub commit: String,
    /// Its degradation against the level before: above 1 is worse.
    pub ratio: f64,
}
