//! Compares one test after the other.

use super::{CodeCheck, CompareStatus, Counting, MatchedTest, Measurer, SameCode, TestComparison};
use crate::report::print_progress;
use perftest_core::model::{Acceptance, BenchmarkId};
use perftest_store::Testbeds;
use std::time::{Duration, Instant, SystemTime};

/// The tools for measuring all tests.
pub(crate) struct CompareSession {
    /// `None` if tests with the same code are measured too.
    pub(super) check: Option<CodeCheck>,
    pub(super) measurer: Measurer,
    pub(super) counting: Counting,
    /// What the head may be slower.
    pub(super) acceptances: Vec<Acceptance>,
    /// That of this machine.
    pub(super) testbed: String,
}

impl CompareSession {
    /// A session without acceptances, as executables come.
    pub(crate) fn new(check: Option<CodeCheck>, measurer: Measurer, counting: Counting) -> Self {
        let (acceptances, testbed) = Default::default();
        Self { check, measurer, counting, acceptances, testbed }
    }

    /// Gives this machine's testbed, and those of the acceptances, the names by which they are read.
    pub(super) fn read_as(mut self, testbeds: &Testbeds) -> Self {
        testbeds.rename_in(&mut self.acceptances);
        self.testbed = testbeds.name_of(&self.testbed);
        self
    }

    /// Returns the results of these tests, worst first; without those that did not begin in time. Other code is measured
    /// before other data.
    pub(crate) fn answers(mut self, tests: Vec<(BenchmarkId, MatchedTest)>) -> Vec<TestComparison> {
        let count = tests.len();
        let mut answers: Vec<TestComparison> = Vec::new();
        for QueuedTest { benchmark, matched, same_code } in self.queue(tests) {
            let is_over = self.measurer.end.is_some_and(|end| Instant::now() >= end);
            let same_code = same_code.filter(|it| it.data_file.is_none());
            if is_over && same_code.is_none() {
                continue;
            }
            let answer = self.answer(benchmark, matched, same_code);
            print_progress(&format_args!(
                "[{}/{count}] {}",
                answers.len() + 1,
                answer.in_passing()
            ));
            answers.push(answer);
        }
        answers.sort_by(TestComparison::worst_first);
        answers
    }

    /// Puts the tests behind that have the same code and may read a file that differs: each side has its own.
    fn queue(&mut self, tests: Vec<(BenchmarkId, MatchedTest)>) -> Vec<QueuedTest> {
        let tests = tests.into_iter().map(|(benchmark, matched)| {
            let same_code = self.same_code(&matched);
            QueuedTest { benchmark, matched, same_code }
        });
        let (with_other_data, mut queued): (Vec<_>, Vec<_>) =
            tests.partition(|test| test.data_file().is_some());
        if let Some(file) = with_other_data.first().and_then(QueuedTest::data_file) {
            print_progress(&format_args!(
                "note: {file} differs between the sides, and tests may read it: those with the same code are measured \
                 last, as far as there is time"
            ));
        }
        queued.extend(with_other_data);
        queued
    }

    fn same_code(&mut self, matched: &MatchedTest) -> Option<SameCode> {
        let MatchedTest::InBoth { base, head } = matched else { return None };
        self.check.as_mut()?.same_code(base, head)
    }

    /// Compares a test, unless its code is the same and needs no measuring.
    fn answer(
        &mut self,
        benchmark: BenchmarkId,
        matched: MatchedTest,
        same_code: Option<SameCode>,
    ) -> TestComparison {
        let (mut instructions, mut changes, mut accepted_ratio) = (None, Vec::new(), None);
        let mut spent = Duration::ZERO;
        let is_report_only = match &matched {
            MatchedTest::InBoth { head, .. } | MatchedTest::NotMeasured { head, .. } => {
                head.listed.is_report_only
            }
            MatchedTest::OnlyInBase | MatchedTest::OnlyInHead => false,
        };
        let finding = match matched {
            MatchedTest::OnlyInBase => CompareStatus::OnlyInBase,
            MatchedTest::OnlyInHead => CompareStatus::OnlyInHead,
            MatchedTest::NotMeasured { why, .. } => why.status(),
            MatchedTest::InBoth { .. } if same_code.is_some() => CompareStatus::SameCode,
            MatchedTest::InBoth { base, head } => {
                let own = self.measurer.tolerance_of(&head);
                let accepted = self.accepted([&benchmark].into_iter().chain(&head.listed.formerly));
                match self.measurer.compare(own.beside_accepted(accepted), &base, &head) {
                    Ok((compared, time)) => {
                        spent = time;
                        if self.counting.suits(&compared.result, time, self.measurer.budget()) {
                            instructions = self.counting.count(&self.measurer, &base, &head);
                        }
                        changes = compared.changes;
                        let needs_it = compared.result.ratio.estimate > own.ratio();
                        accepted_ratio = accepted.filter(|_| needs_it);
                        CompareStatus::Measured(Box::new(compared.result))
                    }
                    Err(why) => why.status(),
                }
            }
        };
        TestComparison {
            benchmark,
            finding,
            is_report_only,
            accepted_ratio,
            instructions,
            changes,
            not_compared: Vec::new(),
            spent,
        }
    }

    /// Returns what the acceptance allows on this machine that was given last to a test with one of these names.
    fn accepted<'a>(&self, names: impl Iterator<Item = &'a BenchmarkId> + Clone) -> Option<f64> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let covers =
            |it: &&Acceptance| names.clone().any(|name| it.covers(name, &self.testbed, now_ms));
        let covering = self.acceptances.iter().filter(covers);
        covering.max_by_key(|it| it.given_ms).map(|newest| newest.max_ratio)
    }
}

