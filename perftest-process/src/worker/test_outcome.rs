//! The outcome of a perf test, reported to the program that started its process. It does not depend
//! on the runner's output or on a record.

use super::message::{
    ProtocolError, ProtocolLine, begin_message, finish, read_message, unknown_message,
};
use perftest_core::model::{BenchmarkId, Outcome, Reason};
use perftest_store::line::Fields;
use perftest_store::{open_regular, read_regular_text};
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

/// Largest size of the file, enough for tens of thousands of tests.
const MOST_BYTES: u64 = 256 << 20;

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
    /// The result line of the test, without name and colour.
    pub line: Option<String>,
    /// What limits the outcome, or why the test failed, in words.
    pub note: Option<String>,
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
        let is_open = |reason| {
            matches!(
                reason,
                Reason::Unclear | Reason::Unstable | Reason::Untrusted | Reason::NotAlone
            )
        };
        self.lacks_baseline() || is_open(self.reason)
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

    /// Reads all outcomes of a file, in the order of appending.
    ///
    /// # Errors
    /// A message when the file cannot be read, or was written by another version of perftest.
    pub fn read_all(file: &Path) -> Result<Vec<Self>, String> {
        let cannot = |why: String| format!("`{}` cannot be read: {why}", file.display());
        let text =
            read_regular_text(file, MOST_BYTES).map_err(|error| cannot(error.to_string()))?;
        let decoded = text.lines().map(Self::decode);
        let outcomes = decoded.filter_map(|line| match line {
            Ok(ProtocolLine::Message(outcome)) => Some(Ok(outcome)),
            Ok(ProtocolLine::Stray) => None,
            Err(error) => Some(Err(cannot(error.to_string()))),
        });
        outcomes.collect()
    }

    /// One line of such a file, while it is being written; `None` where it holds no outcome that can be
    /// read.
    pub fn of_line(line: &str) -> Option<Self> {
        match Self::decode(line) {
            Ok(ProtocolLine::Message(outcome)) => Some(outcome),
            Ok(ProtocolLine::Stray) | Err(_) => None,
        }
    }

    fn encode(&self) -> String {
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
        line.put_known("line", self.line.as_deref());
        line.put_known("note", self.note.as_deref());
        format!("\n{}", finish(line))
    }

    fn decode(line: &str) -> Result<ProtocolLine<Self>, ProtocolError> {
        let Some((kind, fields)) = read_message(line)? else {
            return Ok(ProtocolLine::Stray);
        };
        if kind != "ended" {
            return Err(unknown_message(&kind));
        }
        let verdict: Option<String> = fields.get("verdict")?;
        let judged = match verdict {
            None => None,
            Some(name) => {
                let baseline_runs = fields.need("bln")?;
                Some(JudgedOutcome {
                    reason: Reason::from_name(&name).ok_or_else(|| unknown_message(&name))?,
                    baseline_runs,
                    // Older executables report one series only.
                    fewest_runs: fields.get("blmin")?.unwrap_or(baseline_runs),
                    baseline_needed: fields.need("bneed")?,
                    counts_for_baseline: fields.need("counts_for_baseline")?,
                    // Older executables omit this key.
                    is_accepted: fields.get("accepted")?.unwrap_or(false),
                })
            }
        };
        Ok(ProtocolLine::Message(Self {
            benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
            has_failed: fields.need("failed")?,
            // Older executables omit this key.
            is_unjudged: fields.get("unjudged")?.unwrap_or(false),
            judged,
            series: series_in(&fields)?,
            line: fields.get("line")?,
            note: fields.get("note")?,
        }))
    }
}

/// Executables of before name none.
fn series_in(fields: &Fields<'_>) -> Result<Option<DecidingSeries>, ProtocolError> {
    let Some(name) = fields.get::<String>("series")? else {
        return Ok(None);
    };
    Ok(Some(DecidingSeries {
        benchmark: BenchmarkId::from_recorded(name),
        metric: fields.need("metric")?,
        degradation: fields.get("ratio")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    fn outcome(name: &str, reason: Option<Reason>) -> TestOutcome {
        let judged = reason.map(|reason| JudgedOutcome {
            reason,
            baseline_runs: 2,
            fewest_runs: 1,
            baseline_needed: 5,
            counts_for_baseline: true,
            is_accepted: true,
        });
        let has_failed = judged.is_none_or(|it| it.reason.outcome() == Outcome::Failed);
        let benchmark = BenchmarkId::from_recorded(name);
        let series = judged.map(|_| DecidingSeries {
            benchmark: benchmark.stage("pack"),
            metric: "wall".into(),
            degradation: Some(1.25),
        });
        TestOutcome {
            benchmark,
            has_failed,
            is_unjudged: false,
            judged,
            series,
            line: Some("12.04 us    1.39x slower".into()),
            note: Some("a \"note\"\nof two lines".into()),
        }
    }

    #[test]
    fn outcomes_read_back_exactly_and_in_order() {
        let directory = scratch("outcomes");
        let file = directory.join("outcomes");
        let outcomes = [outcome("t::a", Some(Reason::Red)), outcome("t::b", None)];
        outcomes.iter().for_each(|outcome| outcome.append_to(&file).unwrap());
        assert_eq!(TestOutcome::read_all(&file).unwrap(), outcomes);
    }

    #[test]
    fn a_ratio_without_bounds_is_left_out_and_the_outcome_stays() {
        let mut endless = outcome("t", Some(Reason::Red));
        endless.series.as_mut().unwrap().degradation = Some(f64::INFINITY);
        let read = TestOutcome::of_line(endless.encode().trim()).unwrap();
        assert_eq!(read.series.unwrap().degradation, None);
        assert_eq!(TestOutcome::of_line("half a li"), None);
    }

    #[test]
    fn a_failed_body_is_no_degradation() {
        let failed_for_speed = |reason| outcome("t", reason).has_failed_for_speed();
        assert!(failed_for_speed(Some(Reason::Red)));
        assert!(failed_for_speed(Some(Reason::Unaccepted)));
        assert!(!failed_for_speed(None));
        assert!(!failed_for_speed(Some(Reason::Unclear)));
        // As with `on_unclear = "fail"`.
        let strict = TestOutcome { has_failed: true, ..outcome("t", Some(Reason::Unclear)) };
        assert!(strict.has_failed_by_verdict() && !strict.has_failed_for_speed());
        assert!(!outcome("t", None).has_failed_by_verdict());
        let unjudged = TestOutcome { is_unjudged: true, ..strict };
        assert!(unjudged.has_failed_unjudged() && !unjudged.has_failed_by_verdict());
    }

    #[test]
    fn a_line_of_another_version_is_refused_with_the_file() {
        let directory = scratch("old-outcomes");
        let file = directory.join("outcomes");
        std::fs::write(&file, "{\"perftest\":1,\"say\":\"ended\"}\n").unwrap();
        let refused = TestOutcome::read_all(&file).unwrap_err();
        assert!(refused.contains("outcomes"), "{refused}");
    }
}
