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

impl Interval {
    /// Returns whether neither bound is known, as in records of other programs.
    pub fn is_without_bounds(self) -> bool {
        self.lower == f64::NEG_INFINITY && self.upper == f64::INFINITY
    }

    /// Applies an increasing function to estimate and bounds.
    ///
    /// ```
    /// use perftest_core::model::Interval;
    /// let logs = Interval { estimate: 0.0, lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    /// let ratio = Interval { estimate: 1.0, lower: 0.0, upper: f64::INFINITY };
    /// assert_eq!(logs.map(f64::exp), ratio);
    /// ```
    #[must_use]
    pub fn map(self, increasing: fn(f64) -> f64) -> Self {
        Self {
            estimate: increasing(self.estimate),
            lower: increasing(self.lower),
            upper: increasing(self.upper),
        }
    }
}
