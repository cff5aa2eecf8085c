//! The result of the comparison of a test.

use super::settled_by::settled_by;
use super::{CompareAnswer, SideNames};
use crate::report::{extend, object_of};
use perftest_core::fields::{fields_of_changes, fields_of_compared};
use perftest_core::judge::ComparisonResult;
use perftest_core::model::{
    BenchmarkId, Evidence, Instructions, Interval, Metric, MetricChange, Note, PairedResult, Reason,
};
use perftest_core::words::{cause, instructions, notes};
use perftest_process::TestOutcome;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::time::Duration;

/// The status of a compared test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CompareStatus {
    Measured(Box<ComparisonResult>),
    /// Nothing to measure.
    SameCode,
    OnlyInBase,
    OnlyInHead,
    /// The base could not be measured. That is not the head's fault.
    BaseFailed(String),
    /// The head could not be measured, or neither.
    Failed(String),
}

/// The comparison of one test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestComparison {
    pub(crate) benchmark: BenchmarkId,
    pub(crate) finding: CompareStatus,
    /// Whether the test has `on_red = "report"`, so that it fails nothing.
    pub(crate) is_report_only: bool,
    /// The ratio up to which an acceptance of the head allows it, where the test is beyond its own tolerance.
    pub(crate) accepted_ratio: Option<f64>,
    /// Instructions of both sides, or why they are missing; `None` if they are not counted.
    pub(crate) instructions: Option<Result<Instructions, String>>,
    /// The changes of the metrics beside wall time.
    pub(crate) changes: Vec<MetricChange>,
    /// Stages and metrics that the history did not decide. Only wall time is compared, so they stay open.
    pub(crate) not_compared: Vec<String>,
    /// The time of its pairs, without waits for other measuring processes.
    pub(crate) spent: Duration,
}

