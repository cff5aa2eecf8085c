//! What is added to one file.

/// The result for the settings that a file needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Addition {
    /// The file has them already.
    There,
    /// The new text of the file.
    Added(String),
    /// Only a person can decide, for this reason.
    ByHand(String),
}
