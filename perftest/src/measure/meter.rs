//! The meter: a calibrated clock, the cost of the empty loop, and the accounting round a batch.

use super::{Failure, bench_loop, routine::Routine, usage::Usage};
use crate::clock::{Clock, ClockKind};
use perftest_core::model::Measurement;
use std::time::Instant;

/// Iterations of the empty loop whose cost is measured once.
const EMPTY_ITERATIONS: u64 = 1 << 14;

/// A clock and the cost of the empty loop, measured once a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibration {
    clock: Clock,
    loop_ns: f64,
}

impl Calibration {
    /// Calibrates the clock and the empty loop; some milliseconds.
    pub(crate) fn measure(kind: ClockKind) -> Self {
        let clock = Clock::calibrate(kind);
        let empty = || clock.time_ns(|| bench_loop::discard(EMPTY_ITERATIONS, &mut || ()));
        let best_ns = (0..10).map(|_| empty()).fold(f64::MAX, f64::min);
        Self { clock, loop_ns: best_ns / EMPTY_ITERATIONS as f64 }
    }

    /// `tsc, steps of 0.4 ns`
    pub(crate) fn describe(&self) -> String {
        format!("{}, steps of {:.1} ns", self.clock.name(), self.clock.precision_ns())
    }
}

/// Measures batches.
pub(crate) struct Meter {
    calibration: Calibration,
    began: Instant,
}

/// One batch as timed: wall time between the clock reads and what was used meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    wall_ns: f64,
    used: Usage,
}

impl Timing {
    /// Wall time between the two clock reads.
    pub(crate) fn wall_ns(&self) -> f64 {
        self.wall_ns
    }
}

impl Meter {
    /// A meter of this calibration.
    pub(crate) fn new(calibration: Calibration) -> Self {
        Self { calibration, began: Instant::now() }
    }

    /// Times `work`: the accounting is read outside the two clock reads.
    #[inline]
    pub(super) fn time(&self, work: impl FnOnce()) -> Timing {
        let before = Usage::before();
        let wall_ns = self.calibration.clock.time_ns(work);
        let used = Usage::after().since(before);
        Timing { wall_ns, used }
    }

    /// Takes one measurement: a batch of `iterations`.
    pub(crate) fn measure(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Measurement, Failure> {
        let start_ns = self.began.elapsed().as_nanos() as u64;
        let timing = routine.batch(iterations, self)?;
        let own_ns = timing.wall_ns - self.calibration.loop_ns * iterations as f64;
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

    /// Shortest batch this clock can tell to a thousandth.
    pub(super) fn shortest_batch_ns(&self) -> f64 {
        1_000.0 * self.calibration.clock.precision_ns()
    }
}
