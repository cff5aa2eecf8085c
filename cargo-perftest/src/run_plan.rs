//! Which tests of a run come first, and which no longer.

use crate::compare::SideTest;
use perftest_core::model::BenchmarkId;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a test without a run is taken to need.
const UNKNOWN_COST: Duration = Duration::from_secs(2);
/// Tests that run together need at most this part of the remaining time: a wrong guess costs little.
const BATCH_PART: u32 = 4;

/// Names of that many bytes fit into a command line. Windows takes 32,767 characters; macOS 1 MB with all variables.
const LONGEST_NAMES: usize = if cfg!(windows) { 24_000 } else { 500_000 };

/// What the newest run of a test predicts about the next one. The default is that of a test without a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TestPast {
    /// It was judged, and nothing was wrong.
    pub(crate) is_settled: bool,
    /// Time it took; `None` without a run.
    pub(crate) spent: Option<Duration>,
}

/// Tests that wait to run, in this order: first those that were slower, not decided, or have no baseline;
/// of these and of the others the cheap ones first.
#[derive(Debug, Default)]
pub(crate) struct RunPlan {
    waiting: Vec<PlannedTest>,
}

#[derive(Debug)]
struct PlannedTest {
    test: SideTest,
    cost: Duration,
}

impl PlannedTest {
    /// Bytes of its names on a command line, each after a space.
    fn length_of_names(&self) -> usize {
        self.test.listed.runner_names().iter().map(|name| name.len() + 1).sum()
    }
}

impl RunPlan {
    /// A test that `past` does not have has no run.
    pub(crate) fn new(tests: Vec<SideTest>, past: &BTreeMap<BenchmarkId, TestPast>) -> Self {
        let of = |test: &SideTest| past.get(&test.listed.benchmark).copied().unwrap_or_default();
        let mut placed: Vec<(bool, PlannedTest)> = Vec::new();
        for test in tests {
            let TestPast { is_settled, spent } = of(&test);
            placed.push((is_settled, PlannedTest { test, cost: spent.unwrap_or(UNKNOWN_COST) }));
        }
        placed.sort_by_key(|(is_settled, planned)| (*is_settled, planned.cost));
        Self { waiting: placed.into_iter().map(|(_, planned)| planned).collect() }
    }

    /// The tests that run next: as many as suit the remaining time and a command line; none where none fits.
    pub(crate) fn next_batch(&mut self, remaining: Option<Duration>) -> Vec<SideTest> {
        let remaining = remaining.unwrap_or(Duration::MAX);
        let (mut batch, mut waiting) = (Vec::new(), Vec::new());
        let (mut cost, mut length) = (Duration::ZERO, 0);
        let mut is_full = remaining.is_zero();
        for planned in self.waiting.drain(..) {
            let with = cost.saturating_add(planned.cost);
            let names = length + planned.length_of_names();
            let fits_beside = with <= remaining / BATCH_PART && names <= LONGEST_NAMES;
            let fits_alone = batch.is_empty() && planned.cost <= remaining;
            if !is_full && (fits_beside || fits_alone) {
                (cost, length) = (with, names);
                batch.push(planned.test);
            } else {
                // The order holds, but a test that takes too long keeps no other from running.
                is_full |= planned.cost <= remaining;
                waiting.push(planned);
            }
        }
        self.waiting = waiting;
        batch
    }

    /// The tests that still wait.
    pub(crate) fn waiting(&self) -> Vec<BenchmarkId> {
        self.waiting.iter().map(|planned| planned.test.listed.benchmark.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tests: &[(&str, bool, u64)]) -> RunPlan {
        let id = |name: &str| BenchmarkId::from_recorded(name);
        let past = |(name, is_settled, seconds): &(&str, bool, u64)| {
            let spent = Some(Duration::from_secs(*seconds)).filter(|it| !it.is_zero());
            (id(name), TestPast { is_settled: *is_settled, spent })
        };
        let sides = tests.iter().map(|(name, ..)| SideTest::named(name)).collect();
        RunPlan::new(sides, &tests.iter().map(past).collect())
    }

    fn names(batch: &[SideTest]) -> Vec<&str> {
        batch.iter().map(|test| test.listed.benchmark.as_str()).collect()
    }

    fn seconds(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    #[test]
    fn doubtful_tests_come_first_and_cheap_ones_before_dear_ones() {
        let tests = [
            ("sure", true, 1),
            ("slow", false, 9),
            ("new", false, 0),
            ("red", false, 1),
            ("ok", true, 3),
        ];
        assert_eq!(names(&plan(&tests).next_batch(None)), ["red", "new", "slow", "sure", "ok"]);
    }

    #[test]
    fn a_batch_takes_a_quarter_of_the_time_or_one_test() {
        let mut plan = plan(&[("a", false, 2), ("b", false, 2), ("c", false, 2), ("d", false, 9)]);
        assert_eq!(names(&plan.next_batch(seconds(16))), ["a", "b"]);
        assert_eq!(names(&plan.next_batch(seconds(12))), ["c"]);
        assert_eq!(names(&plan.next_batch(seconds(10))), ["d"]);
        assert!(plan.next_batch(seconds(10)).is_empty() && plan.waiting().is_empty());
    }

    #[test]
    fn a_test_that_takes_too_long_keeps_no_other_from_running() {
        let mut plan = plan(&[("dear", false, 60), ("cheap", true, 1)]);
        assert_eq!(names(&plan.next_batch(seconds(10))), ["cheap"]);
        assert!(plan.next_batch(seconds(9)).is_empty());
        assert_eq!(plan.waiting(), [BenchmarkId::from_recorded("dear")]);
    }

    #[test]
    fn no_batch_is_longer_than_a_command_line_and_every_test_runs() {
        let names: Vec<String> = (0..2000).map(|it| format!("{it:0>300}")).collect();
        let tests: Vec<(&str, bool, u64)> = names.iter().map(|it| (&**it, false, 1)).collect();
        let mut plan = plan(&tests);
        let mut count = 0;
        while !plan.waiting().is_empty() {
            let batch = plan.next_batch(None);
            assert!(!batch.is_empty() && 301 * batch.len() <= LONGEST_NAMES);
            count += batch.len();
        }
        assert_eq!(count, 2000);
    }

    #[test]
    fn no_test_begins_when_the_time_is_over() {
        let mut plan = plan(&[("a", false, 1)]);
        assert!(plan.next_batch(seconds(0)).is_empty());
        assert_eq!(plan.waiting().len(), 1);
    }
}
