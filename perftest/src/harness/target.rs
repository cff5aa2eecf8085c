//! The kind of a binary of our own.

/// The kind of target: it decides how tests are listed, and when they are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// `[[test]]`
    Test,
    /// `[[bench]]`
    Bench,
}

impl Target {
    /// Splits this many perf tests into libtest's counts of tests and benchmarks.
    pub(super) fn counts(self, perf_tests: usize) -> (usize, usize) {
        match self {
            Self::Test => (perf_tests, 0),
            Self::Bench => (0, perf_tests),
        }
    }
}
