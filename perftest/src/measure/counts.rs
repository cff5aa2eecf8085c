//! Counts allocations and processor events of one iteration.

use super::events::{count_of_iteration, event_of};
use super::{Allocations, Failure, Meter, Routine, Tuning, Watchdog};
use perftest_core::list::IntoList;
use perftest_core::model::{Metric, ProcessValue, SeriesKind};
use perftest_machine::Countable;

/// Iterations of a batch that counts allocations.
const COUNTED_ITERATIONS: u64 = 64;

impl Meter {
    /// Counts allocations and processor events of one iteration of a warm routine, in separate batches. Events
    /// that cannot be counted are left out. Where the first call is a measurement, only what `metrics` names is counted:
    /// an explanation is not worth another call that long.
    ///
    /// # Errors
    /// The failure of the routine, or a requested metric that cannot be counted for this routine.
    pub(crate) fn count(
        &self,
        routine: &mut dyn Routine,
        tuning: &Tuning,
        metrics: &[&str],
        besides: &[Countable],
    ) -> Result<Vec<ProcessValue>, Failure> {
        if !routine.counts_per_iteration() {
            let uncounted = metrics.iter().find(|name| event_of(name).is_some());
            return uncounted.map_or(Ok(Vec::new()), |name| Err(belongs_to_nobody(name)));
        }
        let Tuning { iterations, is_long, .. } = *tuning;
        let explains = !is_long;
        let mut counted = if explains || metrics.iter().any(|name| is_of_allocations(name)) {
            self.count_allocations(routine, iterations)?
        } else {
            Vec::new()
        };
        let judged: Vec<Countable> = metrics.iter().filter_map(|name| event_of(name)).into_list();
        let only_explains = |event: &Countable| explains && !judged.contains(event);
        let explaining: Vec<Countable> = besides.iter().copied().filter(only_explains).into_list();
        // A processor has few counters: those that only explain must leave none of the judged ones without its own.
        for events in [judged, explaining] {
            counted.extend(count_of_iteration(&events, routine, iterations, self.stopwatch())?);
        }
        Ok(counted)
    }

    /// Counts the peak in a batch of one iteration, because kept outputs would inflate longer batches, and the
    /// mean in a batch of several. Nothing without a counting allocator.
    fn count_allocations(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Vec<ProcessValue>, Failure> {
        if !Allocations::are_counted() {
            return Ok(Vec::new());
        }
        let stopwatch = self.stopwatch().counting();
        Watchdog::note_batch();
        let one = routine.batch(1, &stopwatch)?.allocated;
        let counted = iterations.min(COUNTED_ITERATIONS);
        let all = if counted > 1 { self.fewest_allocations(routine, counted)? } else { one };
        let each = |all: u64| all as f64 / counted as f64;
        Ok([
            (Metric::allocations(), each(all.count)),
            (Metric::allocated_bytes(), each(all.bytes)),
            (Metric::peak_bytes(), one.peak_bytes as f64),
        ]
        .map(|(metric, value)| ProcessValue { metric, value })
        .to_vec())
    }

    /// Counts the allocations of a batch. Those of other threads only make them more.
    fn fewest_allocations(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Allocations, Failure> {
        let stopwatch = self.stopwatch().counting();
        let mut fewest = routine.batch(iterations, &stopwatch)?.allocated;
        for _ in 1..self.counting_batches {
            let next = routine.batch(iterations, &stopwatch)?.allocated;
            if (next.count, next.bytes) < (fewest.count, fewest.bytes) {
                fewest = next;
            }
        }
        Ok(fewest)
    }
}

fn is_of_allocations(metric: &str) -> bool {
    SeriesKind::built_in(metric).is_some_and(|it| it.metric().is_of_allocations())
}

fn belongs_to_nobody(metric: &str) -> Failure {
    Failure::Series(format!(
        "`{metric}` cannot be judged because it cannot be counted in a separate process, in several \
         threads, and in `iter_custom`. Take it out of `metrics`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stopwatch::Timing;
    use crate::measure::{Stopwatch, Surroundings};
    use perftest_machine::{Sensors, SpeedProbe};
    use std::sync::Arc;

    /// Its batches allocate so often.
    struct Batches(Vec<u64>);

    impl Routine for Batches {
        fn batch(&mut self, _: u64, _: &Stopwatch) -> Result<Timing, Failure> {
            let count = self.0.remove(0);
            let allocated = Allocations { count, bytes: 8 * count, peak_bytes: 8 };
            Ok(Timing { allocated, ..Timing::default() })
        }

        fn most_iterations(&self) -> u64 {
            64
        }
    }

    #[test]
    fn beside_other_tests_the_batch_with_the_fewest_allocations_counts() {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let alone = Meter::new(Stopwatch::uncalibrated(), surroundings);
        let counted = |meter: &Meter| {
            let allocated = meter.fewest_allocations(&mut Batches(vec![70, 64, 90]), 64).unwrap();
            (allocated.count, allocated.bytes)
        };
        assert_eq!(counted(&alone), (70, 560));
        assert_eq!(counted(&alone.beside_other_tests()), (64, 512));
    }
}
