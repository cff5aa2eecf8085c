//! Selects perf tests by name.

use super::BenchmarkId;
use std::fmt;

/// The name of one perf test, or the common beginning of several names followed by `*`.
///
/// ```
/// use perftest_core::model::{BenchmarkId, BenchmarkPattern};
/// let encode = BenchmarkId::from_recorded("codec::frame::encode");
/// assert!(BenchmarkPattern::new("codec::frame::encode").matches(&encode));
/// assert!(BenchmarkPattern::new("codec::*").matches(&encode));
/// assert!(!BenchmarkPattern::new("codec::frame").matches(&encode));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BenchmarkPattern(String);

impl BenchmarkPattern {
    /// Creates a pattern from a whole name, or a beginning and `*`.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Returns whether the pattern selects the perf test.
    pub fn matches(&self, benchmark: &BenchmarkId) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => benchmark.as_str().starts_with(beginning),
            None => benchmark.as_str() == self.0,
        }
    }

    /// Returns whether it may select several perf tests.
    pub fn is_of_several(&self) -> bool {
        self.0.ends_with('*')
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&BenchmarkId> for BenchmarkPattern {
    fn from(benchmark: &BenchmarkId) -> Self {
        Self::new(benchmark.as_str())
    }
}

impl fmt::Display for BenchmarkPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
