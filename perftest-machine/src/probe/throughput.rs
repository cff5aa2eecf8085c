//! The throughput of a core on ordinary work.

use super::instructions::{KNOWN, WORDS, ordinary};
use perftest_core::order::sort_numbers;
use std::time::Instant;

/// Shots of a reading, which is their median: the best shot would hide an alternating neighbour.
const SHOTS: usize = 3;
/// Rounds of the kernel in a shot: about 10 us.
const ROUNDS: u64 = 16;

/// Times a fixed kernel of loads, multiplications and additions that stays in the first-level
/// cache.
///
/// Only ratios between readings are meaningful. A neighbour on the same physical core slows this
/// kernel but not the clock.
#[derive(Debug, Clone)]
pub struct ThroughputProbe {
    words: Box<[u64; WORDS]>,
}

impl ThroughputProbe {
    /// A probe with its 16 KiB of data.
    ///
    /// # Errors
    /// Why it cannot be used here.
    pub fn new() -> Result<Self, String> {
        if !KNOWN && cfg!(debug_assertions) {
            return Err("the throughput probe needs an optimised build on this architecture".into());
        }
        let word = |index: usize| (index as u64).wrapping_mul(0x2545_f491_4f6c_dd1d);
        Ok(Self { words: Box::new(std::array::from_fn(word)) })
    }

    /// Time of the kernel in nanoseconds; takes about 30 us.
    ///
    /// # Errors
    /// When the clock stood still meanwhile.
    pub fn take_ns(&self) -> Result<f64, String> {
        let mut shots_ns = [0.0; SHOTS].map(|_| {
            let start = Instant::now();
            ordinary(&self.words, ROUNDS);
            start.elapsed().as_nanos() as f64
        });
        sort_numbers(&mut shots_ns);
        match shots_ns[SHOTS / 2] {
            0.0 => Err("the system's clock stands still".into()),
            middle_ns => Ok(middle_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_many_rounds_takes_time() {
        assert!(ThroughputProbe::new().unwrap().take_ns().unwrap() > 0.0);
    }
}
