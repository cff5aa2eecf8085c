//! How the tests of a session ended: for its last lines, and for a CI job.

use crate::event::{MeasuredTest, TestEnd, TestReport, VersusTest};
use perftest_core::list::IntoList;
use perftest_core::model::{Note, Obstacle, Outcome, Reason, SourcePlace};
use perftest_core::order::sort_by;
use perftest_core::text::Text;
use perftest_core::words::{one_line, quantity, quoted, ratio_number, short_verdict};

/// The ending of a test whose body does not work.
const FAILED: &str = "failed";

/// The tests of this process that were measured, or failed.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionTotals {
    /// Each ending with its number of tests, in the order in which it was first met.
    counts: Vec<(&'static str, usize)>,
    /// Tests that need a look.
    findings: Vec<NotableTest>,
}

/// A test that needs a look.
#[derive(Debug, Clone)]
pub(crate) struct NotableTest {
    pub name: String,
    pub source: SourcePlace,
    pub has_failed: bool,
    /// It continues an attempt of this session that ended the same way.
    pub is_repeated: bool,
    /// Its name for `cargo perftest show`; `None` where it is not recorded.
    recorded_as: Option<String>,
    /// How much it matters beside others, and how much worse the test is.
    gravity: (u32, f64),
    /// The value now; empty where nothing was measured.
    pub value: String,
    /// What was found, in a few words.
    pub what: String,
}

impl SessionTotals {
    /// Counts a test. Where its function is, is only asked for a finding.
    pub(crate) fn add(&mut self, test: &TestReport, source: impl FnOnce() -> SourcePlace) {
        let Some(ending) = ending(test) else { return };
        match self.counts.iter_mut().find(|(known, _)| *known == ending) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((ending, 1)),
        }
        let is_unjudged = matches!(test.end, TestEnd::Unjudged(_));
        if test.outcome() == Outcome::Failed || test.must_be_shown() || is_unjudged {
            self.findings.push(NotableTest::of(test, source()));
        }
    }

    /// The findings, worst first.
    pub(crate) fn worst_first(&self) -> Vec<&NotableTest> {
        let mut findings: Vec<&NotableTest> = self.findings.iter().into_list();
        sort_by(&mut findings, &|a, b| {
            let of = |it: &NotableTest| (it.has_failed, it.gravity.0);
            of(b).cmp(&of(a)).then(b.gravity.1.total_cmp(&a.gravity.1))
        });
        findings
    }

    /// `12 green, 1 red, 2 unclear`; empty where nothing was measured and nothing failed.
    pub(crate) fn counts(&self) -> String {
        let count = |(ending, count): &(&str, usize)| format!("{count} {ending}");
        self.counts.iter().map(count).joined(", ")
    }

    /// The last lines of a session: counts, the worst failed test, and the command with more of it. Empty
    /// where nothing was measured.
    pub(crate) fn last_lines(&self, warnings: usize) -> Vec<(&'static str, String)> {
        if self.counts.iter().all(|(ending, _)| *ending == FAILED) {
            return Vec::new();
        }
        let warnings = match warnings {
            0 => String::new(),
            1 => "; 1 warning above".to_owned(),
            many => format!("; {many} warnings above"),
        };
        let mut lines = vec![("verdicts", self.counts() + &warnings)];
        if let Some(worst) = self.worst_first().first().filter(|it| it.has_failed) {
            lines.push(("worst", worst.line()));
            let recorded = worst.recorded_as.as_ref();
            let command = recorded.map(|name| format!("cargo perftest show {}", quoted(name)));
            lines.extend(command.map(|command| ("more", command)));
        }
        lines
    }
}

