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

/// The start of one batch of several threads.
#[derive(Debug)]
pub(super) struct StartingLine {
    missing: AtomicUsize,
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
            missing: AtomicUsize::new(threads),
            is_open: AtomicBool::new(false),
            looks: if is_crowd { LOOKS_IN_A_CROWD } else { LOOKS },
            made: Instant::now(),
            last_came_ns: AtomicU64::new(0),
        }
    }

    /// Waits until all threads have arrived or the barrier is open. Returns the time since the last arrival,
    /// which is long if this thread had no processor then. Call it once for each thread.
    pub(super) fn wait(&self) -> f64 {
        self.last_came_ns.fetch_max(self.now_ns(), Ordering::Relaxed);
        self.missing.fetch_sub(1, Ordering::AcqRel);
        let mut looks = 0;
        while self.missing.load(Ordering::Acquire) > 0 && !self.is_open.load(Ordering::Acquire) {
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

    #[test]
    fn who_does_not_come_keeps_nobody_waiting() {
        let line = StartingLine::of(2, true);
        thread::scope(|scope| {
            scope.spawn(|| line.wait());
            line.open();
        });
    }
}
