//! The kind of a binary of our own.

/// What kind of target it is: how its tests are listed, and when they are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// `[[test]]`
    Test,
    /// `[[bench]]`
    Bench,
}

impl Target {
    /// Tests and benchmarks among so many perf tests.
    pub(super) fn counts(self, perf_tests: usize) -> (usize, usize) {
        match self {
            Self::Test => (perf_tests, 0),
            Self::Bench => (0, perf_tests),
        }
    }
}
