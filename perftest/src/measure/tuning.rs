//! How many iterations make a batch.

use super::{Failure, Meter, Routine};
use perftest_core::model::Measurement;
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tuning {
    /// Calls in a batch: a power of two, so that runs agree on it.
    pub iterations: u64,
    /// Batches that were measured and are not to be judged.
    pub warm_up: Vec<Measurement>,
}

/// Finds the largest power of two of iterations whose batch stays below 0.6 ms (so that it is
/// above 0.3 ms), but not below a thousand steps of the clock; then warms up.
///
/// A body longer than that is measured call by call. Errors are those of the body.
pub(crate) fn tune(routine: &mut dyn Routine, meter: &mut Meter) -> Result<Tuning, Failure> {
    let target_ns = LONGEST_NS.max(2.0 * meter.shortest_batch_ns());
    let most = routine.most_iterations();
    let (mut iterations, mut warm_up, mut warm_ns) = (1_u64, Vec::new(), 0.0);
    loop {
        let batch = meter.measure(routine, iterations)?;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
        if 2.0 * batch.wall_ns > target_ns || 2 * iterations > most {
            break;
        }
        iterations *= 2;
    }
    for _ in 0..WARM_UP_BATCHES {
        if warm_ns >= WARM_UP_NS {
            break;
        }
        let batch = meter.measure(routine, iterations)?;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
        // The first calls were slow and made the batch too small.
        if 2.0 * batch.wall_ns < 0.9 * target_ns && 2 * iterations <= most {
            iterations *= 2;
        }
    }
    Ok(Tuning { iterations, warm_up })
}

/// Keeps the processor busy with the routine until it surely runs at its speed. For measurements
/// that others are compared with, or that bear witness after a pause; a screen needs none, as its
/// fast measurements prove themselves. Gives the batches, which are not to be judged.
pub(crate) fn wake(
    routine: &mut dyn Routine,
    meter: &mut Meter,
    iterations: u64,
) -> Result<Vec<Measurement>, Failure> {
    let began = Instant::now();
    let mut batches = Vec::new();
    while began.elapsed() < AWAKE_AFTER {
        batches.push(meter.measure(routine, iterations)?);
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::super::{Looped, Stopwatch, Surroundings};
    use super::*;
    use crate::clock::ClockKind;
    use perftest_machine::{Sensors, SpeedProbe};
    use std::hint::black_box;
    use std::sync::Arc;

    fn meter() -> Meter {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        Meter::new(Stopwatch::calibrate(ClockKind::Finest), surroundings)
    }

    #[test]
    fn a_short_body_gets_a_power_of_two_of_iterations() {
        let mut meter = meter();
        let mut short = Looped::new(|| black_box(3_u64).wrapping_mul(5), |_| None);
        let tuning = tune(&mut short, &mut meter).unwrap();
        assert!(tuning.iterations.is_power_of_two() && tuning.iterations > 64, "{tuning:?}");
    }

    #[test]
    fn a_long_body_is_measured_call_by_call() {
        let mut meter = meter();
        let sleep = || std::thread::sleep(std::time::Duration::from_millis(11));
        let tuning = tune(&mut Looped::new(sleep, |()| None), &mut meter).unwrap();
        assert_eq!((tuning.iterations, tuning.warm_up.len()), (1, 1));
    }

    #[test]
    fn large_outputs_limit_a_batch() {
        let mut meter = meter();
        let mut large = Looped::new(|| black_box([0_u8; 1 << 16]), |_| None);
        assert!(tune(&mut large, &mut meter).unwrap().iterations <= 64);
    }
}
