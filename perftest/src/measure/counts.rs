//! Counts allocations and processor events of one iteration.

use super::events::{count_of_iteration, event_of};
use super::{Allocations, Failure, Meter, Routine, Tuning, Watchdog};
use perftest_core::list::IntoList;
use perftest_core::model::{Metric, ProcessValue};
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
        let Tuning { iterations, ref first, .. } = *tuning;
        let explains = first.is_none();
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
        let all = if counted > 1 { routine.batch(counted, &stopwatch)?.allocated } else { one };
        let each = |all: u64| all as f64 / counted as f64;
        Ok([
            (Metric::allocations(), each(all.count)),
            (Metric::allocated_bytes(), each(all.bytes)),
            (Metric::peak_bytes(), one.peak_bytes as f64),
        ]
        .map(|(metric, value)| ProcessValue { metric, value })
        .to_vec())
    }
}

fn is_of_allocations(metric: &str) -> bool {
    let all = [Metric::allocations(), Metric::allocated_bytes(), Metric::peak_bytes()];
    all.iter().any(|it| it.name == metric)
}

fn belongs_to_nobody(metric: &str) -> Failure {
    Failure::Series(format!(
        "`{metric}` cannot be judged because it cannot be counted in a separate process, in several \
         threads, and in `iter_custom`. Take it out of `metrics`"
    ))
}
