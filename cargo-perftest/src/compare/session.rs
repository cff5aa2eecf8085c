//! One test of both sides after the other.

use super::{Answer, CodeCheck, Counting, Finding, Matched, Measurer, SideTest};
use crate::report::tell;
use perftest_core::model::BenchmarkId;
use std::time::Instant;

/// What all tests are looked at with.
pub(super) struct Session<'a> {
    /// `None` where the same code is measured, too.
    pub(super) check: Option<CodeCheck<'a>>,
    pub(super) measurer: Measurer,
    pub(super) counting: Counting,
}

impl Session<'_> {
    /// The answers for these tests, the worst first.
    pub(super) fn answers(mut self, tests: Vec<(BenchmarkId, Matched)>) -> Vec<Answer> {
        let count = tests.len();
        let mut answers: Vec<Answer> = Vec::new();
        for (benchmark, matched) in tests {
            let answer = self.answer(benchmark, matched);
            tell(&format_args!("[{}/{count}] {}", answers.len() + 1, answer.in_passing()));
            answers.push(answer);
        }
        answers.sort_by(Answer::worst_first);
        answers
    }

    fn answer(&mut self, benchmark: BenchmarkId, matched: Matched) -> Answer {
        let began = Instant::now();
        let mut instructions = None;
        let is_report_only =
            matches!(&matched, Matched::InBoth { head, .. } if head.listed.is_report_only);
        let finding = match matched {
            Matched::OnlyInBase => Finding::OnlyInBase,
            Matched::OnlyInHead => Finding::OnlyInHead,
            Matched::InBoth { base, head } if self.is_same_code(&base, &head) => Finding::SameCode,
            Matched::InBoth { base, head } => match self.measurer.compare(&base, &head) {
                Ok(compared) => {
                    instructions = self.counting.count(&self.measurer, &base, &head);
                    Finding::Measured(Box::new(compared))
                }
                Err(why) => Finding::Failed(why),
            },
        };
        Answer { benchmark, finding, is_report_only, instructions, spent: began.elapsed() }
    }

    fn is_same_code(&mut self, base: &SideTest, head: &SideTest) -> bool {
        self.check.as_mut().is_some_and(|check| check.is_same(base, head))
    }
}
