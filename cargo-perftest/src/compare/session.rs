//! Compares one test after the other.

use super::{CodeCheck, CompareStatus, Counting, MatchedTest, Measurer, SideTest, TestComparison};
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
    /// What the head may be slower, oldest first.
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

    /// Returns the results of these tests, worst first; without those that did not begin in time.
    pub(crate) fn answers(mut self, tests: Vec<(BenchmarkId, MatchedTest)>) -> Vec<TestComparison> {
        let count = tests.len();
        let mut answers: Vec<TestComparison> = Vec::new();
        for (benchmark, matched) in tests {
            if self.measurer.end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            let answer = self.answer(benchmark, matched);
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

    fn answer(&mut self, benchmark: BenchmarkId, matched: MatchedTest) -> TestComparison {
        let (mut instructions, mut changes, mut accepted_ratio) = (None, Vec::new(), None);
        let mut spent = Duration::ZERO;
        let is_report_only =
            matches!(&matched, MatchedTest::InBoth { head, .. } if head.listed.is_report_only);
        let finding = match matched {
            MatchedTest::OnlyInBase => CompareStatus::OnlyInBase,
            MatchedTest::OnlyInHead => CompareStatus::OnlyInHead,
            MatchedTest::NotMeasured(why) => why.status(),
            MatchedTest::InBoth { base, head } if self.is_same_code(&base, &head) => {
                CompareStatus::SameCode
            }
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

    /// Returns what the newest acceptance of a test with one of these names allows on this machine.
    fn accepted<'a>(&self, names: impl Iterator<Item = &'a BenchmarkId> + Clone) -> Option<f64> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let covers =
            |it: &&Acceptance| names.clone().any(|name| it.covers(name, &self.testbed, now_ms));
        self.acceptances.iter().rfind(covers).map(|newest| newest.max_ratio)
    }

    fn is_same_code(&mut self, base: &SideTest, head: &SideTest) -> bool {
        self.check.as_mut().is_some_and(|check| check.is_same(base, head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::judge::ComparisonPolicy;
    use perftest_core::model::BenchmarkPattern;
    use perftest_store::{TestbedChange, TestbedDecision};

    /// What a comparison on `local/7f3a2b` accepts by an acceptance for `testbed`.
    fn accepted_on(testbed: &str, testbeds: &Testbeds) -> Option<f64> {
        let benchmark = BenchmarkId::new("codec", "codec::frame", "encode");
        let acceptance = Acceptance {
            id: "1".into(),
            benchmark: BenchmarkPattern::new(benchmark.as_str()),
            testbed: testbed.into(),
            max_ratio: 1.5,
            reason: "checks its input".into(),
            given_ms: 1,
            until_ms: None,
        };
        let measurer = Measurer {
            policy: ComparisonPolicy::default(),
            tolerance: None,
            longest: Duration::ZERO,
            end: None,
        };
        let session = CompareSession {
            check: None,
            measurer,
            counting: Counting::by_processor(),
            acceptances: vec![acceptance],
            testbed: "local/7f3a2b".into(),
        };
        session.read_as(testbeds).accepted([&benchmark].into_iter())
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
