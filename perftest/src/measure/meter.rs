//! The meter turns batches into measurements.

use super::run_queue::QueueWaits;
use super::stopwatch::Timing;
use super::{Failure, OneKind, Routine, Stopwatch, Surroundings, Watchdog};
use perftest_core::model::{CoreKind, Measurement, Take};
use std::time::{Duration, Instant};

/// Less time off the processor than this is the cost of the readings.
const MISSING_NS: f64 = 5_000.0;

/// A measurement with its stages, and its total time with set-up, drops and readings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MeterReading {
    pub take: Take,
    pub cost: Duration,
}

/// A choice: batches that count allocations take little time, and other tests allocate in bursts.
const COUNTING_BATCHES_BESIDE_OTHERS: u32 = 3;

/// Takes measurements on the thread that created it; their start counts from the creation.
pub(crate) struct Meter {
    stopwatch: Stopwatch,
    surroundings: Surroundings,
    began: Instant,
    /// Whether other threads worked in the newest batch.
    works_in_threads: bool,
    /// Batches that count allocations, of which the one with the fewest is taken.
    pub(super) counting_batches: u32,
}

impl Meter {
    /// Creates a meter with this stopwatch in these surroundings.
    pub(crate) fn new(stopwatch: Stopwatch, surroundings: Surroundings) -> Self {
        Self {
            stopwatch,
            surroundings,
            began: Instant::now(),
            works_in_threads: false,
            counting_batches: 1,
        }
    }

    /// Counts allocations beside other tests of the process: theirs are hardly in each batch.
    #[must_use]
    pub(crate) fn beside_other_tests(self) -> Self {
        Self { counting_batches: COUNTING_BATCHES_BESIDE_OTHERS, ..self }
    }

    /// Takes one measurement: a batch of `iterations`, with the machine's speed beside it.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn measure(
        &mut self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<Measurement, Failure> {
        Watchdog::note_batch();
        let before = self.surroundings.before();
        let queued = self.works_in_threads.then(QueueWaits::now).flatten();
        let start_ns = self.began.elapsed().as_nanos() as u64;
        let timing = routine.batch(iterations, &self.stopwatch)?;
        let measurement = Measurement {
            start_ns,
            iterations,
            wall_ns: timing.wall_ns,
            value: timing.wall_ns / iterations as f64,
            thread_cpu_ns: timing.used.thread_cpu_ns,
            process_cpu_ns: timing.used.process_cpu_ns,
            wait_ns: self.wait_ns(&timing, queued),
            apart_ns: timing.apart_ns.map(|ns| ns as u64),
            involuntary_switches: timing.used.involuntary_switches,
            voluntary_switches: timing.used.voluntary_switches,
            major_faults: timing.used.major_faults,
            minor_faults: timing.used.minor_faults,
            core_kind: self.core_kind(&timing),
            probes: self.surroundings.after(before, timing.used.process_cpu_ns),
        };
        // Threads that work at once know their own waits.
        self.works_in_threads = timing.apart_ns.is_none() && is_worked_by_threads(&measurement);
        Ok(measurement)
    }

    /// Takes one measurement with the stages in it.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn take(
        &mut self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<MeterReading, Failure> {
        let began = Instant::now();
        let measurement = self.measure(routine, iterations)?;
        let take = Take { measurement, stages: routine.stages() };
        Ok(MeterReading { take, cost: began.elapsed() })
    }

    /// Returns the wait of all threads for other processes where several threads work, else that of this
    /// thread.
    fn wait_ns(&mut self, timing: &Timing, queued: Option<QueueWaits>) -> Option<u64> {
        let Some(before) = queued else {
            return self.explained_ns(timing);
        };
        Some(QueueWaits::now()?.by_others_ns(before, timing.used.process_cpu_ns?))
    }

    /// Returns the run-queue wait of this thread. It is read only where time is missing, because reading it
    /// costs as much as all other readings together.
    fn explained_ns(&mut self, timing: &Timing) -> Option<u64> {
        let missing_ns = timing.wall_ns - timing.used.thread_cpu_ns? as f64;
        let is_asked = missing_ns > MISSING_NS && !timing.is_of_another_thread;
        is_asked.then(|| self.surroundings.waited_ns()).flatten()
    }

    /// The kind of core of the batch, if this thread ran it.
    fn core_kind(&self, timing: &Timing) -> Option<CoreKind> {
        (!timing.is_of_another_thread).then(|| self.surroundings.core_kind()).flatten()
    }

