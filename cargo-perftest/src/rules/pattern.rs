//! Patterns of names.

use perftest_core::model::BenchmarkPattern;
use perftest_store::Series;

/// A whole name, or the beginning of names and a `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamePattern(String);

impl NamePattern {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn all() -> Self {
        Self::new("*")
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == self.0,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a filter is for the test of a history. A whole name stays that of its test when the test is renamed.
/// A beginning is that of a group, which a renamed test may have left.
pub(super) fn is_for_test(filter: &BenchmarkPattern, series: &Series) -> bool {
    let has_former_name =
        || series.formerly.as_ref().is_some_and(|it| it.as_str() == filter.as_str());
    filter.matches(&series.benchmark) || has_former_name()
}
