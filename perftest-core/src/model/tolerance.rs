//! The smallest degradation the author cares about.

use std::fmt;

/// Theta: a degradation up to `1 + theta` is nobody's problem. 5 % by default.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Tolerance(f64);

/// Why a number is not a tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToleranceError {
    share: f64,
}

impl fmt::Display for ToleranceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a tolerance of {} % is not above zero and at most {} %; write for example tolerance = \"5%\"",
            self.share * 100.0,
            Tolerance::LARGEST_SHARE * 100.0
        )
    }
}

impl std::error::Error for ToleranceError {}

impl Tolerance {
    /// The largest tolerance that still is one: ten times slower.
    pub const LARGEST_SHARE: f64 = 9.0;

    /// The tolerance of a test that asks for none.
    pub const DEFAULT_SHARE: f64 = 0.05;

    /// A tolerance of `share`: 0.05 is 5 %.
    ///
    /// # Errors
    /// [`ToleranceError`] unless `share` is above 0 and at most [`Self::LARGEST_SHARE`].
    ///
    /// ```
    /// use perftest_core::model::Tolerance;
    /// assert_eq!(Tolerance::new(0.05).unwrap().ratio(), 1.05);
    /// assert!(Tolerance::new(0.0).is_err());
    /// ```
    pub fn new(share: f64) -> Result<Self, ToleranceError> {
        if share > 0.0 && share <= Self::LARGEST_SHARE {
            Ok(Self(share))
        } else {
            Err(ToleranceError { share })
        }
    }

    /// The tolerance that a text such as `5%` or `0.5 %` gives; `None` where it gives none.
    ///
    /// ```
    /// use perftest_core::model::Tolerance;
    /// assert_eq!(Tolerance::of_percentage("10%"), Tolerance::new(0.1).ok());
    /// for text in ["10", "0%", "-1%", "901%", "1e1%", "%"] {
    ///     assert_eq!(Tolerance::of_percentage(text), None, "{text}");
    /// }
    /// ```
    pub fn of_percentage(text: &str) -> Option<Self> {
        let digits = text.strip_suffix('%')?.trim_end();
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let percent: f64 = digits.parse().ok().filter(|_| is_plain)?;
        Self::new(percent / 100.0).ok()
    }

    /// The tolerated share above the baseline: 0.05.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The tolerated ratio to the baseline: 1.05.
    pub fn ratio(self) -> f64 {
        1.0 + self.0
    }

    /// The ratio at twice the tolerated share, 1.10: a degradation that shall be found and never
    /// be called green.
    pub fn twice_ratio(self) -> f64 {
        1.0 + 2.0 * self.0
    }
}

impl Default for Tolerance {
    fn default() -> Self {
        Self(Self::DEFAULT_SHARE)
    }
}