    /// Runs a batch that is not recorded and returns its wall time.
    ///
    /// # Errors
    /// The failure of the routine.
    pub(crate) fn warm_up_ns(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<f64, Failure> {
        Watchdog::note_batch();
        Ok(routine.batch(iterations, &self.stopwatch)?.wall_ns)
    }

    /// Runs a batch in which nothing is read but the clock, and returns its wall time.
    ///
    /// # Errors
    /// The failure of the routine.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))] // Only Linux is sampled.
    pub(crate) fn clocked_ns(
        &self,
        routine: &mut dyn Routine,
        iterations: u64,
    ) -> Result<f64, Failure> {
        Watchdog::note_batch();
        Ok(routine.batch(iterations, &self.stopwatch.without_usage())?.wall_ns)
    }

    /// Keeps this thread on cores of one kind, if the work of the tuning has shown that the routine works on this thread
    /// alone. Threads and processes that it starts would be limited to these cores, too.
    pub(crate) fn stay_on(
        &self,
        kind: Option<CoreKind>,
        work: Option<Measurement>,
    ) -> Option<OneKind> {
        work.filter(Self::works_alone).and_then(|_| self.surroundings.stay_on(kind))
    }

    /// Whether the batches of a tuning were worked on by one thread, as far as is known. On a busy machine one of
    /// several threads waits most of the time, spinning.
    pub(crate) fn works_alone(work: &Measurement) -> bool {
        work.apart_ns.is_none() && work.thread_cpu_ns.is_some() && !is_worked_by_threads(work)
    }

    /// What reads the clock.
    pub(super) fn stopwatch(&self) -> &Stopwatch {
        &self.stopwatch
    }

    /// Returns the shortest time that the clock resolves to 1%.
    pub(crate) fn shortest_stage_ns(&self) -> f64 {
        100.0 * self.stopwatch.precision_ns()
    }

    /// Shortest batch worth recording.
    pub(super) fn shortest_batch_ns(&self) -> f64 {
        self.stopwatch.shortest_batch_ns()
    }
}

/// Whether other threads worked in a batch for longer than the readings round it take. In a batch of some calls of a
/// short body the readings alone look like another thread.
fn is_worked_by_threads(batch: &Measurement) -> bool {
    let by_others_ns =
        batch.process_cpu_ns.zip(batch.thread_cpu_ns).map(|(all, own)| all.saturating_sub(own));
    batch.works_in_threads() && by_others_ns.is_some_and(|ns| ns as f64 > MISSING_NS)
}

#[cfg(test)]
mod tests {
    use super::super::{LoopRoutine, on_threads, tune};
    use super::*;
    use crate::clock::ClockKind;
    use perftest_machine::{Sensors, SpeedProbe};
    use std::hint::black_box;
    use std::sync::Arc;

    #[test]
    fn the_round_of_the_loop_is_part_of_a_value() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        assert!(stopwatch.round_ns() > 0.0);
        let sensors = Arc::new(Sensors::of_this_machine());
        let mut meter = Meter::new(stopwatch, Surroundings::new(SpeedProbe::new(), None, sensors));
        let mut routine = LoopRoutine::new(|| black_box(3_u64).pow(20), |_| None);
        let it = meter.measure(&mut routine, 1 << 10).unwrap();
        assert_eq!(it.value, it.wall_ns / f64::from(1 << 10));
    }

    #[test]
    fn what_the_readings_take_is_no_work_of_other_threads() {
        let batch = |thread_cpu_ns, process_cpu_ns| Measurement {
            thread_cpu_ns: Some(thread_cpu_ns),
            process_cpu_ns: Some(process_cpu_ns),
            ..Measurement::default()
        };
        assert!(batch(300, 1_000).works_in_threads() && !is_worked_by_threads(&batch(300, 1_000)));
        assert!(is_worked_by_threads(&batch(300_000, 600_000)));
        assert!(!is_worked_by_threads(&batch(300_000, 306_000)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_routine_on_several_threads_keeps_all_kinds_of_core() {
        let root = tempfile::tempdir().unwrap();
        for (cpu, capacity) in [(0, 1024), (1, 500)] {
            let directory = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}"));
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("cpu_capacity"), capacity.to_string()).unwrap();
        }
        let sensors = Arc::new(Sensors::below(root.path()));
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let mut meter = Meter::new(Stopwatch::calibrate(ClockKind::Monotonic), surroundings);
        let lane = |_| LoopRoutine::new(|| black_box(3_u64).pow(20), |_| None);
        let driven = on_threads(2, &lane, |team| {
            let tuning = tune(team, &mut meter, Duration::from_secs(1)).unwrap();
            assert!(meter.stay_on(None, tuning.work()).is_none());
        });
        assert_eq!(driven, Ok(()));
        // Its body prepares its input on one thread.
        let prepared = Instant::now();
        while prepared.elapsed() < Duration::from_millis(200) {
            black_box(3_u64);
        }
        let spin = || (0..200_000).fold(1_u64, |all, it| black_box(all.wrapping_mul(it | 1)));
        let on_two = || std::thread::scope(|scope| drop([scope.spawn(spin), scope.spawn(spin)]));
        let mut routine = LoopRoutine::new(on_two, |()| None);
        let tuning = tune(&mut routine, &mut meter, Duration::from_secs(1)).unwrap();
        assert!(meter.stay_on(None, tuning.work()).is_none());
    }
}
