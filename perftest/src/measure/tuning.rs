//! Tuning of the number of iterations in a batch.

use super::{Failure, Meter, MeterReading, Routine};
use perftest_core::model::Measurement;
use std::time::{Duration, Instant};

/// Batches are at most this long if the body allows: a busy machine disturbs few of such batches,
/// and nearly all of ten milliseconds.
const LONGEST_NS: f64 = 600_000.0;
/// Warming up ends after this many batches ..
const WARM_UP_BATCHES: u32 = 5;
/// .. or after this time of the routine, whichever comes first: one call of a long body is enough
/// warm-up.
const WARM_UP_NS: f64 = 5_000_000.0;

/// An idle processor starts slowly, up to a sixth for some tens of milliseconds. Warming up
/// continues while its clock rises, and at most for this long.
const AWAKE_AFTER: Duration = Duration::from_millis(100);
/// A clock counts as rising if it is higher by this factor ..
const RISING: f64 = 1.01;
/// .. than this many batches before.
const RISING_OVER: usize = 5;

/// The longest batch that is run unrecorded after a pause. It costs as much as the next measurement, and
/// longer batches are not affected by cold caches.
const LONGEST_REWARM: Duration = Duration::from_millis(20);
/// Such a pause needs several batches: the first ones after it were up to 29%, 7% and 3% slower
/// than the later ones. After the turn of another process only the first batch was slower.
const LONG_PAUSE: Duration = Duration::from_millis(10);
/// Largest number of such batches ..
const REWARM_BATCHES: u32 = 3;
/// .. and none begins after this time.
const REWARM_ENOUGH: Duration = Duration::from_millis(2);

/// A batch with the set-up of its inputs takes hardly longer than this, so that a routine whose
/// set-up is a thousand times its own time stays within its budget.
const LONGEST_WITH_SETUP: Duration = Duration::from_millis(50);

/// The share of the budget for warming up, with set-up and drops ..
const WARM_UP_SHARE: u32 = 10;
/// .. but at least this, the wanted time of the routine ..
const SHORTEST_WARM_UP: Duration = Duration::from_millis(10);
/// .. and at most this: a call this long is its own warm-up, and the cost of a cold start is
/// negligible.
const LONGEST_WARM_UP: Duration = Duration::from_millis(300);

/// The size of a test's batches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tuning {
    /// Calls in a batch: a power of two, so that runs agree on it.
    pub iterations: u64,
    /// Batches that were measured and get no verdict.
    pub warm_up: Vec<Measurement>,
    /// A call so long that it counts: the first one without a warm-up, or the one behind it.
    pub first: Option<MeterReading>,
    /// Whether a call is too long for a warm-up, and for calls that only explain.
    pub is_long: bool,
    /// Whether a batch is short enough to be run unrecorded after a pause.
    pub rewarms: bool,
}

impl Tuning {
    /// The last batch, with the processor time of all: a single one may miss the work of threads that had to wait for a
    /// processor. What the body did before its routine is in none.
    pub(crate) fn work(&self) -> Option<Measurement> {
        let first = self.first.iter().map(|first| first.take.measurement);
        self.warm_up.iter().copied().chain(first).reduce(|all, batch| {
            let sum = |of: fn(&Measurement) -> Option<u64>| Some(of(&all)? + of(&batch)?);
            let [thread_cpu_ns, process_cpu_ns] =
                [sum(|it| it.thread_cpu_ns), sum(|it| it.process_cpu_ns)];
            Measurement { thread_cpu_ns, process_cpu_ns, ..batch }
        })
    }
}

