//! The selection of a clock, its precision and its cost.

use super::monotonic;
#[cfg(target_arch = "x86_64")]
use super::tsc::Tsc;
use perftest_core::list::IntoList;
use perftest_core::order::sort_numbers;
use std::time::Instant;

/// The clock to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ClockKind {
    /// The time stamp counter if it is invariant, or else the monotonic clock.
    #[default]
    Finest,
    /// The monotonic clock.
    Monotonic,
}

/// A clock with its measured precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clock {
    source: ClockSource,
    /// Smallest step seen between two different readings.
    precision_ns: f64,
    /// The time of an empty window: the clock's own share of each timing.
    overhead_ns: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ClockSource {
    Monotonic,
    #[cfg(target_arch = "x86_64")]
    Tsc(Tsc),
}

/// A first read.
enum Start {
    Monotonic(Instant),
    #[cfg(target_arch = "x86_64")]
    Tsc(Tsc, u64),
}

impl ClockSource {
    #[inline]
    fn start(self) -> Start {
        match self {
            Self::Monotonic => Start::Monotonic(Instant::now()),
            #[cfg(target_arch = "x86_64")]
            Self::Tsc(tsc) => Start::Tsc(tsc, tsc.start()),
        }
    }
}

impl Start {
    #[inline]
    fn elapsed_ns(self) -> f64 {
        match self {
            Self::Monotonic(start) => start.elapsed().as_nanos() as f64,
            #[cfg(target_arch = "x86_64")]
            Self::Tsc(tsc, start) => tsc.since_ns(start),
        }
    }
}

impl Clock {
    /// Selects and measures a clock. Takes about 1 ms if the counter must be calibrated.
    pub(crate) fn calibrate(kind: ClockKind) -> Self {
        let source = match kind {
            ClockKind::Monotonic => ClockSource::Monotonic,
            ClockKind::Finest => finest(),
        };
        let unmeasured = Self { source, ..Self::uncalibrated() };
        let empty: Vec<f64> = (0..200).map(|_| unmeasured.time_ns(|| ())).into_list();
        let precision_ns = match source {
            ClockSource::Monotonic => smallest_whole_step(&empty),
            #[cfg(target_arch = "x86_64")]
            ClockSource::Tsc(_) => smallest_step(&empty),
        };
        Self { precision_ns, overhead_ns: middle(empty), ..unmeasured }
    }

    /// Creates an unmeasured monotonic clock, for batches whose time does not matter.
    pub(crate) fn uncalibrated() -> Self {
        Self { source: ClockSource::Monotonic, precision_ns: 0.0, overhead_ns: 0.0 }
    }

    /// Returns the wall time of `work` in nanoseconds, minus the clock's own share. The clock is chosen
    /// before the first read; between the two reads there is nothing but `work`.
    #[inline]
    pub(crate) fn time_ns(&self, work: impl FnOnce()) -> f64 {
        let wall_ns = match self.source {
            ClockSource::Monotonic => monotonic::time_ns(work),
            #[cfg(target_arch = "x86_64")]
            ClockSource::Tsc(tsc) => tsc.time_ns(work),
        };
        (wall_ns - self.overhead_ns).max(0.0)
    }

    /// Returns the wall time of async `work`, minus the clock's own share. The branch of the second read is
    /// inside the window and costs a cycle or two.
    #[inline]
    pub(crate) async fn time_awaited_ns(&self, work: impl Future<Output = ()>) -> f64 {
        let start = self.source.start();
        work.await;
        (start.elapsed_ns() - self.overhead_ns).max(0.0)
    }

    /// The smallest observed step of this clock.
    pub(crate) fn precision_ns(&self) -> f64 {
        self.precision_ns
    }

    /// `tsc` or `monotonic`.
    pub(crate) fn name(&self) -> &'static str {
        match self.source {
            ClockSource::Monotonic => "monotonic",
            #[cfg(target_arch = "x86_64")]
            ClockSource::Tsc(_) => "tsc",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn finest() -> ClockSource {
    Tsc::calibrate().map_or(ClockSource::Monotonic, ClockSource::Tsc)
}

#[cfg(not(target_arch = "x86_64"))]
fn finest() -> ClockSource {
    ClockSource::Monotonic
}

fn middle(mut values: Vec<f64>) -> f64 {
    sort_numbers(&mut values);
    values[values.len() / 2]
}

/// The smallest difference between two different readings; never below a picosecond.
fn smallest_step(readings: &[f64]) -> f64 {
    let mut sorted = readings.to_vec();
    sort_numbers(&mut sorted);
    let steps = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1e-3);
    let smallest = steps.fold(f64::MAX, f64::min);
    if smallest == f64::MAX { sorted[0].max(1.0) } else { smallest }
}

/// The smallest step of a clock that counts whole nanoseconds. One that ticks every 41.67 ns reads 41 or 42: where all
/// readings are such neighbours, a nanosecond is no step.
fn smallest_whole_step(readings: &[f64]) -> f64 {
    let mut ticks = readings.to_vec();
    sort_numbers(&mut ticks);
    ticks.dedup();
    let neighbours = |values: &[f64]| values[values.len() - 1] - values[0] < values.len() as f64;
    if !ticks.windows(3).any(neighbours) {
        ticks.dedup_by(|later, earlier| *later - *earlier < 1.5);
    }
    smallest_step(&ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_step_is_found_among_ties() {
        assert_eq!(smallest_step(&[30.0, 20.0, 20.0, 50.0]), 10.0);
    }

    #[test]
    fn a_clock_whose_tick_is_no_whole_nanosecond_has_the_step_of_its_tick() {
        assert_eq!(smallest_whole_step(&[42.0, 0.0, 41.0, 84.0, 83.0, 42.0]), 41.0);
        assert_eq!(smallest_whole_step(&[0.0, 18.0, 19.0]), 18.0);
        assert_eq!(smallest_whole_step(&[20.0, 21.0, 22.0, 30.0]), 1.0);
        assert_eq!(smallest_whole_step(&[25.0; 10]), 25.0);
        assert_eq!(smallest_whole_step(&[20.0, 21.0]), 20.0);
    }

    #[test]
    fn a_clock_that_always_reads_the_same_is_as_fine_as_its_reading() {
        assert_eq!(smallest_step(&[25.0; 10]), 25.0);
    }

    #[test]
    fn every_clock_reads_nothing_for_nothing_and_something_for_something() {
        for kind in [ClockKind::Finest, ClockKind::Monotonic] {
            let clock = Clock::calibrate(kind);
            let work = |rounds: u64| {
                let best = (0..50).map(|_| {
                    clock.time_ns(|| {
                        (0..rounds).for_each(|n| {
                            std::hint::black_box(n);
                        })
                    })
                });
                best.fold(f64::MAX, f64::min)
            };
            assert!(work(50_000) > 10.0 * work(0).max(1.0), "{}", clock.name());
            assert!(clock.precision_ns() > 0.0);
        }
    }
}
