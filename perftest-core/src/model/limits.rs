//! Limits of a metric's values.

use crate::named;

/// Limits of the next value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// The level of the history, if the test has one.
    pub baseline: Option<f64>,
    /// Values below this alarm.
    pub lower: Option<f64>,
    /// Values above this alarm.
    pub upper: Option<f64>,
}

named! {
    /// The limit that a value breaks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum LimitSide {
        /// The value is too small.
        Lower = "lower",
        /// The value is too large.
        Upper = "upper",
    }
}

impl Limits {
    /// Returns the limit that `value` breaks; a value on a limit is within it.
    ///
    /// ```
    /// use perftest_core::model::{Limits, LimitSide};
    /// let limits = Limits { baseline: None, lower: Some(-5.0), upper: Some(5.0) };
    /// assert_eq!(limits.broken_by(6.0), Some(LimitSide::Upper));
    /// assert_eq!(limits.broken_by(-5.0), None);
    /// ```
    pub fn broken_by(&self, value: f64) -> Option<LimitSide> {
        if self.lower.is_some_and(|lower| value < lower) {
            Some(LimitSide::Lower)
        } else if self.upper.is_some_and(|upper| value > upper) {
            Some(LimitSide::Upper)
        } else {
            None
        }
    }
}