impl NotableTest {
    fn of(test: &TestReport, source: SourcePlace) -> Self {
        let mut finding = Self {
            name: one_line(&test.name).into_owned(),
            source,
            has_failed: test.outcome() == Outcome::Failed,
            is_repeated: false,
            recorded_as: None,
            gravity: (0, 0.0),
            value: String::new(),
            what: String::new(),
        };
        match &test.end {
            TestEnd::Judged(judged) => {
                finding.recorded_as = Some(test.benchmark.to_string());
                finding.put_judged(judged);
            }
            TestEnd::Compared(compared) => finding.put_compared(compared),
            // Nothing is graver than a test that does not work.
            TestEnd::Failed(why) => {
                finding.gravity.0 = u32::MAX;
                finding.what = why.each_line().next().unwrap_or_default().to_owned();
            }
            TestEnd::Unjudged(_) | TestEnd::Smoke(_) | TestEnd::Ignored(_) => {}
        }
        if let Some(hindrance) = test.hindrance() {
            finding.what = hindrance.obstacle.to_string();
        }
        finding.what = one_line(&finding.what).into_owned();
        finding
    }

    fn put_judged(&mut self, judged: &MeasuredTest) {
        let series = &judged.gravest;
        let evidence = &series.evidence;
        let is_continued = |note: &Note| matches!(note, Note::ContinuesAttempt { .. });
        self.is_repeated = evidence.notes.iter().any(is_continued);
        let worse = evidence.degradation.map_or(0.0, |degradation| degradation.lower);
        self.gravity = (evidence.reason.gravity(), worse);
        let metric = series.series_kind.metric();
        let value = |now| quantity(now, &metric.unit);
        self.value = evidence.now.map_or_else(String::new, |now| value(now.estimate));
        self.what = series.prefix() + &short_verdict(evidence, &metric);
    }

    fn put_compared(&mut self, versus: &VersusTest) {
        let compared = &versus.compared;
        self.gravity = (compared.reason.gravity(), compared.ratio.lower);
        self.value = quantity(compared.head.estimate, &versus.metric.unit);
        let of = format!("{}x of {}", ratio_number(compared.ratio.estimate), versus.rival);
        self.what = match compared.reason {
            Reason::Red => format!("{of}, at least {:.2}x", compared.ratio.lower),
            _ => format!("{}: {of}", in_words(reason_beside_rival(versus))),
        };
    }

    /// The finding in one line: `render_table 1.35x slower, at least 1.28x`.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.name, self.what)
    }
}

/// What is counted of a test; `None` where it was neither measured nor failed.
fn ending(test: &TestReport) -> Option<&'static str> {
    if let Some(hindrance) = test.hindrance() {
        return Some(ending_by(&hindrance.obstacle));
    }
    match &test.end {
        TestEnd::Judged(judged) if judged.is_accepted() => Some("accepted"),
        TestEnd::Judged(judged) => Some(in_words(judged.gravest.evidence.reason)),
        TestEnd::Compared(versus) => Some(in_words(reason_beside_rival(versus))),
        TestEnd::Failed(_) => Some(FAILED),
        TestEnd::Unjudged(_) | TestEnd::Smoke(_) | TestEnd::Ignored(_) => None,
    }
}

/// The words with which the line of such a test begins.
fn ending_by(obstacle: &Obstacle) -> &'static str {
    match obstacle {
        Obstacle::UnwritableHistory(_) => "not recorded",
        Obstacle::ChangedFiles => "not counted",
        Obstacle::UnreadableHistory(_)
        | Obstacle::UnknownCommit(_)
        | Obstacle::NoLock(_)
        | Obstacle::NoFreshProcess(_) => "not judged",
    }
}

/// Faster than its rival is what such a test is for: nothing improved.
fn reason_beside_rival(versus: &VersusTest) -> Reason {
    match versus.compared.reason {
        Reason::Improved => Reason::Green,
        reason => reason,
    }
}

