//! The meter turns batches into measurements.

use super::{Failure, Routine, Stopwatch};
use perftest_core::model::Measurement;
use std::time::Instant;

/// Takes measurements; their start counts from when it was made.
pub(crate) struct Meter {
    stopwatch: Stopwatch,
    began: Instant,
}

impl Meter {
    /// A meter with this stopwatch.
    pub(crate) fn new(stopwatch: Stopwatch) -> Self {
        Self { stopwatch, began: Instant::now() }
    }

    /// Takes one measurement: a batch of `iterations`.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn measure(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Measurement, Failure> {
        let start_ns = self.began.elapsed().as_nanos() as u64;
        let timing = routine.batch(iterations, &self.stopwatch)?;
        let own_ns = timing.wall_ns - self.stopwatch.loop_ns() * iterations as f64;
        Ok(Measurement {
            start_ns,
            iterations,
            wall_ns: timing.wall_ns,
            value_ns: own_ns.max(0.0) / iterations as f64,
            thread_cpu_ns: timing.used.thread_cpu_ns,
            process_cpu_ns: timing.used.process_cpu_ns,
            involuntary_switches: timing.used.involuntary_switches,
            voluntary_switches: timing.used.voluntary_switches,
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
