//! Plays the measurements of a recorded run as if they were taken now.

use perftest_core::model::{Direction, Measurement};
use perftest_store::recording::next_start_ns;
use std::time::Duration;

/// Plays one run. The first measurement follows the last one; the clock goes on.
#[derive(Debug, Clone)]
pub(super) struct RunPlayback<'a> {
    measurements: &'a [Measurement],
    /// Index of the next measurement.
    next: usize,
    clock_ns: u64,
    /// The slowdown that is added to each measurement.
    slowdown: InjectedSlowdown,
}

/// A slowdown that is added to measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InjectedSlowdown {
    /// The factor; above 1 is worse.
    pub(super) factor: f64,
    /// Which way the metric gets better.
    pub(super) direction: Direction,
}

impl InjectedSlowdown {
    /// Returns the measurement of code with more work: changes its value and its times, but not the
    /// speed of the machine.
    pub(super) fn plant(self, measurement: &Measurement) -> Measurement {
        let longer = |ns: u64| (ns as f64 * self.factor).round() as u64;
        Measurement {
            wall_ns: measurement.wall_ns * self.factor,
            value: measurement.value * self.direction.degradation(self.factor),
            thread_cpu_ns: measurement.thread_cpu_ns.map(longer),
            process_cpu_ns: measurement.process_cpu_ns.map(longer),
            ..*measurement
        }
    }
}

impl<'a> RunPlayback<'a> {
    /// Begins at the measurement with the index `start`. There is at least one.
    pub(super) fn new(
        measurements: &'a [Measurement],
        start: usize,
        slowdown: InjectedSlowdown,
    ) -> Self {
        Self { measurements, next: start, clock_ns: 0, slowdown }
    }

    /// Time since the start of the playback.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.clock_ns)
    }

    /// Returns the next measurement.
    pub(super) fn measure(&mut self) -> Measurement {
        let recorded = self.measurements[self.next];
        let played = Measurement { start_ns: self.clock_ns, ..self.slowdown.plant(&recorded) };
        self.advance();
        played
    }

    /// Skips the measurements in `pause`, but at most a quarter of the remaining ones.
    pub(super) fn wait(&mut self, pause: Duration) {
        let until_ns = self.clock_ns.saturating_add(pause.as_nanos() as u64);
        let most = (self.measurements.len() - self.next) / 4;
        for _ in 0..most {
            if self.clock_ns >= until_ns {
                return;
            }
            self.advance();
        }
        self.clock_ns = self.clock_ns.max(until_ns);
    }

    fn advance(&mut self) {
        let this = &self.measurements[self.next];
        let following = self.measurements.get(self.next + 1);
        let next_ns = following.map_or(next_start_ns(this), |following| following.start_ns);
        self.clock_ns += next_ns.saturating_sub(this.start_ns);
        self.next = (self.next + 1) % self.measurements.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Probes;

    const AS_RECORDED: InjectedSlowdown =
        InjectedSlowdown { factor: 1.0, direction: Direction::Lower };

    /// One measurement a millisecond.
    fn run(count: u64) -> Vec<Measurement> {
        let at = |index: u64| Measurement {
            start_ns: 1_000_000 * index,
            ..Measurement::of_value(100.0 + index as f64)
        };
        (0..count).map(at).collect()
    }

    #[test]
    fn behind_the_last_measurement_the_first_one_follows_and_time_goes_on() {
        let run = run(3);
        let mut playback = RunPlayback::new(&run, 1, AS_RECORDED);
        let played = [(); 4].map(|()| playback.measure());
        assert_eq!(played.map(|it| it.value), [101.0, 102.0, 100.0, 101.0]);
        assert!(played.windows(2).all(|pair| pair[0].start_ns < pair[1].start_ns), "{played:?}");
    }

    #[test]
    fn a_pause_passes_over_what_fell_into_it() {
        let run = run(100);
        let mut playback = RunPlayback::new(&run, 0, AS_RECORDED);
        playback.wait(Duration::from_millis(5));
        assert_eq!(playback.measure().value, 105.0);
        assert_eq!(playback.elapsed(), Duration::from_millis(6));
    }

    #[test]
    fn a_long_pause_leaves_three_quarters_of_what_is_left() {
        let run = run(100);
        let mut playback = RunPlayback::new(&run, 20, AS_RECORDED);
        playback.wait(Duration::from_secs(9));
        let next = playback.measure();
        assert_eq!((next.value, next.start_ns), (140.0, 9_000_000_000));
    }

    #[test]
    fn planted_work_takes_time_and_leaves_the_machine_as_it_was() {
        let recorded = Measurement {
            thread_cpu_ns: Some(900),
            process_cpu_ns: Some(1_000),
            wait_ns: Some(7),
            probes: Probes { reference_ns: Some(20.0), ..Probes::default() },
            ..Measurement::of_value(1_000.0)
        };
        let slow = InjectedSlowdown { factor: 1.5, ..AS_RECORDED }.plant(&recorded);
        assert_eq!((slow.value, slow.wall_ns), (1_500.0, 1_500.0));
        assert_eq!((slow.thread_cpu_ns, slow.process_cpu_ns), (Some(1_350), Some(1_500)));
        assert_eq!((slow.wait_ns, slow.probes), (recorded.wait_ns, recorded.probes));
        let throughput = InjectedSlowdown { factor: 2.0, direction: Direction::Higher };
        assert_eq!(throughput.plant(&recorded).value, 500.0);
    }
}
