//! The stages of a routine, which are timed inside a batch.

use super::sampler::StageMark;
use super::stopwatch::{Stopwatch, Timing};
use super::usage::UsageReading;
use super::{Failure, Routine};
use crate::own_metric::breaks_line;
use perftest_core::list::IntoList;
use perftest_core::model::StageTime;
use std::cell::RefCell;

/// A stage with longer calls also has its usage read, which shows which stage was interrupted. The two reads of a call
/// take about 3 us, so they add at most three thousandths to the whole.
const LONG_CALL_NS: f64 = 1_000_000.0;

/// Measures the stages of an iteration; made by [`Bencher::iter_stages`](crate::Bencher::iter_stages).
#[derive(Debug, Default)]
pub struct Stages {
    /// The stopwatch of the running batch.
    stopwatch: Option<Stopwatch>,
    entries: Vec<StageEntry>,
    problem: Option<String>,
}

#[derive(Debug)]
struct StageEntry {
    name: &'static str,
    /// Whether the usage of its calls is read.
    asks_usage: bool,
    calls: u64,
    wall_ns: f64,
    used: Option<UsageReading>,
}

impl Stages {
    /// Runs `work` as the stage `name` and returns its output. The stage has its own history and verdict
    /// under the name `whole/name`.
    ///
    /// The times of several calls in an iteration add up. Every measurement must reach the same stages,
    /// else the test fails. Each call adds two clock reads to the whole, so stages are not for work of some
    /// nanoseconds: below 100 steps of the clock there is no verdict.
    ///
    /// The name must not be empty, contain `/` or control characters, or end in `*`, else the test fails.
    pub fn stage<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let Some(stopwatch) = self.stopwatch.clone() else {
            return work();
        };
        let index = self.index_of(name);
        let _mark = StageMark::enter(name);
        let before = self.entries[index].asks_usage.then(UsageReading::before);
        let (wall_ns, output) = stopwatch.time_with_output(work);
        let used = before.map(|before| UsageReading::after().since(before));
        let entry = &mut self.entries[index];
        entry.calls += 1;
        entry.wall_ns += wall_ns;
        entry.used = used.map(|used| entry.used.unwrap_or_default().with(used)).or(entry.used);
        output
    }

    fn index_of(&mut self, name: &'static str) -> usize {
        if let Some(index) = self.entries.iter().position(|entry| entry.name == name) {
            return index;
        }
        // A `*` at the end of a name selects all names that begin so.
        let is_pattern = name.ends_with('*');
        let is_odd = name.contains(|it: char| it == '/' || breaks_line(it));
        if name.trim().is_empty() || is_pattern || is_odd {
            self.problem.get_or_insert(format!(
                "{name:?} is no name of a stage: take some text without `/` and control characters, and \
                 without `*` at its end"
            ));
        }
        self.entries.push(StageEntry::new(name));
        self.entries.len() - 1
    }

    fn begin(&mut self, stopwatch: Stopwatch) {
        self.stopwatch = Some(stopwatch);
        for entry in &mut self.entries {
            *entry = StageEntry { asks_usage: entry.is_long(), ..StageEntry::new(entry.name) };
        }
    }
}

impl StageEntry {
    fn new(name: &'static str) -> Self {
        Self { name, asks_usage: false, calls: 0, wall_ns: 0.0, used: None }
    }

    /// Whether its calls are long on average. Their time is without the reads, so these do not decide about themselves.
    fn is_long(&self) -> bool {
        self.wall_ns > LONG_CALL_NS * self.calls as f64
    }

    fn time(&self) -> StageTime {
        let used = self.used.unwrap_or_default();
        StageTime {
            name: self.name.to_owned(),
            calls: self.calls,
            wall_ns: self.wall_ns,
            thread_cpu_ns: used.thread_cpu_ns,
            process_cpu_ns: used.process_cpu_ns,
            involuntary_switches: used.involuntary_switches,
            voluntary_switches: used.voluntary_switches,
        }
    }
}

/// A routine whose calls measure their stages.
pub(crate) struct StagedRoutine<'s, R> {
    routine: R,
    stages: &'s RefCell<Stages>,
}

impl<'s, R: Routine> StagedRoutine<'s, R> {
    /// Creates a routine that passes `stages` to the author's routine.
    pub(crate) fn new(routine: R, stages: &'s RefCell<Stages>) -> Self {
        Self { routine, stages }
    }
}

