//! Names with a suffix that mutes their alarms.
//!
//! Source: Bencher. The name is stored without the suffix. Limits are computed all the same, so
//! that they exist when the suffix is removed.

const SUFFIXES: [&str; 3] = ["_bencher_ignore", "BencherIgnore", "-bencher-ignore"];

/// The name of a benchmark, and whether its alarms are muted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IgnoredName<'a> {
    /// The name without the suffix.
    pub stored: &'a str,
    /// Whether the name has a suffix.
    pub is_ignored: bool,
}

impl<'a> IgnoredName<'a> {
    /// Removes a suffix, at most one.
    ///
    /// ```
    /// use perftest_analysis::thresholds::IgnoredName;
    /// let flaky = IgnoredName::of("codec_bencher_ignore");
    /// assert_eq!((flaky.stored, flaky.is_ignored), ("codec", true));
    /// assert!(!IgnoredName::of("codec").is_ignored);
    /// ```
    pub fn of(name: &'a str) -> Self {
        let without = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
        Self { stored: without.unwrap_or(name), is_ignored: without.is_some() }
    }
}