/// Finds the largest power of two of iterations whose batch stays below 0.6 ms (so that it is above
/// 0.3 ms), but not below a thousand steps of the clock. Then warms up while the processor wakes
/// up, for a share of the `budget` at most.
///
/// All processes warm up in this way: baseline runs, runs with a verdict, and fresh processes.
///
/// A longer body is measured call by call. A body whose call exceeds the share, set-up and drops
/// included, is not called to warm up. Errors are those of the body.
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
    let mut cost = loop {
        let taken = meter.take(routine, iterations)?;
        let (batch, cost) = (taken.take.measurement, taken.cost);
        let is_costly = iterations == 1 && cost >= longest;
        if is_costly && !(warm_up.is_empty() && may_be_cheaper_next(&taken, budget)) {
            let first = Some(taken);
            return Ok(Tuning { iterations, warm_up, first, is_long: true, rewarms: false });
        }
        warm_up.push(batch);
        if is_costly {
            since = Instant::now();
            continue;
        }
        warm_ns += batch.wall_ns;
        if 2.0 * batch.wall_ns > target_ns || 2 * iterations > most || !has_room(cost) {
            break cost;
        }
        iterations *= 2;
    };
    // One call alone shows nothing: it may have made what the later ones find, such as a table.
    if warm_up.len() == 1 {
        warm_ns = 0.0;
    }
    let mut batches = 0;
    loop {
        let is_warm = batches >= WARM_UP_BATCHES || warm_ns >= WARM_UP_NS;
        let is_awake = since.elapsed() >= AWAKE_AFTER || !is_waking(&warm_up);
        if since.elapsed() >= longest || is_warm && is_awake {
            return Ok(Tuning {
                iterations,
                warm_up,
                first: None,
                is_long: false,
                rewarms: cost <= LONGEST_REWARM,
            });
        }
        let taken = meter.take(routine, iterations)?;
        cost = taken.cost;
        let batch = taken.take.measurement;
        // The first calls were slow, so the batch became too small, and nothing has warmed up yet.
        let is_small = 2.0 * batch.wall_ns < 0.9 * target_ns;
        if is_small && 2 * iterations <= most && has_room(cost) {
            iterations *= 2;
            (batches, warm_ns) = (0, 0.0);
            warm_up.push(batch);
            continue;
        }
        // The first call was the warm-up, and this one is long, too: it counts, so that it was not in vain.
        if warm_up.len() == 1 && cost > LONGEST_REWARM && !is_waking(&[warm_up[0], batch]) {
            let first = Some(taken);
            return Ok(Tuning { iterations, warm_up, first, is_long: false, rewarms: false });
        }
        batches += 1;
        warm_ns += batch.wall_ns;
        warm_up.push(batch);
    }
}

/// Returns whether a batch of twice the size may follow one with this cost.
fn has_room(cost: Duration) -> bool {
    2 * cost <= LONGEST_WITH_SETUP
}

/// Returns whether the first call may include a one-time cost, such as a cached table, and there is
/// time for a second call.
fn may_be_cheaper_next(first: &MeterReading, budget: Duration) -> bool {
    let beside_ns = first.cost.as_nanos() as f64 - first.take.measurement.wall_ns;
    beside_ns > first.take.measurement.wall_ns && 2 * first.cost <= budget
}

/// Returns whether the clock beside the newest batch is higher than some batches before; `false`
/// for an unknown clock.
fn is_waking(batches: &[Measurement]) -> bool {
    let clock = |batch: Option<&Measurement>| batch.and_then(|it| it.probes.clock_ghz);
    let earlier = batches.len().saturating_sub(1 + RISING_OVER);
    let clocks = clock(batches.get(earlier)).zip(clock(batches.last()));
    clocks.is_some_and(|(then, now)| now > RISING * then)
}

