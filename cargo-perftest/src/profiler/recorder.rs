//! Samples a test in a worker process.

mod frame_trim;
mod loaded_files;
mod recording;
mod sample_directory;
mod sample_notes;
mod sample_reader;
mod sample_state;
mod stack_walker;
mod symbols;

use super::RecordedProfile;
use super::recorded_profile::{iteration_of, overhead_of};
use crate::args::profile::SamplingOptions;
use crate::compare::{SideTest, measuring_lock, worker_command};
use crate::exit::{CommandError, Result};
use crate::report::print_progress;
use perftest_process::protocol::SamplingPlan;
use perftest_process::sample_test;
use recording::SampleRecording;
use sample_directory::SampleDirectory;
use sample_reader::read_samples;
use std::time::Duration;

/// Records profiles with the same options.
#[derive(Debug)]
pub(crate) struct Recorder {
    plan: SamplingPlan,
    /// Only iterations that take at least so long.
    slower_than: Option<Duration>,
    /// Longest time without an answer of a worker, besides the time that it samples.
    longest: Duration,
    /// The profile of the build, for messages.
    profile: String,
}

impl Recorder {
    /// A recorder of tests that were built with this profile.
    ///
    /// # Errors
    /// Where no samples can be taken.
    pub(crate) fn new(options: &SamplingOptions, profile: &str) -> Result<Self> {
        Ok(Self {
            plan: options.plan(),
            slower_than: options.slower_than,
            longest: options.timeout,
            profile: profile.to_owned(),
        })
    }

    /// Runs the test in a process of its own and takes samples of all its threads.
    ///
    /// # Errors
    /// When the test fails, the process hangs, or no samples can be taken. Nothing else comes to harm.
    pub(crate) fn record(&self, test: &SideTest) -> Result<RecordedProfile> {
        let name = test.listed.benchmark.to_string();
        let failed = |why: String| CommandError::Usage(format!("no profile of `{name}`: {why}"));
        let _alone = measuring_lock().map_err(failed)?;
        let seconds = self.plan.time.as_secs_f64();
        print_progress(&format_args!("sampling {name} for {seconds} s"));
        let directory = SampleDirectory::new()
            .map_err(|error| failed(format!("no directory for the samples: {error}")))?;
        let file = directory.file("samples");
        let command = worker_command(test, self.longest);
        let report = sample_test(&command, &self.plan, &file, self.longest)
            .map_err(|why| failed(with_interruption(why)))?;
        let recording = SampleRecording {
            plan: &self.plan,
            report: &report,
            slower_than: self.slower_than,
            executable: &command.executable,
            profile: &self.profile,
        };
        let profile = read_samples(&file, &recording).map_err(failed)?;
        let is_whole = self.slower_than.is_none() && self.plan.threads.is_empty();
        let (test, clock) = (name.clone(), self.plan.clock);
        Ok(RecordedProfile { test, clock, profile, report, is_whole })
    }
}

/// Adds what interrupts system calls of a body while it is sampled, where its error says that one was.
fn with_interruption(why: String) -> String {
    if !["Interrupted", "EINTR"].iter().any(|words| why.contains(words)) {
        return why;
    }
    format!(
        "{why}\nThe signal of the samples interrupts some system calls. Call again after this error, or \
         record with --cpu, which interrupts them less"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_system_call_is_explained_by_the_samples() {
        let error = std::io::Error::from_raw_os_error(4);
        for why in [format!("the body failed: {error:?}"), format!("{error}")] {
            let explained = with_interruption(why.clone());
            assert!(explained.starts_with(&why) && explained.contains("--cpu"), "{explained}");
        }
        assert_eq!(with_interruption("no more work".into()), "no more work");
    }
}
