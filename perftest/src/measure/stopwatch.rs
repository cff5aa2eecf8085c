//! The stopwatch: a calibrated clock, the cost of the empty loop, and the accounting round a batch.

use super::{bench_loop, usage::Usage};
use crate::clock::{Clock, ClockKind};

/// Iterations of the empty loop whose cost is measured once.
const EMPTY_ITERATIONS: u64 = 1 << 14;

/// A clock and the cost of the empty loop, measured once a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stopwatch {
    clock: Clock,
    loop_ns: f64,
}

/// One batch as timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    /// Wall time between the two clock reads.
    pub wall_ns: f64,
    /// What this thread and process used, read outside the two.
    pub used: Usage,
}

impl Stopwatch {
    /// Calibrates the clock and the empty loop; some milliseconds.
    pub(crate) fn calibrate(kind: ClockKind) -> Self {
        let clock = Clock::calibrate(kind);
        let empty = || clock.time_ns(|| bench_loop::discard(EMPTY_ITERATIONS, &mut || ()));
        let best_ns = (0..10).map(|_| empty()).fold(f64::MAX, f64::min);
        Self { clock, loop_ns: best_ns / EMPTY_ITERATIONS as f64 }
    }

    /// A stopwatch for batches whose time is of no interest. Making it depends on no clock, so a
    /// process that only counts executes the same each time.
    pub(crate) fn uncalibrated() -> Self {
        Self { clock: Clock::uncalibrated(), loop_ns: 0.0 }
    }

    /// Times `work`.
    #[inline]
    pub(super) fn time(&self, work: impl FnOnce()) -> Timing {
        let before = Usage::before();
        let wall_ns = self.clock.time_ns(work);
        Timing { wall_ns, used: Usage::after().since(before) }
    }

    /// What one round of the empty loop costs.
    pub(super) fn loop_ns(&self) -> f64 {
        self.loop_ns
    }

    /// Shortest batch this clock can tell to a thousandth.
    pub(super) fn shortest_batch_ns(&self) -> f64 {
        1_000.0 * self.clock.precision_ns()
    }

    /// `tsc, steps of 10.0 ns`
    pub(crate) fn describe(&self) -> String {
        format!("{}, steps of {:.1} ns", self.clock.name(), self.clock.precision_ns())
    }
}
