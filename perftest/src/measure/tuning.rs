//! How many iterations make a batch.

use super::{Failure, Meter, Routine};
use std::time::{Duration, Instant};

/// Batches are at most this long where the body allows: a busy machine leaves most of such
/// batches untouched, and hardly any of ten milliseconds.
const LONGEST_NS: f64 = 600_000.0;
/// Warming up ends after this many batches ..
const WARM_UP_BATCHES: u32 = 10;
/// .. or after this time, whichever comes first: one call of a long body is warm-up enough.
const WARM_UP_NS: f64 = 10_000_000.0;

/// A processor that idled runs slowly at first, up to a sixth for some tens of milliseconds.
const AWAKE_AFTER: Duration = Duration::from_millis(100);

/// The size of a test's batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tuning {
    /// Calls in a batch: a power of two, so that runs agree on it.
    pub iterations: u64,
    /// Batches that were run and thrown away.
    pub warm_up: u32,
}

/// Finds the largest power of two of iterations whose batch stays below 0.6 ms (so that it is
/// above 0.3 ms), but not below a thousand steps of the clock; then warms up.
///
/// A body longer than that is measured call by call. Errors are those of the body.
pub(crate) fn tune(routine: &mut dyn Routine, meter: &Meter) -> Result<Tuning, Failure> {
    let target_ns = LONGEST_NS.max(2.0 * meter.shortest_batch_ns());
    let most = routine.most_iterations();
    let (mut iterations, mut batches) = (1_u64, 0);
    let mut warm_ns = 0.0;
    loop {
        let wall_ns = meter.warm_up_ns(routine, iterations)?;
        batches += 1;
        warm_ns += wall_ns;
        if 2.0 * wall_ns > target_ns || 2 * iterations > most {
            break;
        }
        iterations *= 2;
    }
    for _ in 0..WARM_UP_BATCHES {
        if warm_ns >= WARM_UP_NS {
            break;
        }
        let wall_ns = meter.warm_up_ns(routine, iterations)?;
        batches += 1;
        warm_ns += wall_ns;
        // The first calls were slow and made the batch too small.
        if 2.0 * wall_ns < 0.9 * target_ns && 2 * iterations <= most {
            iterations *= 2;
        }
    }
    Ok(Tuning { iterations, warm_up: batches })
}

/// Keeps the processor busy with the routine until it surely runs at its speed. For measurements
/// that others are compared with, or that bear witness after a pause; a screen needs none, as its
/// fast measurements prove themselves.
pub(crate) fn wake(
    routine: &mut dyn Routine,
    meter: &Meter,
    iterations: u64,
) -> Result<(), Failure> {
    let began = Instant::now();
    while began.elapsed() < AWAKE_AFTER {
        meter.warm_up_ns(routine, iterations)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Looped, Stopwatch};
    use super::*;
    use crate::clock::ClockKind;
    use std::hint::black_box;

    #[test]
    fn a_short_body_gets_a_power_of_two_of_iterations() {
        let meter = Meter::new(Stopwatch::calibrate(ClockKind::Finest));
        let mut short = Looped::new(|| black_box(3_u64).wrapping_mul(5), |_| None);
        let tuning = tune(&mut short, &meter).unwrap();
        assert!(tuning.iterations.is_power_of_two() && tuning.iterations > 64, "{tuning:?}");
    }

    #[test]
    fn a_long_body_is_measured_call_by_call() {
        let meter = Meter::new(Stopwatch::calibrate(ClockKind::Finest));
        let sleep = || std::thread::sleep(std::time::Duration::from_millis(11));
        let tuning = tune(&mut Looped::new(sleep, |()| None), &meter).unwrap();
        assert_eq!(tuning, Tuning { iterations: 1, warm_up: 1 });
    }

    #[test]
    fn large_outputs_limit_a_batch() {
        let meter = Meter::new(Stopwatch::calibrate(ClockKind::Finest));
        let mut large = Looped::new(|| black_box([0_u8; 1 << 16]), |_| None);
        assert!(tune(&mut large, &meter).unwrap().iterations <= 64);
    }
}
