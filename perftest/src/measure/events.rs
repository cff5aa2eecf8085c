//! Processor events during a batch.

use super::{Failure, Routine, Stopwatch, Watchdog};
use perftest_core::list::IntoList;
use perftest_core::model::{InstructionCounter, Metric, ProcessValue};
use perftest_machine::{Countable, Counter};

/// Returns the processor event of a metric; `None` for other metrics.
pub(crate) fn event_of(metric: &str) -> Option<Countable> {
    Countable::ALL.iter().copied().find(|event| metric_of(*event).name == metric)
}

fn metric_of(event: Countable) -> Metric {
    match event {
        Countable::Instructions => Metric::instructions(InstructionCounter::Processor),
        Countable::Cycles => Metric::cycles(),
        Countable::BranchMisses => Metric::branch_misses(),
        Countable::CacheMisses => Metric::cache_misses(),
    }
}

/// Runs a batch and returns the instructions of this thread in user space; `None` where they cannot be
/// counted. The set-up of the inputs and the drops of the outputs are counted too.
///
/// # Errors
/// The failure of the routine, and [`Failure::Uncountable`]: what this thread does for such a routine is not its work.
pub(crate) fn count_instructions(
    routine: &mut dyn Routine,
    iterations: u64,
    stopwatch: &Stopwatch,
) -> Result<Option<u64>, Failure> {
    if !routine.counts_per_iteration() {
        return Err(Failure::Uncountable);
    }
    let counted =
        EventCounters::of(&[Countable::Instructions]).count(routine, iterations, stopwatch)?;
    Ok(counted.into_iter().next().flatten())
}

/// Counts these events of one iteration, without those that cannot be counted. The difference to a batch
/// with half the iterations removes the cost of the batch itself.
///
/// # Errors
/// The failure of the routine.
pub(super) fn count_of_iteration(
    events: &[Countable],
    routine: &mut dyn Routine,
    iterations: u64,
    stopwatch: &Stopwatch,
) -> Result<Vec<ProcessValue>, Failure> {
    let counters = EventCounters::of(events);
    if counters.are_absent() {
        return Ok(Vec::new());
    }
    let half = iterations / 2;
    let all = counters.count(routine, iterations, stopwatch)?;
    let less = match half {
        0 => vec![Some(0); events.len()],
        half => counters.count(routine, half, stopwatch)?,
    };
    let value = |((event, all), less): ((&Countable, Option<u64>), Option<u64>)| {
        let more = all?.saturating_sub(less?);
        let value = more as f64 / (iterations - half) as f64;
        Some(ProcessValue { metric: metric_of(*event), value })
    };
    Ok(events.iter().zip(all).zip(less).filter_map(value).into_list())
}

/// Counters that run side by side; `None` for those that are not available.
struct EventCounters(Vec<Option<Counter>>);

impl EventCounters {
    fn of(events: &[Countable]) -> Self {
        Self(events.iter().map(|event| Counter::of_this_thread(*event).ok()).into_list())
    }

    fn are_absent(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    fn read(&self) -> Vec<Option<u64>> {
        self.0.iter().map(|counter| counter.as_ref()?.read().ok()).into_list()
    }

    /// Runs a batch and returns the counts.
    fn count(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
        stopwatch: &Stopwatch,
    ) -> Result<Vec<Option<u64>>, Failure> {
        Watchdog::note_batch();
        let before = self.read();
        routine.batch(iterations, stopwatch)?;
        let after = self.read().into_iter();
        Ok(after.zip(before).map(|(after, before)| Some(after? - before?)).into_list())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CommandRoutine, CustomRoutine, LoopRoutine, Meter, Surroundings, Tuning};
    use super::*;
    use perftest_core::model::SeriesKind;
    use perftest_machine::{Sensors, SpeedProbe};
    use std::hint::black_box;
    use std::ops::AddAssign;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn as_many_iterations_run_as_are_to_be_counted() {
        let stopwatch = Stopwatch::uncalibrated();
        let mut calls = 0_u64;
        let mut routine = LoopRoutine::new(
            || {
                calls += 1;
                black_box(calls)
            },
            |_| None,
        );
        let counted = count_instructions(&mut routine, 1_000, &stopwatch).unwrap();
        // A counting processor reports at least one instruction for an iteration.
        assert!(counted.is_none_or(|instructions| instructions >= 1_000), "{counted:?}");
        drop(routine);
        assert_eq!(calls, 1_000);
    }

    #[test]
    fn a_process_and_what_the_author_times_have_no_instructions_and_do_not_run() {
        let stopwatch = Stopwatch::uncalibrated();
        let mut custom = CustomRoutine::new(|_| unreachable!("it would be counted"));
        let mut command = CommandRoutine::new(|| unreachable!("it would be counted"));
        let routines: [&mut dyn Routine; 2] = [&mut custom, &mut command];
        for routine in routines {
            assert_eq!(count_instructions(routine, 1, &stopwatch), Err(Failure::Uncountable));
        }
    }

    #[test]
    fn an_iteration_is_counted_where_the_processor_counts_and_else_not_run() {
        let stopwatch = Stopwatch::uncalibrated();
        let can_count = Counter::of_this_thread(Countable::Instructions).is_ok();
        for (iterations, expected_calls) in [(1, 1), (1_000, 1_500)] {
            let mut calls = 0_u64;
            let mut routine = LoopRoutine::new(|| black_box(&mut calls).add_assign(1), |()| None);
            let events = [Countable::Instructions];
            let counted =
                count_of_iteration(&events, &mut routine, iterations, &stopwatch).unwrap();
            drop(routine);
            assert_eq!(calls, if can_count { expected_calls } else { 0 });
            assert!(counted.len() <= usize::from(can_count), "{counted:?}");
            assert!(counted.iter().all(|it| it.value >= 1.0), "{counted:?}");
        }
    }

    #[test]
    fn the_meter_counts_what_only_explains_and_what_nobody_counts_is_no_failure() {
        let can_count = Counter::of_this_thread(Countable::Instructions).is_ok();
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let meter = Meter::new(Stopwatch::uncalibrated(), surroundings);
        let names = |counted: Vec<ProcessValue>| -> Vec<String> {
            counted.into_iter().map(|it| it.metric.name).collect()
        };
        let mut looped = LoopRoutine::new(|| black_box(7), |_| None);
        let tuning = Tuning {
            iterations: 64,
            warm_up: Vec::new(),
            first: None,
            is_long: false,
            rewarms: true,
        };
        let counted = names(meter.count(&mut looped, &tuning, &[], &Countable::ALL).unwrap());
        assert!(!can_count || counted.iter().any(|it| it == "instructions"), "{counted:?}");
        assert_eq!(names(meter.count(&mut looped, &tuning, &[], &[]).unwrap()), [""; 0]);
        // Counts do not apply to a routine that the author times.
        let mut custom = CustomRoutine::new(|_| Duration::from_millis(1));
        assert_eq!(
            names(meter.count(&mut custom, &tuning, &[], &Countable::ALL).unwrap()),
            [""; 0]
        );
        assert!(meter.count(&mut custom, &tuning, &["cycles"], &[]).is_err());
    }

    #[test]
    fn every_event_is_a_built_in_metric() {
        for event in Countable::ALL {
            let metric = metric_of(event);
            assert_eq!(event_of(&metric.name), Some(event));
            assert_eq!(SeriesKind::built_in(&metric.name), Some(SeriesKind::Process(metric)));
        }
        assert_eq!(event_of("wall"), None);
    }
}
