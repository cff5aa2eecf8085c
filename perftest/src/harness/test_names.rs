//! The names by which a runner selects the tests of this executable.

use crate::perf_test::PerfTest;

/// Whose names the runner has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestNames {
    /// Those of the perf tests, with their cases: a binary with `perftest::main!()`.
    PerfTests,
    /// Those of the ordinary tests that run them: a binary of libtest.
    OrdinaryTests,
}

impl TestNames {
    /// The name of a test, or of the ordinary test that runs all of its cases.
    pub(super) fn of(self, test: &PerfTest) -> String {
        match self {
            Self::PerfTests => test.listed_name(),
            Self::OrdinaryTests => test.ordinary_name(),
        }
    }
}
