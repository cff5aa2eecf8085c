//! Compares executables with themselves, again and again.

use super::{Measurer, SideTest};
use crate::report::progress;
use perftest_core::judge::{Comparison, ComparisonPolicy, NoiseFloor};
use perftest_core::model::Tolerance;
use perftest_process::WorkerCommand;
use std::time::{Duration, Instant};

/// A test that is compared with itself.
#[derive(Debug)]
pub(crate) struct SelfComparison {
    pub(crate) test: SideTest,
    pub(crate) spent: Duration,
    comparisons: Vec<Comparison>,
    /// Why it cannot be measured.
    pub(crate) failure: Option<String>,
}

/// Comparisons of several tests with themselves, in a bounded time.
#[derive(Debug)]
pub(crate) struct AgainstItself {
    measurer: Measurer,
    budget: Duration,
}

impl AgainstItself {
    /// Creates comparisons of this many tests. Each one has its share of the time, at most that of `compare`.
    pub(crate) fn new(budget: Duration, tests: usize) -> Self {
        let usual = ComparisonPolicy::default();
        let share = u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX) / tests.max(1) as u64;
        let policy = ComparisonPolicy { budget_ns: usual.budget_ns.min(share), ..usual };
        let longest = WorkerCommand::LONGEST_START;
        Self { measurer: Measurer { policy, tolerance: None, longest, end: None }, budget }
    }

    /// Returns the tolerance of a test.
    pub(crate) fn tolerance_of(&self, subject: &SelfComparison) -> Tolerance {
        self.measurer.tolerance_of(&subject.test)
    }

    /// Compares each test in turn until the time is over, at least once. So a disturbance of the machine hits all
    /// tests.
    pub(crate) fn measure(&self, subjects: &mut [SelfComparison]) {
        let began = Instant::now();
        let count = subjects.len();
        for round in 1.. {
            let mut is_over = true;
            for (place, subject) in subjects.iter_mut().enumerate() {
                let left = self.budget.saturating_sub(began.elapsed());
                if subject.failure.is_some() || (round > 1 && subject.usual() > left) {
                    continue;
                }
                progress(&format!(
                    "round {round}, test {} of {count}: {}, {} s left",
                    place + 1,
                    subject.test.listed.benchmark,
                    left.as_secs()
                ));
                subject.compare(&self.measurer);
                is_over = false;
            }
            if is_over {
                break;
            }
        }
        progress("");
    }
}

impl SelfComparison {
    pub(crate) fn new(test: SideTest) -> Self {
        Self { test, spent: Duration::ZERO, comparisons: Vec::new(), failure: None }
    }

    /// Returns the noise floor of its comparisons; `None` without any.
    pub(crate) fn noise_floor(&self) -> Option<NoiseFloor> {
        NoiseFloor::of(&self.comparisons)
    }

    fn compare(&mut self, measurer: &Measurer) {
        let began = Instant::now();
        let tolerance = measurer.tolerance_of(&self.test);
        match measurer.compare(tolerance, &self.test, &self.test) {
            Ok((decided, _)) => self.comparisons.push(decided.comparison),
            Err(failed) => self.failure = Some(failed.why),
        }
        self.spent += began.elapsed();
    }

    /// Typical time of a comparison.
    fn usual(&self) -> Duration {
        self.spent / u32::try_from(self.comparisons.len()).unwrap_or(u32::MAX).max(1)
    }
}
