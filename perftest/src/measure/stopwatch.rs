//! The stopwatch: a calibrated clock, the cost of the empty loop, and the accounting round a batch.
//!
//! The loop's own round is part of a value. Alone it takes 0.34 ns at 3.0 GHz, and up to 0.66 ns where a neighbour
//! shares the core; beside a body that waits for its operands it takes nothing. Subtracting it made bodies of 2 ns
//! differ by 17% between processes whose batches took the same time.

use super::allocation::Allocations;
use super::run_queue::RunQueue;
use super::starting_line::StartingLine;
use super::{bench_loop, usage::UsageReading};
use crate::clock::{Clock, ClockKind};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Iterations of the empty loop whose cost is measured once.
const EMPTY_ITERATIONS: u16 = 1 << 14;

/// Time in which an idle processor starts a woken thread: thirty microseconds in a virtual machine, and some
/// room. A thread that other work keeps waiting waits for a time slice, 0.7 ms and more.
const WAKE_UP_NS: u64 = 50_000;

/// A clock and the cost of the empty loop, measured once a process.
#[derive(Debug, Clone)]
pub(crate) struct Stopwatch {
    clock: Clock,
    /// See [`round_ns`](Self::round_ns).
    round_ns: f64,
    /// Where threads wait for each other before they read the clock.
    line: Option<Arc<StartingLine>>,
    accounting: Accounting,
    /// Time of creation; `None` where time does not matter.
    made: Option<Instant>,
}

/// What is read round a batch, besides the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accounting {
    Usage,
    Allocations,
    Nothing,
}

/// The timing of one batch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Timing {
    /// Wall time between the two clock reads.
    pub wall_ns: f64,
    /// Time in which this thread, one of several that work at once, had no processor against its will.
    pub apart_ns: Option<f64>,
    /// Usage of thread and process, read outside the two clock reads.
    pub used: UsageReading,
    /// Whether another thread than the requesting one measured the batch.
    pub is_of_another_thread: bool,
    /// Allocations meanwhile; zero if they were not counted.
    pub allocated: Allocations,
}

/// The start of a batch on one of several threads.
struct TeamStart {
    /// Time for which the other threads could already work.
    late_ns: f64,
    /// Wait of this thread for a processor so far.
    waited_ns: Option<u64>,
}

impl TeamStart {
    /// Waits for the other threads.
    fn at(line: &StartingLine) -> Self {
        Self { late_ns: line.wait(), waited_ns: RunQueue::waited_by_this_thread_ns() }
    }

    /// Returns the timing from the common start on.
    fn completed(self, timing: Timing) -> Timing {
        let waited_ns = RunQueue::waited_by_this_thread_ns().zip(self.waited_ns);
        let waited_ns = waited_ns.map_or(0, |(now, then)| now.saturating_sub(then));
        let own_waits = timing.used.voluntary_switches.unwrap_or(0);
        let lost_ns = match timing.used.thread_cpu_ns {
            // A thread that never waited by itself lost all other time, also to the host.
            Some(cpu_ns) if own_waits == 0 => timing.wall_ns - cpu_ns as f64,
            _ => waited_ns.saturating_sub(own_waits * WAKE_UP_NS) as f64,
        };
        Timing {
            wall_ns: self.late_ns + timing.wall_ns,
            apart_ns: Some(self.late_ns + lost_ns.max(0.0)),
            ..timing
        }
    }
}

impl Timing {
    /// Creates the timing of a batch without usage.
    pub(super) fn without_usage(wall_ns: f64) -> Self {
        Self { wall_ns, ..Self::default() }
    }
}

impl Stopwatch {
    /// Calibrates the clock and the empty loop; about a millisecond.
    pub(crate) fn calibrate(kind: ClockKind) -> Self {
        let made = Instant::now();
        let clock = Clock::calibrate(kind);
        let mut slots = [MaybeUninit::uninit(); EMPTY_ITERATIONS as usize];
        let mut empty = || clock.time_ns(|| bench_loop::keep(&mut slots, &mut || ()));
        let best_ns = (0..10).map(|_| empty()).fold(f64::MAX, f64::min);
        Self {
            clock,
            round_ns: best_ns / f64::from(EMPTY_ITERATIONS),
            line: None,
            accounting: Accounting::Usage,
            made: Some(made),
        }
    }

