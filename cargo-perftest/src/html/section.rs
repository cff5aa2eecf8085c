//! The parts of a report, in the order in which they are read.

use crate::report::ShownVerdict;
use perftest_core::model::Reason;
use perftest_core::named;

named! {
    /// What a reader does with the last verdict of a test. These are the parts of ClickHouse's report that have a
    /// meaning for tests with a history.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Section {
        Slower = "slower",
        Faster = "faster",
        Accepted = "accepted",
        Unclear = "unclear",
        NotTheCode = "not-the-code",
        NotJudged = "not-judged",
        New = "new",
        Unchanged = "unchanged",
    }
}

impl Section {
    /// The part for the last verdict of a test; `None` where it has none.
    pub(crate) fn of(verdict: Option<ShownVerdict>) -> Self {
        let reason = match verdict {
            None => return Self::NotJudged,
            Some(ShownVerdict::Accepted) => return Self::Accepted,
            Some(ShownVerdict::Of(reason)) => reason,
        };
        match reason {
            Reason::Red | Reason::OverLimit => Self::Slower,
            Reason::Improved | Reason::Unaccepted => Self::Faster,
            Reason::Unclear | Reason::Unstable => Self::Unclear,
            Reason::SameCode | Reason::MachineSlower => Self::NotTheCode,
            Reason::NotMeasurable | Reason::NotAlone | Reason::Untrusted => Self::NotJudged,
            Reason::NoBaseline => Self::New,
            Reason::Green => Self::Unchanged,
        }
    }

    pub(crate) fn title(self) -> String {
        self.name().replace('-', " ")
    }

    /// One sentence about its tests.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Slower => {
                "The last verdict fails: slower than tolerated, or over an absolute limit."
            }
            Self::Faster => "The last verdict is an improvement.",
            Self::Accepted => "Slower than tolerated, but not slower than accepted.",
            Self::Unclear => {
                "The budget ended before a verdict, or the noise exceeds the tolerance."
            }
            Self::NotTheCode => "Slower, but with the same machine code, or on a slower machine.",
            Self::NotJudged => {
                "No verdict: too fast to measure, not alone, or on a machine in no state to measure."
            }
            Self::New => "Too few runs to compare with yet.",
            Self::Unchanged => "The last verdict is green: no degradation that matters.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_that_fails_a_test_is_in_one_of_the_first_two_sections() {
        use perftest_core::model::Outcome;
        for reason in Reason::ALL {
            let section = Section::of(Some(ShownVerdict::Of(reason)));
            let is_among_the_first = section <= Section::Faster;
            assert!(reason.outcome() != Outcome::Failed || is_among_the_first, "{reason:?}");
            assert_eq!(section == Section::Unchanged, reason == Reason::Green, "{reason:?}");
        }
        assert_eq!(Section::of(None), Section::NotJudged);
        assert_eq!(Section::of(Some(ShownVerdict::Accepted)), Section::Accepted);
    }
}
