//! Records a baseline by running the tests of the base.

use super::SideTest;
use super::baseline_progress::BaselineProgress;
use crate::exit::Result;
use crate::outcome_file::OutcomeFile;
use crate::scratch_file::ScratchFile;
use perftest_process::{OUTCOMES_VARIABLE, TestOutcome, wait_at_most};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Variables of CI jobs with the checked-out branch, which is not that of the base, and with the summary of
/// the job, which is not about the base.
const OF_HEAD: [&str; 5] = [
    "GITHUB_STEP_SUMMARY",
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
];

/// Longest time of one run, whatever budgets and cases its tests have. A body that hangs is ended by the harness before.
const LONGEST_RUN: Duration = Duration::from_secs(3_600);

/// Runs tests until they have a history.
#[derive(Debug)]
pub(crate) struct BaselineRecorder {
    store: PathBuf,
    outcomes: OutcomeFile,
    longest: Duration,
}

impl BaselineRecorder {
    /// Creates a recorder for the store at this absolute path.
    pub(crate) fn new(store: PathBuf) -> Result<Self> {
        Ok(Self { store, outcomes: OutcomeFile::new()?, longest: LONGEST_RUN })
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
        let errors = ScratchFile::new("errors")?;
        let mut command = self.command(test);
        let status = match command.stdout(Stdio::null()).stderr(errors.as_output()?).spawn() {
            Ok(mut child) => wait_at_most(&mut child, self.longest),
            Err(error) => {
                progress.give_up(&format!("it cannot be started: {error}"));
                return Ok(());
            }
        };
        // One ordinary test can run several cases.
        let of_test = |outcome: &TestOutcome| outcome.benchmark == test.listed.benchmark;
        match self.outcomes.take()?.into_iter().rfind(of_test) {
            Some(outcome) => progress.observe(&outcome),
            None => progress.give_up(&self.missing_outcome(status, &errors.text()?)),
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

    /// Describes a process without an outcome of its test.
    fn missing_outcome(&self, status: Option<ExitStatus>, errors: &str) -> String {
        let Some(status) = status else {
            let longest = self.longest.as_secs_f64() / 60.0;
            return format!("its process did not end within {longest} minutes and was stopped");
        };
        if status.success() {
            return "its perftest is older than this tool and does not report how a test ended"
                .into();
        }
        let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        format!("its process ended without an outcome ({status}): {last}")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::compare::build::Executable;
    use perftest_store::conformance::scratch;
    use std::fs;

    #[test]
    fn a_test_that_hangs_is_stopped_and_given_up() {
        let directory = scratch("hangs");
        let mut test = SideTest::named("codec::encode");
        test.executable = Executable::of_script(&directory, "exec sleep 600");
        let usual = BaselineRecorder::new(directory.join("store")).unwrap();
        let recorder = BaselineRecorder { longest: Duration::from_millis(120), ..usual };
        let why = recorder.record_baselines([test]).unwrap()[0].to_string();
        assert!(
            why.ends_with("its process did not end within 0.002 minutes and was stopped"),
            "{why}"
        );
    }

    #[test]
    fn a_process_that_a_test_leaves_running_is_not_waited_for() {
        let directory = scratch("left-running");
        fs::write(directory.join("running"), "").unwrap();
        let wait = "for i in $(seq 100); do test -e running || exit; sleep 0.1; done";
        let script = format!("({wait}; touch waited) &\necho 'the corpus is gone' >&2; exit 3");
        let mut test = SideTest::named("codec::encode");
        test.executable = Executable::of_script(&directory, &script);
        let recorder = BaselineRecorder::new(directory.join("store")).unwrap();
        let progress = recorder.record_baselines([test]).unwrap();
        assert!(!directory.join("waited").exists(), "its output was read to the end");
        let why = progress[0].to_string();
        assert!(why.ends_with("an outcome (exit status: 3): the corpus is gone"), "{why}");
    }
}
