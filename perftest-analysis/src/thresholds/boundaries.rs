//! The two sides of a threshold.

/// The largest distance of a value, in the unit of the test, on each checked side.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Boundaries {
    /// Below.
    pub lower: Option<f64>,
    /// Above.
    pub upper: Option<f64>,
}
