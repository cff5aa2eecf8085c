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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{each, no_work};
    use crate::perf_test::tests::descriptor;
    use crate::registry::{Descriptor, Instance};

    #[test]
    fn a_case_is_selected_by_the_name_that_its_runner_lists() {
        const CASES: &[Instance] = &[Instance {
            label: "Vec<u8>",
            tests: &["encode::Vec_u8__64"],
            threads: 1,
            body: |job| each(job, [64], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            rival: None,
        }];
        let descriptor = Descriptor { instances: CASES, ..descriptor("perf", "encode") };
        let test = PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0);
        assert_eq!(TestNames::PerfTests.of(&test), "encode::Vec<u8>::64");
        assert_eq!(TestNames::OrdinaryTests.of(&test), "encode::Vec_u8__64");
    }
}
