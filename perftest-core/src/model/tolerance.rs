//! The smallest degradation the author cares about.

use std::fmt;
use std::str::FromStr;

/// Theta: a degradation up to `1 + theta` does not matter. 5% by default.
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
            "a tolerance of {}% is not above zero and at most {}%; write for example tolerance = \"5%\"",
            self.share * 100.0,
            Tolerance::LARGEST_SHARE * 100.0
        )
    }
}

impl std::error::Error for ToleranceError {}

impl Tolerance {
    /// Returns the tolerance up to this ratio, as an acceptance sets it: it may be beyond
    /// [`LARGEST_SHARE`](Self::LARGEST_SHARE). `None` unless the ratio is above 1 and finite.
    ///
    /// ```
    /// use perftest_core::model::Tolerance;
    /// assert_eq!(Tolerance::up_to_ratio(20.0).unwrap().ratio(), 20.0);
    /// assert_eq!(Tolerance::up_to_ratio(1.0), None);
    /// ```
    pub fn up_to_ratio(ratio: f64) -> Option<Self> {
        (ratio > 1.0 && ratio.is_finite()).then_some(Self(ratio - 1.0))
    }

    /// Returns the tolerance beside an accepted ratio: of 5%, and accepted up to 1.20x, ratios up to 1.26 are tolerated.
    ///
    /// ```
    /// use perftest_core::model::Tolerance;
    /// let tolerated = Tolerance::default().beside_accepted(Some(1.2));
    /// assert!((tolerated.ratio() - 1.26).abs() < 1e-12);
    /// assert_eq!(Tolerance::default().beside_accepted(None), Tolerance::default());
    /// ```
    #[must_use]
    pub fn beside_accepted(self, accepted_ratio: Option<f64>) -> Self {
        let tolerated = accepted_ratio.map(|it| self.ratio() * it.max(1.0));
        tolerated.and_then(Self::up_to_ratio).unwrap_or(self)
    }

    /// The largest allowed tolerance: ten times slower. A convention: larger ones are refused.
    pub const LARGEST_SHARE: f64 = 9.0;
    /// The largest tolerance in advice: a test that does not detect a doubling is of little use.
    pub const LARGEST_ADVISED_SHARE: f64 = 1.0;

    /// The default tolerance. A convention: two processes of one executable differ by 1 to 3%
    /// (docs/reference/statistics.md).
    pub const DEFAULT_SHARE: f64 = 0.05;

    /// Creates a tolerance of `share`: 0.05 is 5%.
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

    /// Creates a tolerance from a number with a point: below 1 it is the share, above 1 the ratio.
    /// 1 itself is ambiguous.
    ///
    /// # Errors
    /// [`ToleranceError`] unless it is a tolerance.
    ///
    /// ```
    /// use perftest_core::model::Tolerance;
    /// assert_eq!(Tolerance::of_number(1.25), Tolerance::of_number(0.25));
    /// assert!(Tolerance::of_number(1.0).is_err());
    /// ```
    pub fn of_number(number: f64) -> Result<Self, ToleranceError> {
        match number {
            1.0 => Err(ToleranceError { share: 0.0 }),
            // As floating-point numbers, 1.05 - 1 is 0.050000000000000044.
            ratio if ratio > 1.0 => Self::new(((ratio - 1.0) * 1e12).round() / 1e12),
            share => Self::new(share),
        }
    }

    /// The tolerated share above the baseline: 0.05.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The tolerated ratio to the baseline: 1.05.
    pub fn ratio(self) -> f64 {
        1.0 + self.0
    }

    /// The ratio at twice the tolerated share, 1.10: a degradation that must be found and never
    /// called green.
    pub fn twice_ratio(self) -> f64 {
        1.0 + 2.0 * self.0
    }
}

/// A percentage: `5%`, `2.5%`.
///
/// ```
/// use perftest_core::model::Tolerance;
/// assert_eq!(Tolerance::default().to_string(), "5%");
/// assert_eq!(Tolerance::new(0.025).unwrap().to_string(), "2.5%");
/// ```
impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", (self.0 * 1e4).round() / 1e2)
    }
}

/// `5%`, or a number with a point: `0.05` and `1.05` are the same.
impl FromStr for Tolerance {
    type Err = ToleranceError;

    fn from_str(text: &str) -> Result<Self, ToleranceError> {
        let nothing = ToleranceError { share: 0.0 };
        let decimal = |text: &str| text.trim().parse::<f64>().map_err(|_| nothing);
        match text.strip_suffix('%') {
            Some(percent) => Self::new(decimal(percent)? / 100.0),
            // Without a point it may mean a percentage.
            None if text.contains('.') => Self::of_number(decimal(text)?),
            None => Err(nothing),
        }
    }
}

impl Default for Tolerance {
    fn default() -> Self {
        Self(Self::DEFAULT_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_read_as_a_percentage_a_share_or_a_ratio() {
        for (text, percent) in
            [("5%", 5.0), ("25%", 25.0), ("0.25", 25.0), ("1.25", 25.0), ("900%", 900.0)]
        {
            let share = text.parse().map(|it: Tolerance| (it.share() * 1e4).round() / 1e2);
            assert_eq!(share, Ok(percent), "{text}");
        }
    }

    #[test]
    fn a_ratio_is_the_same_tolerance_as_its_percentage() {
        for percent in 1..=900_u32 {
            let (whole, rest) = (1 + percent / 100, percent % 100);
            let ratio = format!("{whole}.{rest:02}").parse::<Tolerance>();
            assert_eq!(ratio, format!("{percent}%").parse(), "{percent}%");
        }
    }

    #[test]
    fn what_could_mean_two_things_or_nothing_is_no_tolerance() {
        for text in ["5", "1.0", "0%", "-5%", "0.0", "901%", "10.5", "NaN", "inf", "%", "", "a%"] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
    }
}
