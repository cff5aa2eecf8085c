//! A routine that the author times.

use super::Routine;
use crate::measure::Failure;
use crate::measure::stopwatch::{Stopwatch, Timing};
use std::time::Duration;

/// So many iterations take some time by any clock.
const SURELY_SOME_TIME: u64 = 1 << 10;

/// A routine that runs a number of iterations and tells how long they took.
pub(crate) struct Custom<F> {
    time: F,
}

impl<F: FnMut(u64) -> Duration> Custom<F> {
    pub(crate) fn new(time: F) -> Self {
        Self { time }
    }
}

impl<F: FnMut(u64) -> Duration> Routine for Custom<F> {
    /// What this thread used is not told: nobody knows which part of it belongs to the author's
    /// time.
    fn batch(&mut self, iterations: u64, _: &Stopwatch) -> Result<Timing, Failure> {
        let wall = (self.time)(iterations);
        if wall.is_zero() && iterations >= SURELY_SOME_TIME {
            return Err(Failure::NoTime(iterations));
        }
        Ok(Timing::without_usage(wall.as_nanos() as f64, 0.0))
    }

    fn most_iterations(&self) -> u64 {
        1 << 32
    }

    /// Nobody knows either which allocations belong to the author's time.
    fn tells_allocations(&self) -> bool {
        false
    }
}
