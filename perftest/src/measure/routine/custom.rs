//! A routine that the author times.

use super::Routine;
use crate::measure::Failure;
use crate::measure::stopwatch::{Stopwatch, Timing};
use perftest_core::words::quantity;
use std::time::Duration;

/// This many iterations take measurable time by any clock.
const SURELY_SOME_TIME: u64 = 1 << 10;

/// The largest number of parallel calls in one iteration of the author.
const SIDE_BY_SIDE: f64 = 1_000.0;

/// A routine that runs a number of iterations and returns their time.
pub(crate) struct CustomRoutine<F> {
    time: F,
}

impl<F: FnMut(u64) -> Duration> CustomRoutine<F> {
    pub(crate) fn new(time: F) -> Self {
        Self { time }
    }
}

impl<F: FnMut(u64) -> Duration> Routine for CustomRoutine<F> {
    /// The usage of this thread is unknown, because a part of it may not belong to the author's time.
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        let wall = (self.time)(iterations);
        if wall.is_zero() && iterations >= SURELY_SOME_TIME {
            return Err(Failure::NoTime(iterations));
        }
        if let Some(lived) = stopwatch.age() {
            refuse_impossible(wall, iterations, lived)?;
        }
        Ok(Timing::without_usage(wall.as_nanos() as f64))
    }

    fn most_iterations(&self) -> u64 {
        1 << 32
    }

    /// Some counts may not belong to the author's time.
    fn counts_per_iteration(&self) -> bool {
        false
    }
}

/// Refuses a time that exceeds the age of the process, even with parallel calls.
fn refuse_impossible(wall: Duration, iterations: u64, lived: Duration) -> Result<(), Failure> {
    let longest = SIDE_BY_SIDE * iterations as f64 * lived.as_secs_f64();
    if wall.as_secs_f64() <= longest {
        return Ok(());
    }
    let words = |time: Duration| quantity(time.as_nanos() as f64, "ns");
    let (wall, lived) = (words(wall), words(lived));
    Err(Failure::ImpossibleTime(format!(
        "{wall} for {iterations} iterations, but the process has measured for {lived} only"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockKind;

    #[test]
    fn a_time_that_cannot_have_passed_is_refused() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let batch_time = |wall: Duration, iterations: u64| {
            CustomRoutine::new(|_| wall).batch(iterations, &stopwatch).map(|it| it.wall_ns)
        };
        for wall in [Duration::MAX, Duration::from_secs(1 << 40)] {
            let refused = batch_time(wall, 8).expect_err("the process is younger").to_string();
            assert!(refused.contains(" s for 8 iterations, but the process"), "{refused}");
        }
        let lived = stopwatch.age().unwrap();
        // As if a hundred calls had run side by side from the start.
        assert_eq!(batch_time(100 * lived, 1), Ok((100 * lived).as_nanos() as f64));
    }
}
