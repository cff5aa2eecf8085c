//! How many iterations make a batch.

use super::{Failure, Meter, Routine};
use perftest_core::model::{Measurement, Take};
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

/// A batch with the set-up of its inputs takes hardly longer than this: so that a routine whose
/// set-up is a thousand times its own time keeps to its budget.
const LONGEST_WITH_SETUP: Duration = Duration::from_millis(50);

/// A call of so long is its own warm-up: what a cold start costs is nothing beside it.
const OWN_WARM_UP_NS: f64 = 300_000_000.0;

/// The size of a test's batches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tuning {
    /// Calls in a batch: a power of two, so that runs agree on it.
    pub iterations: u64,
    /// Batches that were measured and are not to be judged.
    pub warm_up: Vec<Measurement>,
    /// The first call, where it was so long that it is to be judged.
    pub first: Option<Take>,
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
        let began = Instant::now();
        let batch = meter.measure(routine, iterations)?;
        let has_room = 2 * began.elapsed() <= LONGEST_WITH_SETUP;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
        if 2.0 * batch.wall_ns > target_ns || 2 * iterations > most || !has_room {
            break;
        }
        iterations *= 2;
    }
    if warm_ns >= OWN_WARM_UP_NS && iterations == 1 {
        let stages = routine.stages();
        let first = warm_up.pop().map(|measurement| Take { measurement, stages });
        return Ok(Tuning { iterations, warm_up, first });
    }
    for _ in 0..WARM_UP_BATCHES {
        if warm_ns >= WARM_UP_NS {
            break;
        }
        let began = Instant::now();
        let batch = meter.measure(routine, iterations)?;
        let has_room = 2 * began.elapsed() <= LONGEST_WITH_SETUP;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
        // The first calls were slow and made the batch too small.
        if 2.0 * batch.wall_ns < 0.9 * target_ns && 2 * iterations <= most && has_room {
            iterations *= 2;
        }
    }
    Ok(Tuning { iterations, warm_up, first: None })
}

/// Keeps the processor busy with the routine until it surely runs at its speed; tuning, which
/// began at `since`, has kept it busy so far. For measurements
/// that others are compared with, or that bear witness after a pause; a screen needs none, as its
/// fast measurements prove themselves. Gives the batches, which are not to be judged.
pub(crate) fn wake(
    routine: &mut dyn Routine,
    meter: &mut Meter,
    iterations: u64,
    since: Instant,
) -> Result<Vec<Measurement>, Failure> {
    let mut batches = Vec::new();
    while since.elapsed() < AWAKE_AFTER {
        batches.push(meter.measure(routine, iterations)?);
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::super::{Custom, Looped, Prepared, Stopwatch, Surroundings};
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
    fn a_very_long_body_is_called_once_and_that_counts() {
        let mut meter = meter();
        let began = Instant::now();
        let mut calls = 0;
        let call = || {
            calls += 1;
            std::thread::sleep(Duration::from_millis(301));
        };
        let mut long = Looped::new(call, |()| None);
        let tuning = tune(&mut long, &mut meter).unwrap();
        assert!(tuning.first.is_some() && tuning.warm_up.is_empty(), "{tuning:?}");
        assert_eq!(wake(&mut long, &mut meter, 1, began).unwrap(), []);
        drop(long);
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_set_up_that_takes_long_limits_a_batch() {
        let mut meter = meter();
        let setup = || std::thread::sleep(Duration::from_millis(30));
        let mut prepared = Prepared::new(setup, |()| black_box(7), |_: &i32| None);
        assert_eq!(tune(&mut prepared, &mut meter).unwrap().iterations, 1);
    }

    #[test]
    fn an_author_who_measures_no_time_is_told() {
        let mut meter = meter();
        let failed = tune(&mut Custom::new(|_| Duration::ZERO), &mut meter);
        assert_eq!(failed, Err(Failure::NoTime(1 << 10)));
    }

    #[test]
    fn large_outputs_limit_a_batch() {
        let mut meter = meter();
        let mut large = Looped::new(|| black_box([0_u8; 1 << 16]), |_| None);
        assert!(tune(&mut large, &mut meter).unwrap().iterations <= 64);
    }
}