fn in_words(reason: Reason) -> &'static str {
    match reason {
        Reason::OverLimit => "over the limit",
        Reason::NotMeasurable => "not measurable",
        Reason::NoBaseline => "without a baseline",
        Reason::NotAlone => "not alone",
        Reason::SameCode => "of unchanged code",
        Reason::MachineSlower => "on a slower machine",
        Reason::Unaccepted => "not accepted yet",
        short => short.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Hindrance, JudgedSeries};
    use perftest_core::judge::{Policy, Step, StepAnswer, Trial};
    use perftest_core::model::{
        Baseline, BaselineRule, BenchmarkId, Direction, Environment, Evidence, Measurement,
        Revision, SeriesKind,
    };
    use std::time::Duration;

    fn report(name: &str, end: TestEnd) -> TestReport {
        TestReport {
            name: name.to_owned(),
            benchmark: BenchmarkId::from_recorded(name),
            again: String::new(),
            place: "tests/perf.rs:1".to_owned(),
            end,
            spent: Duration::ZERO,
        }
    }

    fn place() -> SourcePlace {
        SourcePlace { file: "tests/perf.rs".into(), line: 1 }
    }

    #[test]
    fn what_was_not_measured_has_no_last_lines() {
        let mut totals = SessionTotals::default();
        totals.add(&report("a", TestEnd::Smoke("unoptimised")), place);
        totals.add(&report("b", TestEnd::Ignored(None)), place);
        assert_eq!(totals.last_lines(3), []);
        assert_eq!(totals.counts(), "");
    }

    #[test]
    fn a_test_that_failed_is_the_worst_and_is_one_line() {
        let hindrance = |why: &str| Hindrance {
            obstacle: Obstacle::UnwritableHistory(why.to_owned()),
            outcome: Outcome::Passed,
        };
        let mut totals = SessionTotals::default();
        let why = "the body panicked\nat the third frame";
        totals.add(&report("::error::b", TestEnd::Failed(why.into())), place);
        assert_eq!(totals.last_lines(1), [], "nothing was measured");
        totals.add(&report("a", TestEnd::Unjudged(hindrance("no room left"))), place);
        let lines = totals.last_lines(1);
        assert_eq!(lines[0], ("verdicts", "1 failed, 1 not recorded; 1 warning above".to_owned()));
        assert_eq!(lines[1], ("worst", ": :error::b the body panicked".to_owned()));
        assert_eq!(lines.len(), 2, "what is not recorded has no more");
    }

    #[test]
    fn a_green_test_that_fails_because_it_was_not_recorded_is_not_counted_as_green() {
        let baseline = Baseline::empty(&BaselineRule::default());
        let policy = Policy { max_measurements: Some(1), ..Policy::default() };
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        trial.observe(StepAnswer::Measured(Measurement::of_value(1.0)), Duration::ZERO);
        let Step::Done(evidence) = trial.step() else {
            panic!("a trial that learns from one measurement ends with it");
        };
        let counts = |obstacle: Option<Obstacle>| {
            let gravest = JudgedSeries {
                series_kind: SeriesKind::Whole,
                outcome: Outcome::Passed,
                evidence: Evidence { reason: Reason::Green, ..*evidence.clone() },
                work: None,
            };
            let judged = MeasuredTest {
                gravest,
                others: Vec::new(),
                without_verdict: Vec::new(),
                environment: Environment::default(),
                testbed: String::new(),
                revision: Revision::default(),
                counts_for_baseline: false,
                hindrance: obstacle
                    .map(|obstacle| Hindrance { obstacle, outcome: Outcome::Failed }),
            };
            let mut totals = SessionTotals::default();
            totals.add(&report("a", TestEnd::Judged(Box::new(judged))), place);
            totals.counts()
        };
        assert_eq!(counts(None), "1 green");
        assert_eq!(counts(Some(Obstacle::UnwritableHistory("full".into()))), "1 not recorded");
        assert_eq!(counts(Some(Obstacle::UnknownCommit("no git".into()))), "1 not judged");
    }

    #[test]
    fn where_nothing_failed_no_test_is_the_worst() {
        let obstacle = Obstacle::UnwritableHistory("no room left".into());
        let hindrance = Hindrance { obstacle, outcome: Outcome::Passed };
        let mut totals = SessionTotals::default();
        totals.add(&report("a", TestEnd::Unjudged(hindrance)), place);
        assert_eq!(totals.last_lines(0), [("verdicts", "1 not recorded".to_owned())]);
    }
}
