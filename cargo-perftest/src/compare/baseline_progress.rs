//! The progress of recording a baseline for a test of the base.

use perftest_core::model::BenchmarkId;
use perftest_process::TestOutcome;
use serde_json::{Value, json};
use std::fmt;

/// The progress of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaselineProgress {
    benchmark: BenchmarkId,
    /// Number of runs.
    runs: u32,
    /// Number of runs that may enter a baseline.
    counted: u32,
    /// Baseline runs of the next run, in the series with the fewest.
    history: u32,
    needed: u32,
    is_over: bool,
    /// Why recording ended before there is a history.
    why: Option<String>,
}

impl BaselineProgress {
    pub(crate) fn new(benchmark: BenchmarkId) -> Self {
        Self { benchmark, runs: 0, counted: 0, history: 0, needed: 0, is_over: false, why: None }
    }

    /// Returns whether the test needs no further run.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Adds one run. Recording ends with a sufficient history, or after as many runs that do not
    /// count for the baseline.
    pub(crate) fn observe(&mut self, outcome: &TestOutcome) {
        let Some(judged) = outcome.judged else {
            return self.give_up(outcome.note.as_deref().unwrap_or(RAN_WITHOUT_VERDICT));
        };
        self.runs += 1;
        self.counted += u32::from(judged.counts_for_baseline);
        self.history = judged.fewest_runs + u32::from(judged.counts_for_baseline);
        self.needed = judged.baseline_needed;
        if self.needed == 0 {
            return self.give_up("it is compared with a function and needs no history");
        }
        self.is_over = self.has_history();
        if !self.is_over && self.runs - self.counted >= self.needed {
            self.give_up(outcome.note.as_deref().unwrap_or(NOT_COUNTED));
        }
        if !self.is_over && self.counted >= 2 * self.needed {
            self.give_up("its runs lie at several levels");
        }
    }

    /// Ends the recording without a history.
    pub(crate) fn give_up(&mut self, why: &str) {
        self.is_over = true;
        self.why = Some(why.to_owned());
    }

    fn has_history(&self) -> bool {
        self.needed > 0 && self.history >= self.needed
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "event": "base_history",
            "v": 1,
            "benchmark": self.benchmark.as_str(),
            "runs": self.runs,
            "baseline_runs": self.counted,
            "has_history": self.has_history(),
            "note": self.why,
        })
    }
}

impl fmt::Display for BaselineProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { benchmark, runs, counted, history, needed, .. } = self;
        let why = self.why.as_deref().unwrap_or(NOT_OVER);
        match (self.has_history(), runs) {
            (true, 1) if *history > 1 => write!(f, "{benchmark}: has a history"),
            (true, _) => write!(f, "{benchmark}: {counted} runs of the base are its history now"),
            (false, 0) => write!(f, "{benchmark}: recorded nothing: {why}"),
            (false, _) if *needed == 0 => write!(f, "{benchmark}: {why}"),
            (false, _) => write!(f, "{benchmark}: has {history} runs of {needed}: {why}"),
        }
    }
}

const RAN_WITHOUT_VERDICT: &str = "it ended without a verdict";
const NOT_OVER: &str = "more of them follow";
const NOT_COUNTED: &str = "runs of a CI job for a pull request are not in the baseline; \
                           let a job of the default branch run the tests first";

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Reason;
    use perftest_process::JudgedOutcome;

    fn outcome(judged: Option<JudgedOutcome>, note: Option<&str>) -> TestOutcome {
        let benchmark = BenchmarkId::from_recorded("t::a");
        TestOutcome {
            benchmark,
            has_failed: judged.is_none(),
            is_unjudged: false,
            judged,
            series: None,
            open_beside_wall: Vec::new(),
            line: None,
            note: note.map(str::to_owned),
        }
    }

    fn judged(fewest_runs: u32, counts_for_baseline: bool) -> TestOutcome {
        let reason = Reason::NoBaseline;
        let baseline_runs = fewest_runs.max(3);
        let judged = JudgedOutcome {
            reason,
            baseline_runs,
            fewest_runs,
            baseline_needed: 5,
            counts_for_baseline,
            is_accepted: false,
        };
        outcome(Some(judged), None)
    }

    fn after(outcomes: &[TestOutcome]) -> BaselineProgress {
        let mut progress = BaselineProgress::new(BenchmarkId::from_recorded("t::a"));
        for outcome in outcomes {
            assert!(!progress.is_over(), "{progress}");
            progress.observe(outcome);
        }
        progress
    }

    #[test]
    fn five_runs_that_count_are_a_history() {
        let runs: Vec<TestOutcome> = (0..5).map(|before| judged(before, true)).collect();
        assert!(!after(&runs[..4]).is_over());
        let progress = after(&runs);
        assert!(progress.is_over());
        assert_eq!(progress.to_string(), "t::a: 5 runs of the base are its history now");
    }

    #[test]
    fn a_run_that_was_disturbed_is_made_up_for() {
        let mut runs = vec![judged(0, true), judged(1, false)];
        runs.extend((1..5).map(|before| judged(before, true)));
        assert_eq!(after(&runs).as_json()["has_history"], true);
    }

    #[test]
    fn who_has_a_history_is_asked_once() {
        assert_eq!(after(&[judged(30, false)]).to_string(), "t::a: has a history");
    }

    #[test]
    fn where_no_run_counts_it_ends() {
        let progress = after(&vec![judged(0, false); 5]);
        assert!(progress.is_over() && !progress.has_history());
        assert!(progress.to_string().contains("are not in the baseline"), "{progress}");
    }

    #[test]
    fn a_test_that_is_compared_with_a_function_is_asked_for_no_history() {
        let mut compared = judged(0, false);
        compared.judged.as_mut().unwrap().baseline_needed = 0;
        let progress = after(&[compared]);
        assert!(progress.is_over());
        assert!(progress.to_string().ends_with("needs no history"), "{progress}");
    }

    #[test]
    fn a_body_that_fails_ends_it_with_its_reason() {
        let progress = after(&[outcome(None, Some("the file is gone"))]);
        assert_eq!(progress.to_string(), "t::a: recorded nothing: the file is gone");
    }

    #[test]
    fn levels_that_change_all_the_time_do_not_keep_it_going() {
        assert!(after(&vec![judged(2, true); 10]).is_over());
    }
}
