//! No recorder in this build.

use super::RecordedProfile;
use crate::args::profile::SamplingOptions;
use crate::compare::SideTest;
use crate::exit::{CommandError, Result};

/// Records nothing.
#[derive(Debug)]
pub(crate) struct Recorder;

impl Recorder {
    /// # Errors
    /// Always, with the reason.
    pub(crate) fn new(_options: &SamplingOptions, _profile: &str) -> Result<Self> {
        let why = if cfg!(feature = "profiler") {
            "the sampler works on Linux on x86-64 and AArch64 only"
        } else {
            "this cargo-perftest was built without its feature `profiler`"
        };
        Err(CommandError::Usage(format!(
            "profiles of tests are not available, because {why}. Record one with another profiler and \
             give its file: `cargo perftest profile --help` shows the formats"
        )))
    }

    /// # Errors
    /// Never called: there is no recorder.
    pub(crate) fn record(&self, _test: &SideTest) -> Result<RecordedProfile> {
        Err(CommandError::Usage("profiles of tests are not available".to_owned()))
    }
}