impl TestComparison {
    /// Orders worst first: failed tests, then measured ones by the lower bound of the ratio, then
    /// unmeasured ones.
    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        let rank = |answer: &Self| match &answer.finding {
            CompareStatus::BaseFailed(_) | CompareStatus::Failed(_) => (0, 0.0),
            CompareStatus::Measured(compared) => (1, -compared.ratio.lower),
            CompareStatus::OnlyInBase => (2, 0.0),
            CompareStatus::OnlyInHead => (3, 0.0),
            CompareStatus::SameCode => (4, 0.0),
        };
        let (own, others) = (rank(self), rank(other));
        own.0
            .cmp(&others.0)
            .then(own.1.total_cmp(&others.1))
            .then_with(|| self.benchmark.as_str().cmp(other.benchmark.as_str()))
    }

    /// Returns whether the base could not be measured.
    pub(crate) fn has_base_failed(&self) -> bool {
        matches!(self.finding, CompareStatus::BaseFailed(_))
    }

    /// Returns whether the head could not be measured, or neither side.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.finding, CompareStatus::Failed(_))
    }

    /// Returns whether this answer decides all that the history left open of this outcome.
    pub(crate) fn settles(&self, outcome: &TestOutcome) -> bool {
        let open = &outcome.open_beside_wall;
        let is_of_code = |name: &String| name != TestOutcome::LIMIT;
        let is_whole_answer = match &self.finding {
            // The same code may be over a limit all the same.
            CompareStatus::SameCode => open.iter().all(is_of_code),
            CompareStatus::Measured(it) => open.is_empty() && !it.reason.is_undecided(),
            CompareStatus::OnlyInBase | CompareStatus::OnlyInHead | CompareStatus::Failed(_) => {
                open.is_empty()
            }
            CompareStatus::BaseFailed(_) => false,
        };
        self.benchmark == outcome.benchmark && is_whole_answer
    }

    /// Returns whether the test has stages or metrics without an answer.
    pub(super) fn leaves_open(&self) -> bool {
        self.measured().is_some() && !self.not_compared.is_empty()
    }

    pub(super) fn measured(&self) -> Option<&ComparisonResult> {
        match &self.finding {
            CompareStatus::Measured(compared) => Some(compared),
            _ => None,
        }
    }

    /// `1.35x slower, at least 1.28x`; `None` unless the test became slower.
    pub(crate) fn slowdown(&self) -> Option<String> {
        let slower = self.measured().filter(|it| it.reason == Reason::Red)?;
        let (estimate, lower) = (slower.ratio.estimate, slower.ratio.lower);
        Some(format!("{estimate:.2}x slower, at least {lower:.2}x"))
    }

    /// The answer in a sentence without the test: `1.35x slower, at least 1.28x beside main (a1b2c3d)`.
    pub(crate) fn sentence(&self, base: &str) -> String {
        let answer = match (self.slowdown(), self.measured()) {
            (Some(slowdown), _) => slowdown,
            (None, Some(it)) => format!("{} {}", self.in_words(), ratio_in_words(it.ratio)),
            (None, None) => self.in_words(),
        };
        format!("{answer} beside {base}")
    }

    /// Returns the evidence of the history with this answer in its place; `None` where nothing was compared, and where
    /// a limit is open: code that is no slower than the base may be over it all the same.
    pub(crate) fn in_place_of(&self, evidence: &Evidence) -> Option<Evidence> {
        let evidence = evidence.clone();
        match &self.finding {
            CompareStatus::SameCode if evidence.limit_is_open => None,
            CompareStatus::Measured(it)
                if evidence.limit_is_open
                    && matches!(it.reason, Reason::Green | Reason::Improved) =>
            {
                None
            }
            CompareStatus::SameCode => Some(Evidence { reason: Reason::SameCode, ..evidence }),
            CompareStatus::Measured(it) => Some(Evidence {
                reason: it.reason,
                degradation: Some(it.ratio),
                now: Some(it.head),
                before: Some(it.base),
                accepted_ratio: self.accepted_ratio,
                smallest_detectable: Some(it.smallest_detectable),
                noise: Some(it.noise),
                measurements: it.measurements,
                notes: it.notes.iter().chain(still_fails(&evidence, it)).cloned().collect(),
                ..evidence
            }),
            CompareStatus::OnlyInBase
            | CompareStatus::OnlyInHead
            | CompareStatus::BaseFailed(_)
            | CompareStatus::Failed(_) => None,
        }
    }

    pub(super) fn answer(&self) -> CompareAnswer {
        match &self.finding {
            CompareStatus::SameCode => CompareAnswer::SameCode,
            CompareStatus::OnlyInBase => CompareAnswer::OnlyInBase,
            CompareStatus::OnlyInHead => CompareAnswer::OnlyInHead,
            CompareStatus::BaseFailed(_) => CompareAnswer::BaseFailed,
            CompareStatus::Failed(_) => CompareAnswer::Failed,
            CompareStatus::Measured(compared) => match compared.reason {
                Reason::Red => CompareAnswer::Slower,
                Reason::Green if self.accepted_ratio.is_some() => CompareAnswer::Accepted,
                Reason::Green => CompareAnswer::NotSlower,
                Reason::Improved => CompareAnswer::Faster,
                Reason::Unstable => CompareAnswer::Unstable,
                _ => CompareAnswer::Undecided,
            },
        }
    }

    /// The answer in a word or two.
    pub(crate) fn in_words(&self) -> String {
        self.answer().in_words()
    }

    /// Returns a remark below the table.
    pub(crate) fn remark(&self) -> Option<String> {
        let is_slower = self.measured().is_some_and(|it| it.reason == Reason::Red);
        let only = (self.is_report_only && is_slower)
            .then(|| "on_red = \"report\": it fails nothing".to_owned());
        let accepted = self.accepted_ratio.map(|it| match is_slower {
            true => format!("slower than accepted ({it:.2}x and the tolerance)"),
            false => format!("accepted up to {it:.2}x"),
        });
        let settled_by = self.measured().and_then(|it| settled_by(it, self.spent));
        let remarks = [self.cause(), self.note(), settled_by, only, accepted, self.wall_alone()];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        (!remarks.is_empty()).then(|| format!("{}: {}", self.benchmark, remarks.join("; ")))
    }

    /// `only wall time was compared, not allocs`
    fn wall_alone(&self) -> Option<String> {
        let names = || self.not_compared.join(", ");
        self.leaves_open().then(|| format!("only wall time was compared, not {}", names()))
    }

    /// Returns what else changed with a slower test.
    fn cause(&self) -> Option<String> {
        let compared = self.measured().filter(|it| it.reason == Reason::Red)?;
        let pairs = PairedResult {
            now: compared.base.estimate,
            ratio: compared.ratio.estimate,
            instructions: self.instructions.as_ref().and_then(|it| it.as_ref().ok().copied()),
            changes: self.changes.clone(),
            ..PairedResult::default()
        };
        cause(&pairs, &Metric::wall())
    }

    /// Returns what limited the answer, or why there is none.
    fn note(&self) -> Option<String> {
        match &self.finding {
            CompareStatus::BaseFailed(why) | CompareStatus::Failed(why) => Some(why.clone()),
            CompareStatus::Measured(compared) => notes(&compared.notes),
            CompareStatus::SameCode | CompareStatus::OnlyInBase | CompareStatus::OnlyInHead => None,
        }
    }

    /// Returns a remark on the instructions of both sides, below the table.
    pub(crate) fn remark_on_instructions(&self) -> Option<String> {
        let remark = match self.instructions.as_ref()? {
            Ok(counted) => {
                let slower = self.measured().filter(|it| it.reason == Reason::Red);
                instructions(counted, slower.map(|it| it.ratio.estimate))
            }
            Err(why) => format!("the instructions were not counted: {why}"),
        };
        Some(format!("{}: {remark}", self.benchmark))
    }

    /// Returns the line that is printed while other tests are still measured.
    pub(crate) fn in_passing(&self) -> String {
        let ratio = self
            .measured()
            .map_or_else(String::new, |it| format!(", {}", ratio_in_words(it.ratio)));
        format!("{}: {}{ratio}", self.benchmark, self.in_words())
    }

    pub(crate) fn as_json(&self, names: &SideNames) -> Value {
        let it = self.measured();
        let counted = self.instructions.as_ref().and_then(|it| it.as_ref().ok());
        let fields = it.map(fields_of_compared).unwrap_or_default();
        let mut value = json!({
            "event": "compare",
            "v": 1,
            "benchmark": self.benchmark.as_str(),
            "base": names.base.json,
            "head": names.head.json,
            "answer": self.answer().name(),
            "report_only": self.is_report_only,
            "accepted_ratio": self.accepted_ratio,
            "not_compared": it.map(|_| &self.not_compared),
            "metric": it.map(|_| Metric::wall().name),
            "unit": it.map(|_| Metric::wall().unit),
            "base_instructions": counted.map(|it| it.before),
            "instructions": counted.map(|it| it.now),
            "instructions_by": counted.map(|it| it.counter.name()),
            "instructions_variation": counted.map(|it| it.variation),
            "seconds": it.map(|_| self.spent.as_secs_f64()),
            "note": self.note(),
        });
        extend(&mut value, Value::Object(object_of(fields)));
        extend(&mut value, Value::Object(object_of(fields_of_changes(&self.changes))));
        value
    }
}

