//! Time-outs of waits for other processes and threads.

use std::time::{Duration, Instant};

/// Even a busy machine wakes who waits within that.
const LATEST_WAKE: Duration = Duration::from_secs(1);

/// Returns whether this process was stopped for longer than the rest of a wait for at most `longest`, which began at `began`
/// and has just ended: Ctrl-Z, a paused container, or no processor at all. Whoever was waited for may have been stopped,
/// too, so such a time-out proves nothing and begins again.
///
/// A shorter stop counts as waiting. To notice it, the waiting thread would have to wake up beside the measurement that it
/// waits for.
pub fn was_stopped(began: Instant, longest: Duration) -> bool {
    began.elapsed().saturating_sub(longest) > LATEST_WAKE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_ends_long_after_its_end_was_one_of_a_stopped_process() {
        let longest = Duration::from_secs(2);
        let began = Instant::now();
        let before = |time| began.checked_sub(time).unwrap();
        assert!(!was_stopped(began, longest), "it ended early");
        assert!(was_stopped(before(2 * longest), longest));
        assert!(!was_stopped(before(2 * longest), Duration::MAX));
    }
}
