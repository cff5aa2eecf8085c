//! One value of a history.

/// One value of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastValue {
    /// The value.
    pub value: f64,
    /// When it was measured, milliseconds since the Unix epoch.
    pub started_ms: u64,
}
