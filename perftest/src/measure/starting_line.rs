//! A barrier for threads, so that their batches start together.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::Instant;

/// Spins of a waiting thread before it yields: some milliseconds, so that it has a processor when the last
/// thread arrives, also on a busy machine.
const LOOKS: u32 = 100_000;
/// Spins where other threads of the batch need the processor to arrive.
const LOOKS_IN_A_CROWD: u32 = 100;

/// A thread that goes on this much later than the last one came had no processor.
const LATE_NS: f64 = 5_000.0;
/// Most attempts to start at once. Each may last a time slice of the scheduler, some milliseconds.
const ATTEMPTS: usize = 10;

/// The start of one batch of several threads.
///
/// On a busy machine a thread comes last because it had no processor, and meanwhile another one may have lost its own.
/// So the threads meet again until all of them went on at once: then they begin with a processor each.
#[derive(Debug)]
pub(super) struct StartingLine {
    threads: usize,
    attempts: usize,
    /// Arrivals in all attempts.
    came: AtomicUsize,
    /// The number of the newest attempt behind one in which a thread was late.
    behind_late: AtomicUsize,
    is_open: AtomicBool,
    looks: u32,
    made: Instant,
    /// Time from the creation until the last arrival so far.
    last_came_ns: AtomicU64,
}

impl StartingLine {
    /// Creates a barrier for this many threads; in a crowd there are more threads than processors.
    pub(super) fn of(threads: usize, is_crowd: bool) -> Self {
        Self {
            threads,
            // Threads of a crowd never go on at once, and one alone always does.
            attempts: if is_crowd || threads < 2 { 1 } else { ATTEMPTS },
            came: AtomicUsize::new(0),
            behind_late: AtomicUsize::new(0),
            is_open: AtomicBool::new(false),
            looks: if is_crowd { LOOKS_IN_A_CROWD } else { LOOKS },
            made: Instant::now(),
            last_came_ns: AtomicU64::new(0),
        }
    }

    /// Waits until all threads have arrived and go on at once, or the barrier is open. Returns the time since the last
    /// arrival, which is long if this thread had no processor then. Call it once for each thread.
    pub(super) fn wait(&self) -> f64 {
        let mut late_ns = self.meet(1);
        for attempt in 2..=self.attempts {
            if late_ns > LATE_NS {
                self.behind_late.fetch_max(attempt, Ordering::AcqRel);
            }
            late_ns = self.meet(attempt);
            // A thread that is faster begins one further attempt only if it has seen the same.
            if self.behind_late.load(Ordering::Acquire) < attempt {
                break;
            }
        }
        late_ns
    }

    /// Waits until all threads have arrived for this attempt.
    fn meet(&self, attempt: usize) -> f64 {
        self.last_came_ns.fetch_max(self.now_ns(), Ordering::Relaxed);
        self.came.fetch_add(1, Ordering::AcqRel);
        let all = attempt * self.threads;
        let mut looks = 0;
        while self.came.load(Ordering::Acquire) < all && !self.is_open.load(Ordering::Acquire) {
            if looks < self.looks {
                looks += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
        self.now_ns().saturating_sub(self.last_came_ns.load(Ordering::Relaxed)) as f64
    }

    /// Opens the barrier, because a thread will not arrive.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Release);
    }

    fn now_ns(&self) -> u64 {
        self.made.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    #[test]
    fn nobody_passes_before_all_have_come() {
        let (line, came) = (StartingLine::of(3, false), AtomicU32::new(0));
        let seen = thread::scope(|scope| {
            let come = || {
                came.fetch_add(1, Ordering::SeqCst);
                line.wait();
                came.load(Ordering::SeqCst)
            };
            let others = [scope.spawn(come), scope.spawn(come)];
            let own = come();
            others.map(|other| other.join().unwrap()).into_iter().chain([own]).collect::<Vec<_>>()
        });
        assert_eq!(seen, [3, 3, 3]);
    }

    /// Returns the arrivals of two threads, of which one was late in the attempt before this one.
    fn arrivals_behind_late(attempt: usize) -> usize {
        let line = StartingLine::of(2, false);
        line.behind_late.store(attempt, Ordering::Release);
        thread::scope(|scope| {
            scope.spawn(|| line.wait());
            line.wait();
        });
        line.came.into_inner()
    }

    #[test]
    fn threads_meet_again_behind_an_attempt_in_which_one_was_late_and_not_for_ever() {
        // The machine may make one late as well.
        assert!(arrivals_behind_late(0) >= 2 * 2);
        assert!(arrivals_behind_late(2) >= 2 * 3);
        assert_eq!(arrivals_behind_late(usize::MAX), 2 * ATTEMPTS);
    }

    #[test]
    fn who_does_not_come_keeps_nobody_waiting() {
        let line = StartingLine::of(2, true);
        thread::scope(|scope| {
            scope.spawn(|| line.wait());
            line.open();
        });
    }
}
