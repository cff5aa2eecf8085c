//! How a test of a run ended, and how much that asks for a look.

use perftest_core::model::{BenchmarkId, Outcome, Reason};
use perftest_process::TestOutcome;
use std::cmp::Ordering;

/// A test of a run, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndedTest {
    pub(crate) benchmark: BenchmarkId,
    /// `None` where the runner left it out, or its process ended before it.
    pub(crate) outcome: Option<TestOutcome>,
}

/// What an ending asks for, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// It failed, and not for its speed.
    Broken,
    /// It failed for its speed.
    Red,
    /// Its ending is not known.
    Unknown,
    /// It has no answer, or a bad one that fails nothing.
    Open,
    /// There is nothing to do about it.
    Fine,
}

impl EndedTest {
    /// The ending in a word or two.
    pub(crate) fn in_words(&self) -> &'static str {
        let Some(outcome) = &self.outcome else {
            return "not known";
        };
        match outcome.judged.map(|judged| judged.reason) {
            _ if outcome.is_unjudged => "not judged",
            None if outcome.has_failed => "failed",
            None => "not measured",
            Some(_) if outcome.judged.is_some_and(|judged| judged.is_accepted) => "accepted",
            Some(Reason::Green) => "green",
            Some(Reason::Improved) => "improved",
            Some(Reason::Unaccepted) => "not accepted",
            Some(Reason::Red) => "slower",
            Some(Reason::OverLimit) => "over limit",
            Some(Reason::Unclear) => "unclear",
            Some(Reason::Unstable) => "unstable",
            Some(Reason::NoBaseline) => "no baseline",
            Some(Reason::NotMeasurable) => "not measurable",
            Some(Reason::NotAlone) => "not alone",
            Some(Reason::Untrusted) => "no verdict",
            Some(Reason::SameCode) => "same code",
            Some(Reason::MachineSlower) => "machine slower",
        }
    }

    pub(crate) fn urgency(&self) -> Urgency {
        let Some(outcome) = &self.outcome else {
            return Urgency::Unknown;
        };
        match outcome.judged.map(|judged| judged.reason) {
            None if outcome.has_failed => Urgency::Broken,
            _ if outcome.is_unjudged => Urgency::Open,
            None => Urgency::Fine,
            Some(reason) if outcome.has_failed && reason.outcome() == Outcome::Failed => {
                Urgency::Red
            }
            Some(_) if outcome.has_failed => Urgency::Broken,
            Some(Reason::Green | Reason::Improved | Reason::NoBaseline | Reason::SameCode) => {
                Urgency::Fine
            }
            Some(_) => Urgency::Open,
        }
    }

    /// Whether it has too few runs to be judged yet.
    pub(crate) fn is_new(&self) -> bool {
        let judged = self.outcome.as_ref().and_then(|outcome| outcome.judged);
        judged.is_some_and(|judged| judged.reason == Reason::NoBaseline)
    }

    /// How much slower it is, at least.
    pub(crate) fn degradation(&self) -> Option<f64> {
        self.outcome.as_ref()?.series.as_ref()?.degradation
    }

    /// Orders the most urgent first, of equally urgent ones the slowest.
    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        let slowness = |test: &Self| test.degradation().unwrap_or(0.0);
        let urgency = self.urgency().cmp(&other.urgency());
        urgency
            .then_with(|| slowness(other).total_cmp(&slowness(self)))
            .then_with(|| self.benchmark.as_str().cmp(other.benchmark.as_str()))
    }
}

#[cfg(test)]
impl EndedTest {
    /// A test that ended so: `None` for a body that failed.
    pub(crate) fn judged(name: &str, reason: Option<Reason>, degradation: Option<f64>) -> Self {
        use perftest_process::{DecidingSeries, JudgedOutcome};
        let benchmark = BenchmarkId::from_recorded(name);
        let judged = reason.map(|reason| JudgedOutcome {
            reason,
            baseline_runs: 5,
            fewest_runs: 5,
            baseline_needed: 5,
            counts_for_baseline: true,
            is_accepted: false,
        });
        let series =
            DecidingSeries { benchmark: benchmark.clone(), metric: "wall".to_owned(), degradation };
        let outcome = TestOutcome {
            benchmark: benchmark.clone(),
            has_failed: reason.is_none_or(|reason| reason.outcome() == Outcome::Failed),
            is_unjudged: false,
            judged,
            series: judged.map(|_| series),
            open_beside_wall: Vec::new(),
            line: Some("12.04 us    1.39x slower, at least 1.36x".to_owned()),
            note: None,
        };
        Self { benchmark, outcome: Some(outcome) }
    }

    /// A slower test that passed by an acceptance.
    pub(crate) fn accepted(name: &str) -> Self {
        let mut test = Self::judged(name, Some(Reason::Green), Some(1.5));
        if let Some(judged) = test.outcome.as_mut().and_then(|it| it.judged.as_mut()) {
            judged.is_accepted = true;
        }
        test
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_comes_first() {
        let of = EndedTest::judged;
        let unknown = EndedTest { benchmark: BenchmarkId::from_recorded("unknown"), outcome: None };
        let mut tests = [
            of("green", Some(Reason::Green), Some(0.99)),
            of("unclear", Some(Reason::Unclear), Some(1.02)),
            unknown,
            of("slow", Some(Reason::Red), Some(1.1)),
            of("slower", Some(Reason::Red), Some(1.9)),
            of("broken", None, None),
            of("another green", Some(Reason::Green), Some(0.99)),
        ];
        tests.sort_by(EndedTest::worst_first);
        let names: Vec<&str> = tests.iter().map(|test| test.benchmark.as_str()).collect();
        let expected = ["broken", "slower", "slow", "unknown", "unclear", "another green", "green"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_red_that_fails_nothing_asks_for_a_look_and_no_more() {
        let mut reported = EndedTest::judged("t", Some(Reason::Red), Some(1.5));
        assert_eq!(reported.urgency(), Urgency::Red);
        if let Some(outcome) = &mut reported.outcome {
            outcome.has_failed = false;
        }
        assert_eq!((reported.urgency(), reported.in_words()), (Urgency::Open, "slower"));
    }

    #[test]
    fn an_accepted_slowdown_has_a_word_of_its_own_and_asks_for_nothing() {
        let accepted = EndedTest::accepted("t");
        assert_eq!((accepted.urgency(), accepted.in_words()), (Urgency::Fine, "accepted"));
    }

    #[test]
    fn unchanged_code_asks_for_nothing() {
        let unchanged = EndedTest::judged("t", Some(Reason::SameCode), Some(1.0));
        assert_eq!((unchanged.urgency(), unchanged.in_words()), (Urgency::Fine, "same code"));
    }

    #[test]
    fn every_reason_has_a_word_of_its_own() {
        let word = |reason| EndedTest::judged("t", Some(reason), None).in_words();
        let words: std::collections::BTreeSet<&str> = Reason::ALL.into_iter().map(word).collect();
        assert_eq!(words.len(), Reason::ALL.len());
    }
}
