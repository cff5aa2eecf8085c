//! How many iterations make a batch.

use super::{Failure, Meter, Routine, Taken};
use perftest_core::model::Measurement;
use std::time::{Duration, Instant};

/// Batches are at most this long where the body allows: a busy machine leaves most of such
/// batches untouched, and hardly any of ten milliseconds.
const LONGEST_NS: f64 = 600_000.0;
/// Warming up ends after this many batches ..
const WARM_UP_BATCHES: u32 = 10;
/// .. or after this time of the routine, whichever comes first: one call of a long body is warm-up
/// enough.
const WARM_UP_NS: f64 = 10_000_000.0;

/// A processor that idled runs slowly at first, up to a sixth for some tens of milliseconds.
const AWAKE_AFTER: Duration = Duration::from_millis(100);

/// A batch with the set-up of its inputs takes hardly longer than this: so that a routine whose
/// set-up is a thousand times its own time keeps to its budget.
const LONGEST_WITH_SETUP: Duration = Duration::from_millis(50);

/// The share of the budget that warming up may take, with set-up, drops and all ..
const WARM_UP_SHARE: u32 = 10;
/// .. but at least the time of the routine that is wanted ..
const SHORTEST_WARM_UP: Duration = Duration::from_millis(10);
/// .. and at most this: a call of so long is its own warm-up, what a cold start costs is nothing
/// beside it.
const LONGEST_WARM_UP: Duration = Duration::from_millis(300);

/// The size of a test's batches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tuning {
    /// Calls in a batch: a power of two, so that runs agree on it.
    pub iterations: u64,
    /// Batches that were measured and are not to be judged.
    pub warm_up: Vec<Measurement>,
    /// A call that took so long that it is to be judged: none is left to warm up.
    pub first: Option<Taken>,
}

/// Finds the largest power of two of iterations whose batch stays below 0.6 ms (so that it is
/// above 0.3 ms), but not below a thousand steps of the clock; then warms up, for a share of the
/// `budget` at most.
///
/// A body longer than that is measured call by call, and one whose call takes more than that share,
/// be it with set-up and drops, is not called to warm up. Errors are those of the body.
pub(crate) fn tune(
    routine: &mut dyn Routine,
    meter: &mut Meter,
    budget: Duration,
) -> Result<Tuning, Failure> {
    let target_ns = LONGEST_NS.max(2.0 * meter.shortest_batch_ns());
    let longest = (budget / WARM_UP_SHARE).clamp(SHORTEST_WARM_UP, LONGEST_WARM_UP);
    let most = routine.most_iterations();
    let mut since = Instant::now();
    let (mut iterations, mut warm_up, mut warm_ns) = (1_u64, Vec::new(), 0.0);
    loop {
        let taken = meter.take(routine, iterations)?;
        let (batch, cost) = (taken.take.measurement, taken.cost);
        let is_costly = iterations == 1 && cost >= longest;
        if is_costly && !(warm_up.is_empty() && may_be_cheaper_next(&taken, budget)) {
            return Ok(Tuning { iterations, warm_up, first: Some(taken) });
        }
        warm_up.push(batch);
        if is_costly {
            since = Instant::now();
            continue;
        }
        warm_ns += batch.wall_ns;
        if 2.0 * batch.wall_ns > target_ns || 2 * iterations > most || !has_room(cost) {
            break;
        }
        iterations *= 2;
    }
    for _ in 0..WARM_UP_BATCHES {
        if warm_ns >= WARM_UP_NS || since.elapsed() >= longest {
            break;
        }
        let taken = meter.take(routine, iterations)?;
        let batch = taken.take.measurement;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
        // The first calls were slow and made the batch too small.
        let is_small = 2.0 * batch.wall_ns < 0.9 * target_ns;
        if is_small && 2 * iterations <= most && has_room(taken.cost) {
            iterations *= 2;
        }
    }
    Ok(Tuning { iterations, warm_up, first: None })
}

/// Whether a batch of twice the size may follow one that cost so much.
fn has_room(cost: Duration) -> bool {
    2 * cost <= LONGEST_WITH_SETUP
}

/// Whether the cost of a first call may be that of something made once, such as a table that its
/// set-up keeps, and there is time to see.
fn may_be_cheaper_next(first: &Taken, budget: Duration) -> bool {
    let beside_ns = first.cost.as_nanos() as f64 - first.take.measurement.wall_ns;
    beside_ns > first.take.measurement.wall_ns && 2 * first.cost <= budget
}

