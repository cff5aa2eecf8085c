//! No sampler on this system.

use super::super::{Failure, Meter, Routine};
use perftest_process::protocol::{SamplingPlan, SamplingReport};
use std::path::Path;

/// Takes no samples.
#[derive(Debug)]
pub(crate) struct SamplingPass;

/// Makes the cases of the tests.
pub(crate) fn with_threads_of_cases<T>(make: impl FnOnce() -> T) -> T {
    make()
}

impl SamplingPass {
    /// Nothing to prepare.
    pub(crate) fn prepare() -> Self {
        Self
    }

    /// # Errors
    /// Always: the system is not supported.
    pub(crate) fn run(
        self,
        _routine: &mut dyn Routine,
        _meter: &Meter,
        _iterations: u64,
        _plan: &SamplingPlan,
        _file: &Path,
    ) -> Result<SamplingReport, Failure> {
        Err(Failure::Sampling("works on Linux on x86-64 and AArch64 only".to_owned()))
    }
}
