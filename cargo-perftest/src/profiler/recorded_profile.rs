//! A profile of a test, and what it took to record it.

use perftest_analysis::profile::{IterationTime, Profile};
use perftest_core::model::Sample;
use perftest_process::protocol::{SampledClock, SamplingReport};

/// With a larger share of lost records the samples are of a part of the time: the last ones are lost.
const MOST_LOST: f64 = 0.005;

/// A sampled test.
#[derive(Debug)]
pub(crate) struct RecordedProfile {
    /// The name of the test.
    pub(crate) test: String,
    pub(crate) clock: SampledClock,
    pub(crate) profile: Profile,
    pub(crate) report: SamplingReport,
    /// Whether it is of all threads and iterations.
    pub(crate) is_whole: bool,
}

impl RecordedProfile {
    /// As [`overhead_of`].
    pub(crate) fn overhead(&self) -> Option<f64> {
        overhead_of(&self.report)
    }

    /// Pairs of blocks with and without samples.
    pub(crate) fn pairs(&self) -> usize {
        self.report.sampled_ns.len().min(self.report.unsampled_ns.len())
    }
}

#[cfg(test)]
impl RecordedProfile {
    /// A whole profile by this clock whose samples are all in this function.
    pub(crate) fn of_function(function: &str, clock: SampledClock) -> Self {
        let mut profile = perftest_analysis::profile::ProfileBuilder::default();
        assert!(profile.add(["main", function], 1_000, 1_000));
        let (profile, report) = (profile.finish(), SamplingReport::default());
        Self { test: String::new(), clock, profile, report, is_whole: true }
    }
}

/// The time of an iteration without samples; `None` where it is too long to take turns. Samples are also of set-up and
/// drops, so this time has them, too. `None` also where so many records are lost that the samples are of a part of the time.
pub(super) fn iteration_of(report: &SamplingReport, lost: u64) -> Option<IterationTime> {
    if lost as f64 > MOST_LOST * report.records as f64 {
        return None;
    }
    IterationTime::of_blocks(&report.unsampled_whole_ns, report.time.as_nanos() as f64)
}

/// How much longer an iteration took with samples than without, as a share of the time without; `None` where an
/// iteration is too long to take turns.
pub(super) fn overhead_of(report: &SamplingReport) -> Option<f64> {
    let with = Sample::median_of(&report.sampled_ns)?;
    let without = Sample::median_of(&report.unsampled_ns)?;
    (without > 0.0).then(|| with / without - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_pass_that_lost_samples_has_no_time_per_iteration() {
        let report = SamplingReport {
            records: 1_000,
            unsampled_whole_ns: vec![1e6; 20],
            time: Duration::from_secs(1),
            ..SamplingReport::default()
        };
        assert_eq!(iteration_of(&report, 5).map(|time| time.ns), Some(1e6));
        assert_eq!(iteration_of(&report, 6), None);
    }
}
