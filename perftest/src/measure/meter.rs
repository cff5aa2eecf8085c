//! The meter turns batches into measurements.

use super::run_queue::RunQueue;
use super::{Failure, Routine, Stopwatch, Surroundings};
use perftest_core::model::Measurement;
use std::time::Instant;

/// Takes measurements on the thread that made it; their start counts from then.
pub(crate) struct Meter {
    stopwatch: Stopwatch,
    surroundings: Surroundings,
    run_queue: RunQueue,
    began: Instant,
}

impl Meter {
    /// A meter with this stopwatch, in these surroundings.
    pub(crate) fn new(stopwatch: Stopwatch, surroundings: Surroundings) -> Self {
        Self {
            stopwatch,
            surroundings,
            run_queue: RunQueue::of_this_thread(),
            began: Instant::now(),
        }
    }

    /// Takes one measurement: a batch of `iterations`, with the machine's speed beside it.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn measure(
        &mut self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Measurement, Failure> {
        let before = self.surroundings.before();
        let start_ns = self.began.elapsed().as_nanos() as u64;
        let waited_ns = self.run_queue.wait_ns();
        let timing = routine.batch(iterations, &self.stopwatch)?;
        let wait_ns = self.run_queue.wait_ns().zip(waited_ns);
        let own_ns = timing.wall_ns - self.stopwatch.loop_ns() * iterations as f64;
        Ok(Measurement {
            start_ns,
            iterations,
            wall_ns: timing.wall_ns,
            value_ns: own_ns.max(0.0) / iterations as f64,
            thread_cpu_ns: timing.used.thread_cpu_ns,
            process_cpu_ns: timing.used.process_cpu_ns,
            wait_ns: wait_ns.map(|(after, before)| after.saturating_sub(before)),
            involuntary_switches: timing.used.involuntary_switches,
            voluntary_switches: timing.used.voluntary_switches,
            major_faults: timing.used.major_faults,
            minor_faults: timing.used.minor_faults,
            core_kind: self.surroundings.core_kind(),
            probes: self.surroundings.after(before, timing.used.process_cpu_ns),
        })
    }

    /// Runs a batch that is not recorded and gives its wall time.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn warm_up_ns(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<f64, Failure> {
        Ok(routine.batch(iterations, &self.stopwatch)?.wall_ns)
    }

    /// Shortest batch worth recording.
    pub(super) fn shortest_batch_ns(&self) -> f64 {
        self.stopwatch.shortest_batch_ns()
    }
}
