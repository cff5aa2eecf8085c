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
        let is_wanted = explains || metrics.iter().any(|name| is_of_allocations(name));
        let mut counted = if is_wanted && Allocations::are_counted() {
            self.count_allocations(routine, tuning)?
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
    /// mean in a batch of several. A body that is too long for a warm-up is called once.
    fn count_allocations(
        &self,
        routine: &mut dyn Routine,
        tuning: &Tuning,
    ) -> Result<Vec<ProcessValue>, Failure> {
        let batches = if tuning.is_long { 1 } else { self.counting_batches };
        let mut fewest = |iterations| self.fewest_allocations(routine, iterations, batches);
        let one = fewest(1)?;
        let counted = tuning.iterations.min(COUNTED_ITERATIONS);
        let all = if counted > 1 { fewest(counted)? } else { one };
        let each = |all: u64| all as f64 / counted as f64;
        Ok([
            (Metric::allocations(), each(all.count)),
            (Metric::allocated_bytes(), each(all.bytes)),
            (Metric::peak_bytes(), one.peak_bytes as f64),
        ]
        .map(|(metric, value)| ProcessValue { metric, value })
        .to_vec())
    }

    /// Counts the allocations of so many batches, and returns those of the batch with the fewest. Other threads only make
    /// them more.
    fn fewest_allocations(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
        batches: u32,
    ) -> Result<Allocations, Failure> {
        let stopwatch = self.stopwatch().counting();
        let mut count = || {
            Watchdog::note_batch();
            Ok(routine.batch(iterations, &stopwatch)?.allocated)
        };
        let mut fewest = count()?;
        for _ in 1..batches {
            let next = count()?;
            let of = |it: Allocations| (it.count, it.bytes, it.peak_bytes);
            if of(next) < of(fewest) {
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
            let allocated = Allocations { count, bytes: 8 * count, peak_bytes: 8 * count };
            Ok(Timing { allocated, ..Timing::default() })
        }

        fn most_iterations(&self) -> u64 {
            64
        }
    }

    fn meter() -> Meter {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        Meter::new(Stopwatch::uncalibrated(), surroundings)
    }

    fn tuning(iterations: u64) -> Tuning {
        Tuning { iterations, warm_up: Vec::new(), first: None, is_long: false, rewarms: false }
    }

    /// The mean number of allocations, and the largest number of bytes held at once.
    fn counted(meter: &Meter, tuning: &Tuning, batches: &[u64]) -> [f64; 2] {
        let mut routine = Batches(batches.to_vec());
        let values = meter.count_allocations(&mut routine, tuning).unwrap();
        assert!(routine.0.is_empty(), "all of these batches are counted");
        [values[0].value, values[2].value]
    }

    #[test]
    fn beside_other_tests_the_batch_with_the_fewest_allocations_counts() {
        let (alone, beside) = (meter(), meter().beside_other_tests());
        assert_eq!(counted(&alone, &tuning(64), &[3, 128]), [2.0, 24.0]);
        assert_eq!(counted(&beside, &tuning(64), &[3, 2, 3, 128, 64, 192]), [1.0, 16.0]);
        assert_eq!(counted(&beside, &tuning(1), &[9, 3, 7]), [3.0, 24.0], "one call a batch");
        let long = Tuning { is_long: true, ..tuning(1) };
        assert_eq!(counted(&beside, &long, &[9]), [9.0, 72.0], "too long to be called again");
    }
}
