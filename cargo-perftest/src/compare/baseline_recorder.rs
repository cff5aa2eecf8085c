//! Records a baseline by running the tests of the base.

use super::SideTest;
use super::baseline_progress::BaselineProgress;
use crate::exit::Result;
use crate::outcome_file::OutcomeFile;
use perftest_process::{OUTCOMES_VARIABLE, TestOutcome};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Variables of CI jobs with the checked-out branch, which is not that of the base, and with the summary of
/// the job, which is not about the base.
const OF_HEAD: [&str; 5] = [
    "GITHUB_STEP_SUMMARY",
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
];

/// Runs tests until they have a history.
#[derive(Debug)]
pub(crate) struct BaselineRecorder {
    store: PathBuf,
    outcomes: OutcomeFile,
}

impl BaselineRecorder {
    /// Creates a recorder for the store at this absolute path.
    pub(crate) fn new(store: PathBuf) -> Result<Self> {
        Ok(Self { store, outcomes: OutcomeFile::new()? })
    }

    /// Records the missing runs of each of these tests. The tests take turns, so that the runs of one test are
    /// spread over time.
    pub(crate) fn record_baselines(
        &self,
        tests: impl IntoIterator<Item = SideTest>,
    ) -> Result<Vec<BaselineProgress>> {
        let mut progresses: Vec<(SideTest, BaselineProgress)> = tests
            .into_iter()
            .map(|test| (test.clone(), BaselineProgress::new(test.listed.benchmark)))
            .collect();
        while progresses.iter().any(|(_, progress)| !progress.is_over()) {
            for (test, progress) in
                progresses.iter_mut().filter(|(_, progress)| !progress.is_over())
            {
                self.run(test, progress)?;
            }
        }
        Ok(progresses.into_iter().map(|(_, progress)| progress).collect())
    }

    fn run(&self, test: &SideTest, progress: &mut BaselineProgress) -> Result<()> {
        let output = match self.command(test).output() {
            Ok(output) => output,
            Err(error) => {
                progress.give_up(&format!("it cannot be started: {error}"));
                return Ok(());
            }
        };
        // One ordinary test can run several cases.
        let of_test = |outcome: &TestOutcome| outcome.benchmark == test.listed.benchmark;
        match self.outcomes.take()?.into_iter().rfind(of_test) {
            Some(outcome) => progress.observe(&outcome),
            None => progress.give_up(&missing_outcome(&output)),
        }
        Ok(())
    }

    fn command(&self, test: &SideTest) -> Command {
        let mut command = test.executable.command();
        command
            .args(["--exact", "--test-threads=1"])
            .args(test.listed.runner_names())
            .env("PERFTEST_STORE", &self.store)
            .env(OUTCOMES_VARIABLE, self.outcomes.path())
            .stdin(Stdio::null());
        OF_HEAD.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
    }
}

/// Describes a process without an outcome of its test.
fn missing_outcome(output: &Output) -> String {
    if output.status.success() {
        return "its perftest is older than this tool and does not report how a test ended".into();
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let last = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("its process ended without an outcome ({}): {last}", output.status)
}