/// The note that the test fails by `on_unclear`, which a comparison without an answer does not settle.
fn still_fails<'a>(
    evidence: &'a Evidence,
    compared: &ComparisonResult,
) -> impl Iterator<Item = &'a Note> {
    let is_open = compared.reason.is_without_answer();
    evidence.notes.iter().filter(move |note| is_open && **note == Note::UnclearFails)
}

/// Formats a ratio with its bounds.
pub(crate) fn ratio_in_words(ratio: Interval) -> String {
    if ratio.estimate.is_nan() {
        return "-".into();
    }
    format!("{:.3}x [{:.3}, {:.3}]", ratio.estimate, ratio.lower, ratio.upper)
}

#[cfg(test)]
impl TestComparison {
    /// Creates a result for a test of this name.
    pub(crate) fn found(name: &str, finding: CompareStatus) -> Self {
        let benchmark = BenchmarkId::from_recorded(name);
        let spent = Duration::ZERO;
        Self {
            benchmark,
            finding,
            is_report_only: false,
            accepted_ratio: None,
            instructions: None,
            changes: Vec::new(),
            not_compared: Vec::new(),
            spent,
        }
    }

    /// Creates a result with measurements and this lower bound of its ratio.
    pub(crate) fn of_measured(name: &str, reason: Reason, lower: f64) -> Self {
        let interval = |estimate, lower, upper| Interval { estimate, lower, upper };
        let compared = ComparisonResult {
            reason,
            ratio: interval(lower + 0.01, lower, lower + 0.02),
            base: interval(1e3, 1e3, 1e3),
            head: interval(2e3, 2e3, 2e3),
            pairs: 5,
            measurements: 150,
            noise: 0.01,
            smallest_detectable: f64::INFINITY,
            needed_pairs: None,
            notes: Vec::new(),
        };
        Self::found(name, CompareStatus::Measured(Box::new(compared)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareConclusion;
    use perftest_core::model::InstructionCounter;
    use perftest_store::conformance::example_run;
    use std::path::Path;

    fn mixed() -> Vec<TestComparison> {
        vec![
            TestComparison::found("same", CompareStatus::SameCode),
            TestComparison::of_measured("faster", Reason::Improved, 0.5),
            TestComparison::of_measured("slower", Reason::Red, 1.9),
            TestComparison::found("new", CompareStatus::OnlyInHead),
            TestComparison::of_measured("less slow", Reason::Red, 1.1),
            TestComparison::found("broken", CompareStatus::Failed("head: gone".into())),
            TestComparison::found("old", CompareStatus::OnlyInBase),
        ]
    }

    #[test]
    fn the_worst_comes_first() {
        let mut answers = mixed();
        answers.sort_by(TestComparison::worst_first);
        let names: Vec<&str> = answers.iter().map(|it| it.benchmark.as_str()).collect();
        assert_eq!(names, ["broken", "slower", "less slow", "faster", "old", "new", "same"]);
    }

    #[test]
    fn a_test_that_only_reports_is_reported_as_slower_and_fails_nothing() {
        let report = |reason| TestComparison {
            is_report_only: true,
            ..TestComparison::of_measured("slow", reason, 1.9)
        };
        let answers = [report(Reason::Red), report(Reason::Unclear)];
        assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::NothingSlower);
        assert_eq!(answers[0].answer(), CompareAnswer::Slower);
        assert_eq!(answers[0].remark().unwrap(), "slow: on_red = \"report\": it fails nothing");
        assert!(!answers[1].remark().unwrap().contains("on_red"));
    }

    #[test]
    fn a_test_of_which_only_wall_time_was_compared_says_what_is_open() {
        let names = SideNames { base: Path::new("a").into(), head: Path::new("b").into() };
        let partly = |finding| TestComparison {
            not_compared: vec!["pack".into(), "allocs".into()],
            ..TestComparison::found("t", finding)
        };
        let green = TestComparison::of_measured("t", Reason::Green, 1.0).finding;
        let answers = [partly(green)];
        let remark = answers[0].remark().unwrap();
        assert_eq!(remark, "t: only wall time was compared, not pack, allocs");
        assert_eq!(answers[0].as_json(&names)["not_compared"], json!(["pack", "allocs"]));
        assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::Undecided);
        assert_eq!(CompareConclusion::of(&answers, false), CompareConclusion::NothingSlower);
        for settled in [CompareStatus::SameCode, CompareStatus::OnlyInHead] {
            let answers = [partly(settled)];
            assert_eq!(answers[0].remark(), None);
            assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::NothingSlower);
        }
    }

