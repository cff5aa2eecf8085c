//! Run-queue wait: time in which a thread was ready to run and waited for a processor.

use perftest_core::text::Text;

/// The run-queue wait of the thread that opened it. Only Linux counts it.
pub(super) struct RunQueue {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl RunQueue {
    /// Opens the wait of the calling thread. The file stays open, because opening it costs more
    /// than a reading.
    pub(super) fn of_this_thread() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            file: std::fs::File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// Time waited so far; `None` if the system does not count it.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_ns(&self) -> Option<u64> {
        use std::os::unix::fs::FileExt;
        let mut bytes = [0; 64];
        let read = self.file.as_ref()?.read_at(&mut bytes, 0).ok()?;
        parse_wait_ns(std::str::from_utf8(&bytes[..read]).ok()?)
    }

    /// Time waited so far: this system does not count it.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn wait_ns(&self) -> Option<u64> {
        None
    }

    /// The wait of the calling thread so far. Opens the file with the first call of a thread.
    pub(super) fn waited_by_this_thread_ns() -> Option<u64> {
        thread_local! {
            static OWN: RunQueue = RunQueue::of_this_thread();
        }
        OWN.with(Self::wait_ns)
    }
}

/// Threads of this process, and the sum of their waits for a processor so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueWaits {
    pub threads: u64,
    pub wait_ns: u64,
}

impl QueueWaits {
    /// Reads the waits of all threads; `None` if the system does not count them.
    #[cfg(target_os = "linux")]
    pub(super) fn now() -> Option<Self> {
        let mut queued = Self { threads: 0, wait_ns: 0 };
        for task in std::fs::read_dir("/proc/self/task").ok()? {
            // Skip a thread that ended meanwhile.
            let Ok(text) = std::fs::read_to_string(task.ok()?.path().join("schedstat")) else {
                continue;
            };
            queued.threads += 1;
            queued.wait_ns += parse_wait_ns(&text)?;
        }
        Some(queued)
    }

    /// Reads the waits of all threads: this system does not count them.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn now() -> Option<Self> {
        None
    }

    /// Returns the wait since an earlier reading that the process's own threads do not explain: while one of
    /// them runs, each of the others may wait for it.
    pub(super) fn by_others_ns(self, earlier: Self, process_cpu_ns: u64) -> u64 {
        let waited_ns = self.wait_ns.saturating_sub(earlier.wait_ns);
        let others = self.threads.max(earlier.threads).saturating_sub(1);
        waited_ns.saturating_sub(others.saturating_mul(process_cpu_ns))
    }
}

/// The second number of a `schedstat` file.
#[cfg(any(target_os = "linux", test))]
fn parse_wait_ns(text: &str) -> Option<u64> {
    text.words().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{QueueWaits, parse_wait_ns};

    #[test]
    fn threads_that_wait_for_each_other_wait_for_nobody_else() {
        let [earlier, later] =
            [(2, 1_000), (3, 9_000)].map(|(threads, wait_ns)| QueueWaits { threads, wait_ns });
        assert_eq!(later.by_others_ns(earlier, 4_000), 0);
        assert_eq!(later.by_others_ns(earlier, 1_500), 5_000);
        assert_eq!(earlier.by_others_ns(later, 0), 0, "a thread that ended takes its wait along");
    }

    #[test]
    fn the_wait_stands_between_the_time_run_and_the_slices() {
        assert_eq!(parse_wait_ns("482113 20311 17\n"), Some(20_311));
        for text in ["", "7\n", "1 x 3", "1 -2 3"] {
            assert_eq!(parse_wait_ns(text), None, "{text}");
        }
    }
}