/// A test, and what is known before it is measured.
struct QueuedTest {
    benchmark: BenchmarkId,
    matched: MatchedTest,
    same_code: Option<SameCode>,
}

impl QueuedTest {
    fn data_file(&self) -> Option<&str> {
        self.same_code.as_ref()?.data_file.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{DataFiles, NotMeasured, SideTest};
    use perftest_core::judge::ComparisonPolicy;
    use perftest_core::model::BenchmarkPattern;
    use perftest_store::{TestbedChange, TestbedDecision};
    use std::path::Path;

    /// A session of this testbed without time.
    fn session(check: Option<CodeCheck>, acceptances: Vec<Acceptance>) -> CompareSession {
        let measurer = Measurer {
            policy: ComparisonPolicy::default(),
            tolerance: None,
            longest: Duration::ZERO,
            end: Some(Instant::now()),
        };
        let counting = Counting::by_processor();
        CompareSession { check, measurer, counting, acceptances, testbed: "local/7f3a2b".into() }
    }

    fn acceptance(testbed: &str, max_ratio: f64, given_ms: u64) -> Acceptance {
        Acceptance {
            id: given_ms.to_string(),
            benchmark: BenchmarkPattern::new(encode().as_str()),
            testbed: testbed.into(),
            max_ratio,
            reason: "checks its input".into(),
            given_ms,
            until_ms: None,
        }
    }

    fn encode() -> BenchmarkId {
        BenchmarkId::new("codec", "codec::frame", "encode")
    }

    /// What a comparison on `local/7f3a2b` accepts by an acceptance for `testbed`.
    fn accepted_on(testbed: &str, testbeds: &Testbeds) -> Option<f64> {
        let session = session(None, vec![acceptance(testbed, 1.5, 1)]);
        session.read_as(testbeds).accepted([&encode()].into_iter())
    }

    #[test]
    fn the_acceptance_that_was_given_last_counts_whatever_the_order_of_the_lines() {
        let both = [acceptance("", 1.1, 100), acceptance("", 1.5, 200)];
        for lines in [both.to_vec(), both.into_iter().rev().collect()] {
            assert_eq!(session(None, lines).accepted([&encode()].into_iter()), Some(1.5));
        }
    }

    /// A test in both sides, whose executables are these files of this package.
    fn in_both(name: &str, files: [&str; 2]) -> (BenchmarkId, MatchedTest) {
        let [base, head] = files.map(|file| {
            let mut test = SideTest::named(name);
            test.executable.path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            Box::new(test)
        });
        (BenchmarkId::from_recorded(name), MatchedTest::InBoth { base, head })
    }

    #[test]
    fn a_test_that_the_base_has_twice_reports_only_where_the_head_says_so() {
        for is_report_only in [false, true] {
            let mut head = Box::new(SideTest::named("a"));
            head.listed.is_report_only = is_report_only;
            let matched = MatchedTest::NotMeasured { head, why: NotMeasured::of_base("twice") };
            let answer = session(None, Vec::new()).answer(encode(), matched, None);
            assert_eq!(answer.is_report_only, is_report_only);
        }
    }

    const SAME: [&str; 2] = ["Cargo.toml"; 2];
    const OTHER: [&str; 2] = ["Cargo.toml", "src/main.rs"];

    #[test]
    fn other_code_is_measured_before_the_same_code_that_may_read_another_file() {
        let names = |check: CodeCheck| -> Vec<String> {
            let tests = vec![in_both("a", SAME), in_both("b", OTHER), in_both("c", SAME)];
            let queued = session(Some(check), Vec::new()).queue(tests);
            queued.into_iter().map(|it| it.benchmark.to_string()).collect()
        };
        assert_eq!(names(CodeCheck::default()), ["a", "b", "c"]);
        let data = DataFiles::of_all(&["words.txt"]);
        assert_eq!(names(CodeCheck::default().beside(data)), ["b", "a", "c"]);
    }

    #[test]
    fn without_time_the_same_code_is_the_same_unless_it_may_read_a_file_that_differs() {
        let answers = |changed: &[&str]| {
            let tests = vec![in_both("a", SAME), in_both("b", OTHER)];
            let check = CodeCheck::default().beside(DataFiles::of_all(changed));
            let answers = session(Some(check), Vec::new()).answers(tests);
            answers.iter().map(TestComparison::in_passing).collect::<Vec<_>>()
        };
        assert_eq!(answers(&[]), ["a: same code"]);
        assert!(answers(&["words.txt"]).is_empty());
    }

    #[test]
    fn an_acceptance_of_this_testbed_or_of_all_holds_and_one_of_another_does_not() {
        let as_recorded = Testbeds::default();
        for testbed in ["", "*", "local/7f3a2b"] {
            assert_eq!(accepted_on(testbed, &as_recorded), Some(1.5), "{testbed}");
        }
        for testbed in ["ci/7f3a2b", "local/7f3a2b@slow"] {
            assert_eq!(accepted_on(testbed, &as_recorded), None, "{testbed}");
        }
    }

    #[test]
    fn an_acceptance_holds_under_the_former_and_the_new_name_of_this_testbed() {
        let renamed = TestbedDecision {
            id: "1".into(),
            testbed: "local/7f3a2b".into(),
            change: TestbedChange::ReadAs("desk/7f3a2b".into()),
            given_ms: 1,
        };
        let testbeds = Testbeds::of(&[renamed]);
        for testbed in ["local/7f3a2b", "desk/7f3a2b"] {
            assert_eq!(accepted_on(testbed, &testbeds), Some(1.5), "{testbed}");
        }
        assert_eq!(accepted_on("ci/7f3a2b", &testbeds), None);
    }
}