/// Runs unrecorded batches after a pause, because the caches are cold and the processor slept.
pub(crate) fn rewarm(
    routine: &mut dyn Routine,
    meter: &mut Meter,
    iterations: u64,
    idled: Duration,
) -> Result<(), Failure> {
    let began = Instant::now();
    let batches = if idled < LONG_PAUSE { 1 } else { REWARM_BATCHES };
    for _ in 0..batches {
        if began.elapsed() < REWARM_ENOUGH {
            meter.warm_up_ns(routine, iterations)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{CustomRoutine, LoopRoutine, SetupRoutine, Stopwatch, Surroundings};
    use super::*;
    use crate::clock::ClockKind;
    use perftest_core::model::Probes;
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
        let mut short = LoopRoutine::new(|| black_box(3_u64).wrapping_mul(5), |_| None);
        let is_tuned = |_| {
            let tuning = tune(&mut short, &mut meter, BUDGET).unwrap();
            assert!(tuning.iterations.is_power_of_two(), "{tuning:?}");
            tuning.iterations > 64 && tuning.rewarms
        };
        // A batch that other work interrupts seems long.
        assert!((0..10).any(is_tuned));
    }

    #[test]
    fn what_the_first_call_makes_once_leaves_no_small_batch() {
        for first in [400, 6_000, 40_000].map(Duration::from_micros) {
            let mut meter = meter();
            let is_tuned = |_| {
                let mut is_first = true;
                let call = || {
                    if std::mem::take(&mut is_first) {
                        std::thread::sleep(first);
                    }
                    black_box(3_u64).wrapping_mul(5)
                };
                let mut lazy = LoopRoutine::new(call, |_| None);
                let tuning = tune(&mut lazy, &mut meter, BUDGET).unwrap();
                tuning.iterations > 64 && tuning.first.is_none()
            };
            assert!((0..10).any(is_tuned), "{first:?}");
        }
    }

    #[test]
    fn a_long_body_is_measured_call_by_call() {
        let mut meter = meter();
        let sleep = || std::thread::sleep(std::time::Duration::from_millis(21));
        let tuning = tune(&mut LoopRoutine::new(sleep, |()| None), &mut meter, BUDGET).unwrap();
        assert_eq!((tuning.iterations, tuning.rewarms), (1, false));
        // While the clock rises there are further calls, for 100 ms.
        assert!(tuning.warm_up.len() <= 6, "{tuning:?}");
        assert!(tuning.first.is_some() || tuning.warm_up.len() > 1, "{tuning:?}");
    }

    #[test]
    fn a_very_long_body_is_called_once_and_that_counts() {
        let mut meter = meter();
        let mut calls = 0;
        let call = || {
            calls += 1;
            std::thread::sleep(Duration::from_millis(301));
        };
        let mut long = LoopRoutine::new(call, |()| None);
        let tuning = tune(&mut long, &mut meter, BUDGET).unwrap();
        assert!(tuning.first.is_some() && tuning.warm_up.is_empty(), "{tuning:?}");
        assert!(!tuning.rewarms);
        drop(long);
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_set_up_that_takes_long_limits_a_batch() {
        let mut meter = meter();
        let setup = || std::thread::sleep(Duration::from_millis(30));
        let mut prepared = SetupRoutine::new(setup, |()| black_box(7), |_: &i32| None);
        assert_eq!(tune(&mut prepared, &mut meter, BUDGET).unwrap().iterations, 1);
    }

    /// Counts the set-ups during tuning if each takes this long.
    fn set_ups_of(each: Duration, budget: Duration) -> (u32, Tuning) {
        let (mut meter, mut made) = (meter(), 0);
        let setup = || {
            made += 1;
            std::thread::sleep(each);
        };
        let mut prepared = SetupRoutine::new(setup, |()| black_box(7), |_: &i32| None);
        let tuning = tune(&mut prepared, &mut meter, budget).unwrap();
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
        let mut prepared = SetupRoutine::new(setup, |()| black_box(7), |_: &i32| None);
        let tuning = tune(&mut prepared, &mut meter(), BUDGET).unwrap();
        assert!(tuning.iterations > 1 && tuning.first.is_none(), "{tuning:?}");
    }

    #[test]
    fn an_author_who_measures_no_time_is_reported() {
        let mut meter = meter();
        let failed = tune(&mut CustomRoutine::new(|_| Duration::ZERO), &mut meter, BUDGET);
        assert_eq!(failed, Err(Failure::NoTime(1 << 10)));
    }

    #[test]
    fn a_clock_rises_while_it_is_higher_than_some_batches_ago() {
        let at = |ghz: &f64| Measurement {
            probes: Probes { clock_ghz: Some(*ghz), ..Probes::default() },
            ..Measurement::default()
        };
        let is_waking = |clocks: &[f64]| is_waking(&clocks.iter().map(at).collect::<Vec<_>>());
        assert!(is_waking(&[3.4, 3.5]) && is_waking(&[3.4, 3.4, 3.4, 3.5, 3.5, 3.5]));
        assert!(!is_waking(&[3.4, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5]), "long ago");
        assert!(!is_waking(&[4.0, 3.5]) && !is_waking(&[4.0]) && !is_waking(&[]));
        assert!(!super::is_waking(&[Measurement::default(); 9]), "nobody knows it");
    }

    #[test]
    fn large_outputs_limit_a_batch() {
        let mut meter = meter();
        let mut large = LoopRoutine::new(|| black_box([0_u8; 1 << 16]), |_| None);
        assert!(tune(&mut large, &mut meter, BUDGET).unwrap().iterations <= 64);
    }
}
