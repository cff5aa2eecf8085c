//! The outcome of a perf test, reported to the program that started its process. It does not depend
//! on the runner's output or on a record.

use super::message::{begin_message, finish};
use perftest_core::model::{BenchmarkId, Outcome, Reason};
use perftest_store::open_regular;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The environment variable with the file to which a test process appends the outcomes of its
/// perf tests.
pub const OUTCOMES_VARIABLE: &str = "PERFTEST_OUTCOMES";

/// The environment variable with the session of all test processes of one invocation, for runners that name
/// none.
pub const SESSION_VARIABLE: &str = "PERFTEST_SESSION";

/// The environment variable that a parent process sets when it compares tests without a baseline with a
/// base afterwards.
pub const BOOTSTRAP_VARIABLE: &str = "PERFTEST_BOOTSTRAP";

/// The outcome of one execution of one perf test.
#[derive(Debug, Clone, PartialEq)]
pub struct TestOutcome {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// Whether the test failed for the runner.
    pub has_failed: bool,
    /// Whether something outside the code prevented a verdict or a record, and the verdict is no
    /// failure.
    pub is_unjudged: bool,
    /// The verdict; `None` if the body failed or ran without a measurement.
    pub judged: Option<JudgedOutcome>,
    /// The series that decided how the test ended; `None` where none was measured.
    pub series: Option<DecidingSeries>,
    /// Stages and metrics beside the wall time of the whole test that the history did not decide, and [`Self::LIMIT`].
    pub open_beside_wall: Vec<String>,
    /// The result line of the test, without name and colour.
    pub line: Option<String>,
    /// What limits the outcome, or why the test failed, in words.
    pub note: Option<String>,
}

impl TestOutcome {
    /// Among what is open: a limit that may be exceeded. No stage or metric has such a name.
    pub const LIMIT: &str = "/limit";
}

/// The series of a test with the gravest verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidingSeries {
    /// The test, or a stage of it.
    pub benchmark: BenchmarkId,
    /// Name of what was measured.
    pub metric: String,
    /// How many times as bad as what it was compared with, at least; `None` where nothing was compared.
    pub degradation: Option<f64>,
}

/// A verdict and its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedOutcome {
    /// The reason of the verdict.
    pub reason: Reason,
    /// Baseline runs of the whole test.
    pub baseline_runs: u32,
    /// Baseline runs of the series with the fewest.
    pub fewest_runs: u32,
    /// Baseline runs that a verdict needs.
    pub baseline_needed: u32,
    /// Whether this run may enter a baseline. It was recorded, unless recording is off.
    pub counts_for_baseline: bool,
    /// Whether it passed only by an acceptance.
    pub is_accepted: bool,
}

impl JudgedOutcome {
    /// Returns whether the whole test had too few baseline runs. A further series with too few does
    /// not count: the test still has a verdict.
    pub fn lacks_baseline(&self) -> bool {
        self.baseline_runs < self.baseline_needed
    }

    /// Returns whether the history gave no answer, for lack of runs or because of disturbances.
    pub fn is_open(&self) -> bool {
        self.lacks_baseline() || self.reason.is_undecided()
    }
}

impl TestOutcome {
    /// Returns whether the test failed by its verdict and its settings, and not by its body.
    pub fn has_failed_by_verdict(&self) -> bool {
        self.has_failed && !self.is_unjudged && self.judged.is_some()
    }

    /// Returns whether the test failed for lack of a verdict or a record.
    pub fn has_failed_unjudged(&self) -> bool {
        self.has_failed && self.is_unjudged
    }

    /// Returns whether neither the history nor the body decided the outcome.
    pub fn is_open(&self) -> bool {
        self.is_unjudged || self.judged.is_some_and(|judged| judged.is_open())
    }

    /// Returns whether the test failed only for its speed.
    pub fn has_failed_for_speed(&self) -> bool {
        let is_failure = |judged: JudgedOutcome| judged.reason.outcome() == Outcome::Failed;
        self.has_failed && self.judged.is_some_and(is_failure)
    }

    /// Appends the outcome to a file. Several processes may do so at once.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_to(&self, file: &Path) -> io::Result<()> {
        let mut file = open_regular(file, File::options().append(true).create(true))?;
        file.write_all(self.encode().as_bytes())
    }

    pub(super) fn encode(&self) -> String {
        let mut line = begin_message("ended");
        line.put("bench", self.benchmark.as_str());
        line.put("failed", self.has_failed);
        line.put("unjudged", self.is_unjudged);
        if let Some(judged) = &self.judged {
            line.put("verdict", judged.reason.name());
            line.put("bln", judged.baseline_runs);
            line.put("blmin", judged.fewest_runs);
            line.put("bneed", judged.baseline_needed);
            line.put("counts_for_baseline", judged.counts_for_baseline);
            line.put("accepted", judged.is_accepted);
        }
        if let Some(series) = &self.series {
            line.put("series", series.benchmark.as_str());
            line.put("metric", series.metric.as_str());
            line.put_known("ratio", series.degradation.filter(|ratio| ratio.is_finite()));
        }
        line.put_list("open", &self.open_beside_wall);
        line.put_known("line", self.line.as_deref());
        line.put_known("note", self.note.as_deref());
        format!("\n{}", finish(line))
    }
}
