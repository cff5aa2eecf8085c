//! The two sides of a threshold.

/// How far a value may go, in the measure of the test, on each side that is watched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Boundaries {
    /// Below.
    pub lower: Option<f64>,
    /// Above.
    pub upper: Option<f64>,
}
