//! Where threads wait for each other, so that their batches begin together.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::yield_now;

/// Looks before a thread that waits lets others have its processor: some tens of microseconds, in
/// which threads with a processor each arrive. Where there are fewer processors, those that are
/// missing need this one.
const LOOKS: u32 = 1_000;

/// The start of one batch of several threads.
#[derive(Debug)]
pub(super) struct StartingLine {
    missing: AtomicUsize,
    is_open: AtomicBool,
}

impl StartingLine {
    /// For so many threads.
    pub(super) fn of(threads: usize) -> Self {
        Self { missing: AtomicUsize::new(threads), is_open: AtomicBool::new(false) }
    }

    /// Returns when all have come, or nobody needs to be waited for any more. Once for each thread.
    pub(super) fn wait(&self) {
        self.missing.fetch_sub(1, Ordering::AcqRel);
        let mut looks = 0;
        while self.missing.load(Ordering::Acquire) > 0 && !self.is_open.load(Ordering::Acquire) {
            if looks < LOOKS {
                looks += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
    }

    /// Lets everybody pass: somebody will not come.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    #[test]
    fn nobody_passes_before_all_have_come() {
        let (line, came) = (StartingLine::of(3), AtomicU32::new(0));
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
        let line = StartingLine::of(2);
        thread::scope(|scope| {
            scope.spawn(|| line.wait());
            line.open();
        });
    }
}
