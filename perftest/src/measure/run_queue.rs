//! Time a thread was ready to run and waited for a processor.

/// The run-queue wait of the thread that opened it. Only Linux tells.
pub(super) struct RunQueue {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl RunQueue {
    /// The wait of the calling thread: the file stays open, because opening costs more than a
    /// reading.
    pub(super) fn of_this_thread() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            file: std::fs::File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// Time waited so far; `None` where it is not counted.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_ns(&self) -> Option<u64> {
        use std::os::unix::fs::FileExt;
        let mut bytes = [0; 64];
        let read = self.file.as_ref()?.read_at(&mut bytes, 0).ok()?;
        parse_wait_ns(std::str::from_utf8(&bytes[..read]).ok()?)
    }

    /// Time waited so far: not counted on this system.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn wait_ns(&self) -> Option<u64> {
        None
    }
}

/// The second number of a `schedstat` file.
#[cfg(any(target_os = "linux", test))]
fn parse_wait_ns(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parse_wait_ns;

    #[test]
    fn the_wait_stands_between_the_time_run_and_the_slices() {
        assert_eq!(parse_wait_ns("482113 20311 17\n"), Some(20_311));
        for text in ["", "7\n", "1 x 3", "1 -2 3"] {
            assert_eq!(parse_wait_ns(text), None, "{text}");
        }
    }
}