/// Keeps the processor busy with the routine until it surely runs at its speed; tuning, which
/// began at `since`, has kept it busy so far. For measurements
/// that others are compared with, or that bear witness after a pause; a screen needs none, as its
/// fast measurements prove themselves. A call that is long is its own warm-up. Gives the batches,
/// which are not to be judged.
pub(crate) fn wake(
    routine: &mut dyn Routine,
    meter: &mut Meter,
    tuning: &Tuning,
    since: Instant,
) -> Result<Vec<Measurement>, Failure> {
    let mut batches = Vec::new();
    while tuning.first.is_none() && since.elapsed() < AWAKE_AFTER {
        batches.push(meter.measure(routine, tuning.iterations)?);
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

    const BUDGET: Duration = Duration::from_secs(3);

    fn meter() -> Meter {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        Meter::new(Stopwatch::calibrate(ClockKind::Finest), surroundings)
    }

    #[test]
    fn a_short_body_gets_a_power_of_two_of_iterations() {
        let mut meter = meter();
        let mut short = Looped::new(|| black_box(3_u64).wrapping_mul(5), |_| None);
        let tuning = tune(&mut short, &mut meter, BUDGET).unwrap();
        assert!(tuning.iterations.is_power_of_two() && tuning.iterations > 64, "{tuning:?}");
    }

    #[test]
    fn a_long_body_is_measured_call_by_call() {
        let mut meter = meter();
        let sleep = || std::thread::sleep(std::time::Duration::from_millis(11));
        let tuning = tune(&mut Looped::new(sleep, |()| None), &mut meter, BUDGET).unwrap();
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
        let tuning = tune(&mut long, &mut meter, BUDGET).unwrap();
        assert!(tuning.first.is_some() && tuning.warm_up.is_empty(), "{tuning:?}");
        assert_eq!(wake(&mut long, &mut meter, &tuning, began).unwrap(), []);
        drop(long);
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_set_up_that_takes_long_limits_a_batch() {
        let mut meter = meter();
        let setup = || std::thread::sleep(Duration::from_millis(30));
        let mut prepared = Prepared::new(setup, |()| black_box(7), |_: &i32| None);
        assert_eq!(tune(&mut prepared, &mut meter, BUDGET).unwrap().iterations, 1);
    }

    /// The set-ups that tuning and waking make where each takes so long.
    fn set_ups_of(each: Duration, budget: Duration) -> (u32, Tuning) {
        let (mut meter, mut made, began) = (meter(), 0, Instant::now());
        let setup = || {
            made += 1;
            std::thread::sleep(each);
        };
        let mut prepared = Prepared::new(setup, |()| black_box(7), |_: &i32| None);
        let tuning = tune(&mut prepared, &mut meter, budget).unwrap();
        wake(&mut prepared, &mut meter, &tuning, began).unwrap();
        drop(prepared);
        (made, tuning)
    }

    #[test]
    fn a_set_up_that_takes_more_than_the_budget_is_made_once_and_the_call_counts() {
        let (made, tuning) = set_ups_of(Duration::from_millis(30), Duration::from_millis(20));
        assert_eq!((made, tuning.warm_up.len()), (1, 0));
        assert!(tuning.first.is_some_and(|it| it.cost >= Duration::from_millis(30)));
    }

    #[test]
    fn a_set_up_with_room_for_another_is_made_twice_and_the_second_call_counts() {
        let each = Duration::from_millis(30);
        let (made, tuning) = set_ups_of(each, 10 * each);
        assert_eq!((made, tuning.warm_up.len()), (2, 1));
        assert!(tuning.first.is_some());
    }

    #[test]
    fn what_a_set_up_makes_once_does_not_make_every_call_long() {
        let mut is_first = true;
        let setup = || {
            if std::mem::take(&mut is_first) {
                std::thread::sleep(Duration::from_millis(310));
            }
        };
        let mut prepared = Prepared::new(setup, |()| black_box(7), |_: &i32| None);
        let tuning = tune(&mut prepared, &mut meter(), BUDGET).unwrap();
        assert!(tuning.iterations > 1 && tuning.first.is_none(), "{tuning:?}");
    }

    #[test]
    fn an_author_who_measures_no_time_is_told() {
        let mut meter = meter();
        let failed = tune(&mut Custom::new(|_| Duration::ZERO), &mut meter, BUDGET);
        assert_eq!(failed, Err(Failure::NoTime(1 << 10)));
    }

    #[test]
    fn large_outputs_limit_a_batch() {
        let mut meter = meter();
        let mut large = Looped::new(|| black_box([0_u8; 1 << 16]), |_| None);
        assert!(tune(&mut large, &mut meter, BUDGET).unwrap().iterations <= 64);
    }
}