    #[test]
    fn a_failure_by_on_unclear_ends_with_an_answer_and_not_with_another_open_one() {
        let mut evidence = example_run(0).evidence.unwrap();
        evidence.notes = vec![Note::SlowOnlyAtFirst, Note::UnclearFails];
        let notes = |reason| {
            let compared = TestComparison::of_measured("t", reason, 1.0);
            compared.in_place_of(&evidence).unwrap().notes
        };
        assert_eq!(notes(Reason::Unclear), [Note::UnclearFails]);
        assert!(notes(Reason::Green).is_empty());
    }

    #[test]
    fn a_limit_that_may_be_exceeded_stays_open_beside_a_base_that_is_no_faster() {
        let evidence = example_run(0).evidence.unwrap();
        let open = Evidence { limit_is_open: true, reason: Reason::Unclear, ..evidence };
        let answer = |reason| TestComparison::of_measured("t", reason, 1.0).in_place_of(&open);
        assert_eq!([Reason::Green, Reason::Improved].map(answer), [None, None]);
        assert_eq!(TestComparison::found("t", CompareStatus::SameCode).in_place_of(&open), None);
        assert_eq!(answer(Reason::Red).unwrap().reason, Reason::Red);
    }

    #[test]
    fn instructions_are_reported_beside_the_answer_and_do_not_change_it() {
        let counted = Instructions::of([1204.0; 2], [1204.0; 2], InstructionCounter::Valgrind);
        let slower = TestComparison::of_measured("slower", Reason::Red, 1.2);
        let with_counts = TestComparison { instructions: Some(Ok(counted)), ..slower.clone() };
        let remark = with_counts.remark_on_instructions().unwrap();
        assert!(remark.starts_with("slower: instructions 1,204 -> 1,204"), "{remark}");
        assert!(remark.contains("look at memory"), "{remark}");
        assert_eq!(with_counts.in_passing(), slower.in_passing());
        let missing = TestComparison { instructions: Some(Err("no valgrind".into())), ..slower };
        let remark = missing.remark_on_instructions().unwrap();
        assert_eq!(remark, "slower: the instructions were not counted: no valgrind");
    }

    #[test]
    fn what_is_not_known_is_left_out_and_no_broken_number() {
        let names = SideNames { base: Path::new("a").into(), head: Path::new("b").into() };
        let value = TestComparison::of_measured("slower", Reason::Red, 1.9).as_json(&names);
        assert_eq!(
            (&value["smallest_detectable"], &value["answer"]),
            (&Value::Null, &json!("slower"))
        );
        assert_eq!(value.get("verdict"), None, "the answer says the same");
        let value = TestComparison::found("old", CompareStatus::OnlyInBase).as_json(&names);
        assert_eq!((&value["ratio"], &value["answer"]), (&Value::Null, &json!("only_in_base")));
    }
}
