//! The stopwatch: a calibrated clock, the cost of the empty loop, and the accounting round a batch.

use super::allocation::Allocations;
use super::{bench_loop, usage::Usage};
use crate::clock::{Clock, ClockKind};

/// Iterations of the empty loop whose cost is measured once.
const EMPTY_ITERATIONS: u64 = 1 << 14;

/// A clock and the cost of the empty loop, measured once a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stopwatch {
    clock: Clock,
    loop_ns: f64,
    counts_allocations: bool,
}

/// One batch as timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    /// Wall time between the two clock reads.
    pub wall_ns: f64,
    /// What this thread and process used, read outside the two.
    pub used: Usage,
    /// What was allocated meanwhile; nothing where that was not counted.
    pub allocated: Allocations,
}

impl Stopwatch {
    /// Calibrates the clock and the empty loop; some milliseconds.
    pub(crate) fn calibrate(kind: ClockKind) -> Self {
        let clock = Clock::calibrate(kind);
        let empty = || clock.time_ns(|| bench_loop::discard(EMPTY_ITERATIONS, &mut || ()));
        let best_ns = (0..10).map(|_| empty()).fold(f64::MAX, f64::min);
        Self { clock, loop_ns: best_ns / EMPTY_ITERATIONS as f64, counts_allocations: false }
    }

    /// The same stopwatch, for batches whose allocations are counted and whose time does not matter.
    pub(super) fn counting(self) -> Self {
        Self { counts_allocations: true, ..self }
    }

    /// Times `work`.
    #[inline]
    pub(super) fn time(&self, work: impl FnOnce()) -> Timing {
        if self.counts_allocations {
            return self.count(work);
        }
        let before = Usage::before();
        let wall_ns = self.clock.time_ns(work);
        let used = Usage::after().since(before);
        Timing { wall_ns, used, allocated: Allocations::default() }
    }

    #[cold]
    fn count(&self, work: impl FnOnce()) -> Timing {
        Allocations::start();
        let wall_ns = self.clock.time_ns(work);
        Timing { wall_ns, used: Usage::default(), allocated: Allocations::stop() }
    }

    /// Wall time of `work`, a part of a batch, and what it returns.
    #[inline]
    pub(super) fn time_with_output<T>(&self, work: impl FnOnce() -> T) -> (f64, T) {
        let mut output = None;
        let wall_ns = self.clock.time_ns(|| output = Some(work()));
        let Some(output) = output else { unreachable!("the clock runs what it times") };
        (wall_ns, output)
    }

    /// What one round of the empty loop costs.
    pub(super) fn loop_ns(&self) -> f64 {
        self.loop_ns
    }

    /// Shortest batch this clock can tell to a thousandth.
    pub(super) fn shortest_batch_ns(&self) -> f64 {
        1_000.0 * self.clock.precision_ns()
    }

    /// Smallest step of the clock.
    pub(super) fn precision_ns(&self) -> f64 {
        self.clock.precision_ns()
    }

    /// `tsc, steps of 10.0 ns`
    pub(crate) fn describe(&self) -> String {
        format!("{}, steps of {:.1} ns", self.clock.name(), self.clock.precision_ns())
    }
}
