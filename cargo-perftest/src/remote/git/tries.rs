//! Another try after another machine was faster.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

/// Each of many machines that send at once wins once, and one of them wins each time.
const MOST: u32 = 40;
/// The pauses grow with the number of tries up to this one.
const LAST_LONGER: u32 = 8;
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The tries so far.
#[derive(Debug, Default)]
pub(super) struct Tries {
    lost: u32,
}

impl Tries {
    /// Waits before the next try, after one that took so long. Returns whether there is another one.
    pub(super) fn pause(&mut self, lost: Duration) -> bool {
        let pause = self.longest_pause(lost);
        // Differs between machines, so that they do not meet again.
        let share = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
        pause.inspect(|pause| thread::sleep(pause.mul_f64(share))).is_some()
    }

    /// The longest pause after a try that took so long; `None` if there were too many.
    fn longest_pause(&mut self, lost: Duration) -> Option<Duration> {
        self.lost += 1;
        let longest = lost.max(SHORTEST_PAUSE) * self.lost.min(LAST_LONGER);
        (self.lost < MOST).then_some(longest.min(LONGEST_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest_and_tries_end() {
        let mut tries = Tries::default();
        let pauses: Vec<Duration> =
            std::iter::from_fn(|| tries.longest_pause(Duration::from_millis(100))).collect();
        assert_eq!(pauses.len(), 39);
        assert!(pauses.is_sorted(), "{pauses:?}");
        assert_eq!((pauses[0].as_millis(), pauses[38].as_millis()), (100, 800));
        let long = Tries::default().longest_pause(Duration::from_secs(60));
        assert_eq!(long, Some(LONGEST_PAUSE));
    }
}
