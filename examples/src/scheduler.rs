//! A queue of due tasks in a `BTreeMap`: take the first, put it back for later.

use crate::seeded::Seeded;
use crate::slowdown::scale;
use std::collections::BTreeMap;

/// How many tasks wait at any time in [`input`].
pub const TASKS: u32 = 1_000;

/// How many tasks come due in the usual [`input`].
pub const EVENTS: usize = 10_000;

/// Tasks by the time they are due, in milliseconds. The number of the task keeps tasks of the
/// same millisecond apart.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    tasks: BTreeMap<(u64, u32), u32>,
}

impl Scheduler {
    /// Adds a task.
    pub fn add(&mut self, due_ms: u64, task: u32) {
        self.tasks.insert((due_ms, task), 0);
    }

    /// Runs the task that is due first and plans it again `delay_ms` later. The time at which it
    /// ran, or `None` when no task waits.
    pub fn run_next(&mut self, delay_ms: u64) -> Option<u64> {
        let ((due_ms, task), runs) = self.tasks.pop_first()?;
        self.tasks.insert((due_ms + delay_ms, task), runs + 1);
        Some(due_ms)
    }

    /// Runs a task for each delay. The time at which the last one ran, or `None` when none did.
    pub fn run_all(&mut self, delays_ms: &[u64]) -> Option<u64> {
        delays_ms.iter().fold(None, |last, &delay_ms| self.run_next(delay_ms).or(last))
    }

    /// How often all waiting tasks together have run.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.tasks.values().map(|&runs| u64::from(runs)).sum()
    }
}

/// A scheduler with [`TASKS`] tasks, and delays for `factor` times [`EVENTS`] of them.
#[must_use]
pub fn input(factor: f64, seeded: &mut Seeded) -> (Scheduler, Vec<u64>) {
    let mut scheduler = Scheduler::default();
    for task in 0..TASKS {
        scheduler.add(seeded.below(60_000), task);
    }
    let delays_ms = (0..scale(EVENTS, factor)).map(|_| 1 + seeded.below(60_000)).collect();
    (scheduler, delays_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_run_in_the_order_they_are_due() {
        let mut scheduler = Scheduler::default();
        scheduler.add(30, 1);
        scheduler.add(10, 2);
        let times: Vec<_> = [25, 100, 1].map(|delay_ms| scheduler.run_next(delay_ms)).into();
        assert_eq!(times, [Some(10), Some(30), Some(35)]);
    }

    #[test]
    fn tasks_of_the_same_millisecond_do_not_replace_each_other() {
        let mut scheduler = Scheduler::default();
        scheduler.add(5, 1);
        scheduler.add(5, 2);
        assert_eq!(scheduler.run_all(&[10, 10]), Some(5));
        assert_eq!(scheduler.run_next(1), Some(15));
    }

    #[test]
    fn an_empty_scheduler_runs_nothing() {
        assert_eq!(Scheduler::default().run_all(&[1, 2]), None);
    }

    #[test]
    fn a_slowdown_adds_events_and_no_waiting_tasks() {
        for (factor, events) in [(1.0, 10_000), (1.25, 12_500)] {
            let (mut scheduler, delays_ms) = input(factor, &mut Seeded::new(1));
            scheduler.run_all(&delays_ms);
            assert_eq!((scheduler.runs(), scheduler.tasks.len()), (events, 1_000));
        }
    }
}