impl<R: Routine> Routine for StagedRoutine<'_, R> {
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        self.stages.borrow_mut().begin(stopwatch.clone());
        let timing = self.routine.batch(iterations, stopwatch)?;
        match &self.stages.borrow().problem {
            Some(problem) => Err(Failure::Series(problem.clone())),
            None => Ok(timing),
        }
    }

    fn most_iterations(&self) -> u64 {
        self.routine.most_iterations()
    }

    fn stages(&self) -> Vec<StageTime> {
        let stages = self.stages.borrow();
        stages.entries.iter().filter(|entry| entry.calls > 0).map(StageEntry::time).into_list()
    }
}

#[cfg(test)]
mod tests {
    use super::super::LoopRoutine;
    use super::*;
    use crate::clock::ClockKind;
    use std::time::Duration;

    /// Runs batches with these numbers of iterations, and returns the stages of the last one.
    fn stages_of(batches: &[u64], mut body: impl FnMut(&mut Stages)) -> Vec<StageTime> {
        let stages = RefCell::new(Stages::default());
        let looped = LoopRoutine::new(|| body(&mut stages.borrow_mut()), |()| None);
        let mut staged = StagedRoutine::new(looped, &stages);
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        for iterations in batches {
            staged.batch(*iterations, &stopwatch).unwrap();
        }
        staged.stages()
    }

    #[test]
    fn a_stage_counts_its_calls_anew_in_each_batch_and_adds_up_its_times() {
        let stages = stages_of(&[5, 2], |stages| {
            let one = stages.stage("first", || 1);
            (0..3).for_each(|_| {
                stages.stage("second", || std::thread::sleep(Duration::from_micros(50 * one)))
            });
        });
        let calls: Vec<(&str, u64)> =
            stages.iter().map(|it| (it.name.as_str(), it.calls)).collect();
        assert_eq!(calls, [("first", 2), ("second", 6)]);
        assert!(stages[1].wall_ns >= 6.0 * 50_000.0 && stages[0].wall_ns < stages[1].wall_ns);
    }

    #[test]
    fn a_stage_is_not_asked_what_it_used_before_it_is_known_to_be_long() {
        let stages = stages_of(&[1], |stages| stages.stage("first", || ()));
        assert_eq!(stages[0].thread_cpu_ns, None);
    }

    #[test]
    #[cfg(unix)]
    fn a_stage_with_long_calls_knows_what_it_used() {
        let sleep = || std::thread::sleep(Duration::from_millis(4));
        let stages = stages_of(&[1, 1], |stages| stages.stage("waits", sleep));
        assert!(stages[0].thread_cpu_ns.unwrap() < 4_000_000, "{stages:?}");
        if cfg!(target_os = "linux") {
            assert!(stages[0].voluntary_switches >= Some(1), "{stages:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_usage_of_a_stage_is_read_where_its_calls_are_long_and_not_where_the_iteration_is() {
        let knows_usage = |rest: Duration| {
            let stages = stages_of(&[1, 1, 1], |stages| {
                (0..2_000).for_each(|_| stages.stage("often", || ()));
                stages.stage("once", || std::thread::sleep(rest));
            });
            let known = stages.iter().map(|it| (it.calls, it.thread_cpu_ns.is_some()));
            known.collect::<Vec<_>>()
        };
        assert_eq!(knows_usage(Duration::ZERO), [(2_000, false), (1, false)]);
        assert_eq!(knows_usage(Duration::from_millis(5)), [(2_000, false), (1, true)]);
    }

    #[test]
    fn the_mean_time_of_a_call_decides_whether_a_stage_is_long() {
        let mut entry = StageEntry::new("often");
        let mut is_long = |calls, wall_ns| {
            entry = StageEntry { calls, wall_ns, ..StageEntry::new("often") };
            entry.is_long()
        };
        assert!(!is_long(4_000, 14e6), "an iteration of 14 ms");
        assert!(is_long(4, 14e6) && !is_long(0, 0.0));
    }

    #[test]
    fn a_stage_that_a_batch_does_not_reach_is_not_among_its_stages() {
        let mut batch = 0;
        let stages = stages_of(&[1, 1], |stages| {
            batch += 1;
            if batch == 1 {
                stages.stage("rare", || ());
            }
        });
        assert_eq!(stages, []);
    }

    #[test]
    fn a_stage_without_a_proper_name_fails_the_batch() {
        for name in ["", " ", "lex/parse", "lex\n", "lex\u{2028}", "lex*"] {
            let stages = RefCell::new(Stages::default());
            let body = || stages.borrow_mut().stage(name, || ());
            let mut staged = StagedRoutine::new(LoopRoutine::new(body, |()| None), &stages);
            let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
            let failure = staged.batch(1, &stopwatch).unwrap_err().to_string();
            assert!(failure.contains("is no name of a stage"), "{failure}");
        }
    }
}
