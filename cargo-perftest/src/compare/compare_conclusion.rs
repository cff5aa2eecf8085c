//! The result of the comparison of all tests.

use super::{CompareAnswer, TestComparison};
use std::fmt;
use std::process::{ExitCode, Termination};

/// The overall result of all tests, which is that of the worst one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompareConclusion {
    /// 0.
    NothingSlower,
    /// 1.
    Slower,
    /// 2: a test could not be measured.
    Failed,
    /// 3, with `--undecided=fail`.
    Undecided,
}

impl CompareConclusion {
    pub(crate) fn of(answers: &[TestComparison], undecided_fails: bool) -> Self {
        let any_counts = |is_such: fn(&TestComparison) -> bool| {
            answers.iter().any(|it| !it.is_report_only && is_such(it))
        };
        if any_counts(|it| it.answer() == CompareAnswer::Slower) {
            Self::Slower
        } else if answers.iter().any(TestComparison::has_failed)
            || any_counts(TestComparison::has_base_failed)
        {
            Self::Failed
        } else if undecided_fails && any_counts(|it| it.answer().is_open() || it.leaves_open()) {
            Self::Undecided
        } else {
            Self::NothingSlower
        }
    }
}

impl Termination for CompareConclusion {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Self::NothingSlower => 0,
            Self::Slower => 1,
            Self::Failed => 2,
            Self::Undecided => 3,
        })
    }
}

impl fmt::Display for CompareConclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingSlower => "no test was found to be slower",
            Self::Slower => "the head is slower",
            Self::Failed => "not everything could be measured",
            Self::Undecided => "not everything could be decided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use perftest_core::model::Reason;

    #[test]
    fn a_proven_slowdown_decides_the_exit_code_whatever_else_there_is() {
        let mut answers = vec![
            TestComparison::found("same", CompareStatus::SameCode),
            TestComparison::of_measured("faster", Reason::Improved, 0.5),
            TestComparison::of_measured("slower", Reason::Red, 1.9),
            TestComparison::found("broken", CompareStatus::Failed("head: gone".into())),
            TestComparison::found("old", CompareStatus::OnlyInBase),
        ];
        assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::Slower);
        answers.retain(|it| it.answer() != CompareAnswer::Slower);
        assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::Failed);
        answers.retain(|it| !it.has_failed());
        let why = CompareStatus::BaseFailed("base: gone".into());
        let unmended = [TestComparison::found("unmended", why)];
        assert_eq!(CompareConclusion::of(&unmended, false), CompareConclusion::Failed);
        let report_only = unmended.map(|it| TestComparison { is_report_only: true, ..it });
        assert_eq!(CompareConclusion::of(&report_only, true), CompareConclusion::NothingSlower);
        answers.push(TestComparison::of_measured("a", Reason::Unclear, 0.9));
        assert_eq!(CompareConclusion::of(&answers, true), CompareConclusion::Undecided);
        assert_eq!(CompareConclusion::of(&answers, false), CompareConclusion::NothingSlower);
    }
}
