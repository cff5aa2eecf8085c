//! What a recording of samples was asked for, and what it reported.

use perftest_process::protocol::{SamplingPlan, SamplingReport};
use std::path::Path;
use std::time::Duration;

/// What is known of samples besides the samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleRecording<'a> {
    pub(super) plan: &'a SamplingPlan,
    pub(super) report: &'a SamplingReport,
    /// Only iterations that take at least so long.
    pub(super) slower_than: Option<Duration>,
    /// The file of the sampled worker.
    pub(super) executable: &'a Path,
    /// The profile of the build.
    pub(super) profile: &'a str,
}
