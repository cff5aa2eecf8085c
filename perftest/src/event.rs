//! The events of a run. Sinks consume these and nothing else.

use perftest_core::judge;
use perftest_core::model::{
    BenchmarkId, Environment, Evidence, Metric, Obstacle, Outcome, Reason, Revision, SeriesKind,
    Tolerance, Work,
};
use perftest_core::words::{SessionSummary, VersusText, one_line, verdict_line, versus_line};
use std::time::Duration;

/// One event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    /// Before the first test.
    SuiteStarted {
        /// Tests that will run.
        tests: usize,
        /// The seed of a random order.
        shuffle: Option<u64>,
        /// The machine and its history, in a few words; `None` when nothing is measured.
        machine: Option<&'a str>,
    },
    /// Before a test.
    TestStarted {
        /// Its listed name.
        name: &'a str,
    },
    /// After a test.
    TestEnded(&'a TestReport),
    /// A message that users need even if every test is green.
    Warning(&'a str),
    /// Something about the machine that changed no verdict.
    Remark(&'a str),
    /// After the last test, in a binary of our own.
    SuiteEnded(&'a FinalSummary),
}

/// The report of one test.
#[derive(Debug, Clone)]
pub(crate) struct TestReport {
    /// Its listed name.
    pub name: String,
    /// Identity across directories and binaries.
    pub benchmark: BenchmarkId,
    /// The command that runs it again.
    pub again: String,
    /// `src/sort.rs:12`
    pub place: String,
    /// The end of the test.
    pub end: TestEnd,
    /// The total time of the test.
    pub spent: Duration,
}

/// The end of a test.
#[derive(Debug, Clone)]
pub(crate) enum TestEnd {
    /// It was measured.
    Judged(Box<MeasuredTest>),
    /// It was compared with a function.
    Compared(Box<VersusTest>),
    /// It could not be measured or judged at all.
    Unjudged(Hindrance),
    /// Its body ran once, without a verdict, for this reason.
    Smoke(&'static str),
    /// Its body failed.
    Failed(String),
    /// It was not run, with its author's reason.
    Ignored(Option<&'static str>),
}

/// What prevented a verdict or a record.
#[derive(Debug, Clone)]
pub(crate) struct Hindrance {
    pub obstacle: Obstacle,
    /// The outcome for the test runner, unless the verdict is a failure.
    pub outcome: Outcome,
}

/// A measured test.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredTest {
    /// The series that decides the outcome of the test.
    pub gravest: JudgedSeries,
    /// The other series: the whole first, if it is among them.
    pub others: Vec<JudgedSeries>,
    /// Series without a verdict, with the reasons.
    pub without_verdict: Vec<(String, String)>,
    pub environment: Environment,
    pub testbed: String,
    pub revision: Revision,
    /// Whether the run may enter a baseline.
    pub counts_for_baseline: bool,
    pub hindrance: Option<Hindrance>,
}

impl MeasuredTest {
    /// All series, the gravest first.
    pub(crate) fn series(&self) -> impl Iterator<Item = &JudgedSeries> {
        [&self.gravest].into_iter().chain(&self.others)
    }

    /// Returns whether the test passed only by an acceptance of one of its series.
    pub(crate) fn is_accepted(&self) -> bool {
        let reason = self.gravest.evidence.reason;
        let has_passed = reason.is_good() || reason == Reason::MachineSlower;
        has_passed && self.series().any(|it| it.evidence.is_accepted())
    }
}

/// A test that was compared with a function.
#[derive(Debug, Clone)]
pub(crate) struct VersusTest {
    /// The name of the function, as the author writes it.
    pub rival: &'static str,
    /// The comparison; the test is the head.
    pub compared: judge::ComparisonResult,
    /// Whether each pair had two fresh processes; otherwise all were measured in this one.
    pub in_fresh_processes: bool,
    /// The outcome of the verdict for the test runner.
    pub outcome: Outcome,
    pub hindrance: Option<Hindrance>,
    pub tolerance: Tolerance,
    pub metric: Metric,
    /// The work of one iteration.
    pub work: Option<Work>,
    pub environment: Environment,
}

impl VersusTest {
    /// The data for the text.
    pub(crate) fn versus(&self) -> VersusText<'_> {
        let Self { rival, compared, in_fresh_processes, tolerance, metric, .. } = self;
        VersusText {
            rival,
            compared,
            in_fresh_processes: *in_fresh_processes,
            tolerance: *tolerance,
            metric,
        }
    }
}

/// One series of a measured test.
#[derive(Debug, Clone)]
pub(crate) struct JudgedSeries {
    /// The whole, its stage or its metric.
    pub series_kind: SeriesKind,
    /// The outcome of the series for the test runner: the settings may override the verdict.
    pub outcome: Outcome,
    pub evidence: Evidence,
    /// The work of one iteration; known only for the whole.
    pub work: Option<Work>,
}

impl JudgedSeries {
    /// Returns the gravest of several series, the first among equals, and all others in order. A
    /// failure is graver than any other result.
    pub(crate) fn gravest_and_others(mut all: Vec<Self>) -> Option<(Self, Vec<Self>)> {
        let gravity = |index: &usize| {
            let Self { outcome, evidence, .. } = &all[*index];
            (*outcome == Outcome::Failed, evidence.reason.gravity())
        };
        let gravest = (0..all.len()).rev().max_by_key(gravity)?;
        Some((all.remove(gravest), all))
    }

    /// Returns whether it is the series of the whole test.
    pub(crate) fn is_whole(&self) -> bool {
        self.series_kind == SeriesKind::Whole
    }

    /// Returns `lex: `, and nothing for the whole.
    pub(crate) fn prefix(&self) -> String {
        if self.is_whole() { String::new() } else { format!("{}: ", self.series_kind.name()) }
    }
}

impl TestReport {
    /// Returns the outcome for the test runner: a failed verdict outweighs an obstacle.
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.of_verdict(), self.hindrance()) {
            (Outcome::Passed, Some(hindrance)) => hindrance.outcome,
            (outcome, _) => outcome,
        }
    }

    /// Returns the outcome without the obstacle.
    fn of_verdict(&self) -> Outcome {
        match &self.end {
            TestEnd::Judged(judged) => judged.gravest.outcome,
            TestEnd::Compared(it) => it.outcome,
            TestEnd::Smoke(_) | TestEnd::Unjudged(_) => Outcome::Passed,
            TestEnd::Failed(_) => Outcome::Failed,
            TestEnd::Ignored(_) => Outcome::Ignored,
        }
    }

    /// Returns what prevented a verdict or a record, if the verdict is no failure.
    pub(crate) fn hindrance(&self) -> Option<&Hindrance> {
        let hindrance = match &self.end {
            TestEnd::Judged(judged) => judged.hindrance.as_ref(),
            TestEnd::Compared(it) => it.hindrance.as_ref(),
            TestEnd::Unjudged(hindrance) => Some(hindrance),
            TestEnd::Smoke(_) | TestEnd::Failed(_) | TestEnd::Ignored(_) => None,
        };
        hindrance.filter(|_| self.of_verdict() == Outcome::Passed)
    }

    /// Returns the text of the result line after `ok` or `FAILED`; may be empty.
    pub(crate) fn line(&self) -> String {
        match &self.end {
            TestEnd::Judged(judged) => {
                let JudgedSeries { evidence, series_kind, work, .. } = &judged.gravest;
                judged.gravest.prefix() + &verdict_line(evidence, series_kind, *work)
            }
            TestEnd::Compared(it) => versus_line(&it.versus(), it.work),
            TestEnd::Unjudged(it) => one_line(&it.obstacle.to_string()).into_owned(),
            TestEnd::Smoke(why) => format!("not measured, ran once: {why}"),
            TestEnd::Failed(_) => String::new(),
            TestEnd::Ignored(why) => why.unwrap_or_default().to_owned(),
        }
    }

    /// Returns whether it passes without an answer, or despite a bad one: hiding that would suggest
    /// protection that is not there.
    pub(crate) fn must_be_shown(&self) -> bool {
        let is_no_answer = |reason: Reason| {
            !matches!(reason, Reason::Green | Reason::Improved | Reason::NoBaseline)
        };
        match &self.end {
            TestEnd::Judged(judged) => {
                let has_no_answer = |it: &JudgedSeries| is_no_answer(it.evidence.reason);
                !judged.without_verdict.is_empty() || judged.series().any(has_no_answer)
            }
            TestEnd::Compared(it) => is_no_answer(it.compared.reason),
            // The test has a warning already.
            TestEnd::Unjudged(_) => false,
            TestEnd::Smoke(_) | TestEnd::Failed(_) | TestEnd::Ignored(_) => false,
        }
    }
}

/// The summary of all tests of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct FinalSummary {
    pub passed: usize,
    pub ignored: usize,
    pub filtered_out: usize,
    /// The failed tests, in order.
    pub failed: Vec<TestReport>,
    pub spent: Duration,
    /// The conditions of the machine that prevented verdicts, if any.
    pub story: Option<SessionSummary>,
    /// Counts of the verdicts, the worst failed test, and the command with more of it.
    pub last_lines: Vec<(&'static str, String)>,
}

impl FinalSummary {
    /// Counts one more test.
    pub(crate) fn add(&mut self, report: TestReport) {
        match report.outcome() {
            Outcome::Passed => self.passed += 1,
            Outcome::Ignored => self.ignored += 1,
            Outcome::Failed => self.failed.push(report),
        }
    }

    /// Returns 0 when nothing failed, and 101 as libtest when a body failed. Otherwise 3 when a
    /// verdict is a failure (a degradation, or an improvement that is not accepted yet), or else 4:
    /// a test got no verdict or no record.
    pub(crate) fn exit_code(&self) -> u8 {
        let is_broken = |test: &TestReport| matches!(test.end, TestEnd::Failed(_));
        let is_verdict = |test: &TestReport| test.hindrance().is_none();
        match &self.failed[..] {
            [] => 0,
            failed if failed.iter().any(is_broken) => 101,
            failed if failed.iter().any(is_verdict) => 3,
            _ => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(end: TestEnd) -> TestReport {
        TestReport {
            name: "t".into(),
            benchmark: BenchmarkId::from_recorded("t"),
            again: String::new(),
            place: String::new(),
            end,
            spent: Duration::ZERO,
        }
    }

    #[test]
    fn a_broken_body_outweighs_degradations_in_the_exit_code() {
        let mut summary = FinalSummary::default();
        assert_eq!(summary.exit_code(), 0);
        summary.add(failed(TestEnd::Smoke("unoptimised")));
        summary.add(failed(TestEnd::Ignored(None)));
        assert_eq!((summary.exit_code(), summary.passed, summary.ignored), (0, 1, 1));
        summary.add(failed(TestEnd::Failed("the body panicked".into())));
        assert_eq!(summary.exit_code(), 101);
    }

    #[test]
    fn a_test_that_was_not_judged_has_a_code_of_its_own_below_any_other_failure() {
        let unjudged = |outcome| {
            let obstacle = Obstacle::UnwritableHistory("no room left".into());
            failed(TestEnd::Unjudged(Hindrance { obstacle, outcome }))
        };
        let mut summary = FinalSummary::default();
        summary.add(unjudged(Outcome::Passed));
        assert_eq!(summary.exit_code(), 0);
        summary.add(unjudged(Outcome::Failed));
        assert_eq!(summary.exit_code(), 4);
        summary.add(failed(TestEnd::Failed("the body panicked".into())));
        assert_eq!(summary.exit_code(), 101);
    }
}
