//! The release of Bencher whose formulas a threshold uses.

/// A release of Bencher.
///
/// Before 0.6.3 a deviation was divided by n and not n - 1, and the t test had the interval of the mean
/// for that of the next value: limits were too tight, most with few values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// The formulas since 0.6.3.
    #[default]
    Present,
    /// The formulas of 0.6.2 and earlier.
    Bencher062,
}

impl Compat {
    /// Returns the release of a configured name: `0.6.2`.
    ///
    /// ```
    /// use perftest_analysis::thresholds::Compat;
    /// assert_eq!(Compat::from_name("0.6.2"), Some(Compat::Bencher062));
    /// assert_eq!(Compat::from_name("0.1"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        (name == "0.6.2").then_some(Self::Bencher062)
    }
}