    /// Returns the time since the creation; `None` if time does not matter.
    pub(super) fn age(&self) -> Option<Duration> {
        Some(self.made?.elapsed())
    }

    /// Returns a stopwatch for batches that count allocations, whose time does not matter.
    pub(super) fn counting(&self) -> Self {
        Self { accounting: Accounting::Allocations, ..self.clone() }
    }

    /// Returns a stopwatch that reads only the clock round a batch.
    ///
    /// Where other work waits for a processor, Linux lets it run when a thread reads its processor time. All waits for
    /// a processor would be there, and none in the measured loop.
    pub(super) fn without_usage(&self) -> Self {
        Self { accounting: Accounting::Nothing, ..self.clone() }
    }

    /// Creates a stopwatch for batches whose time does not matter. It depends on no clock, so a process that
    /// only counts executes the same instructions each time.
    pub(crate) fn uncalibrated() -> Self {
        Self {
            clock: Clock::uncalibrated(),
            round_ns: 0.0,
            line: None,
            accounting: Accounting::Usage,
            made: None,
        }
    }

    /// Returns a stopwatch for one batch of several threads, which starts when all are at the barrier.
    pub(super) fn behind(&self, line: &Arc<StartingLine>) -> Self {
        Self { line: Some(Arc::clone(line)), ..self.clone() }
    }

    /// Times `work`, one of our loops.
    #[inline]
    pub(super) fn time(&self, work: impl FnOnce()) -> Timing {
        let start = self.line.as_ref().map(|line| TeamStart::at(line));
        let before = self.begin();
        let wall_ns = self.clock.time_ns(work);
        let timing = self.timing(wall_ns, before);
        start.map_or(timing, |start| start.completed(timing))
    }

    /// Times awaited `work`, one of our loops.
    #[inline]
    pub(super) async fn time_awaited(&self, work: impl Future<Output = ()>) -> Timing {
        let before = self.begin();
        let wall_ns = self.clock.time_awaited_ns(work).await;
        self.timing(wall_ns, before)
    }

    /// Times `work` without a loop and without usage.
    #[inline]
    pub(super) fn time_once(&self, work: impl FnOnce()) -> f64 {
        self.clock.time_ns(work)
    }

    /// Returns the wall time of `work`, a part of a batch, and its output. The output is observable, so that its work is
    /// done here even if the caller drops it.
    #[inline]
    pub(super) fn time_with_output<T>(&self, work: impl FnOnce() -> T) -> (f64, T) {
        let mut output = None;
        let wall_ns = self.clock.time_ns(|| {
            output = Some(work());
            black_box(&output);
        });
        let Some(output) = output else { unreachable!("the clock runs what it times") };
        (wall_ns, output)
    }

    /// Begins the accounting of a batch, and returns the usage before it where that is read.
    #[inline]
    fn begin(&self) -> UsageReading {
        match self.accounting {
            Accounting::Usage => return UsageReading::before(),
            Accounting::Allocations => Allocations::start(),
            Accounting::Nothing => {}
        }
        UsageReading::default()
    }

    fn timing(&self, wall_ns: f64, before: UsageReading) -> Timing {
        let timing = Timing::without_usage(wall_ns);
        match self.accounting {
            Accounting::Usage => Timing { used: UsageReading::after().since(before), ..timing },
            Accounting::Allocations => Timing { allocated: Allocations::stop(), ..timing },
            Accounting::Nothing => timing,
        }
    }

    /// Returns what a round of the loop takes at least, without a body.
    pub(crate) fn round_ns(&self) -> f64 {
        self.round_ns
    }

    /// Returns the shortest batch that the clock resolves to 0.1%.
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
