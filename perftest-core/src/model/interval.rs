//! An estimate with its bounds.

/// An estimate with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The best single number.
    pub estimate: f64,
    /// At least this.
    pub lower: f64,
    /// At most this.
    pub upper: f64,
}
