//! The time that a loop of short looks has waited.

use std::time::{Duration, Instant};

/// The time of a wait that looks every few milliseconds. Only time in which this process ran counts: where it was stopped,
/// as by Ctrl-Z, or got no processor, whoever is waited for may have got none either.
#[derive(Debug)]
pub struct WaitedTime {
    waited: Duration,
    last: Instant,
}

impl WaitedTime {
    /// Most that counts of the time from one call of [`until_now`](Self::until_now) to the next: more than a look and a
    /// pause take, also on a busy machine.
    const LONGEST_STEP: Duration = Duration::from_millis(100);

    /// Starts at zero.
    pub fn start() -> Self {
        Self { waited: Duration::ZERO, last: Instant::now() }
    }

    /// Returns the time since the start. It is asked for with each look.
    pub fn until_now(&mut self) -> Duration {
        let now = Instant::now();
        self.waited += now.saturating_duration_since(self.last).min(Self::LONGEST_STEP);
        self.last = now;
        self.waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_which_the_process_was_stopped_is_hardly_any_of_the_wait() {
        let mut waited = WaitedTime::start();
        for stops in 1..4 {
            waited.last = waited.last.checked_sub(Duration::from_secs(1)).unwrap();
            assert!(waited.until_now() <= stops * WaitedTime::LONGEST_STEP);
        }
    }

    #[test]
    fn short_pauses_all_count() {
        let mut waited = WaitedTime::start();
        let pause = Duration::from_millis(2);
        for pauses in 1..4 {
            std::thread::sleep(pause);
            assert!(waited.until_now() >= pauses * pause);
        }
    }
}
