//! Drivers that ask a routine for measurements: a smoke run, or all series of a test.

use super::recording::MeasurementSource;
use super::series_runner::SeriesRunner;
use crate::bencher::Driver;
use crate::measure::{Failure, Meter, MeterReading, Routine, rewarm, tune};
use perftest_core::judge::may_become_falling_trend;
use perftest_core::model::{CoreKind, Measurement};
use perftest_machine::Countable;
use std::time::{Duration, Instant};

/// A processor adapts to the input of a short body within this time, if at all.
const WATCHED_FOR: Duration = Duration::from_millis(80);

/// Runs the routine once and checks only for a failure.
pub(crate) struct SmokeDriver {
    pub meter: Meter,
}

impl Driver for SmokeDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        self.meter.warm_up_ns(routine, 1).map(drop)
    }
}

/// Measures what the series of a test request.
pub(super) struct SeriesDriver<'d, 'r> {
    pub meter: Meter,
    pub budget: Duration,
    pub runner: &'d mut SeriesRunner<'r>,
    /// Kind of core of the newest run in the baseline.
    pub core_kind: Option<CoreKind>,
    /// Batches before the first measurement; they get no verdict.
    pub warm_up: Vec<Measurement>,
    /// Batches after the last measurement of a test without a baseline, if a batch is short and the times
    /// fall. They show only whether the times keep falling.
    pub afterwards: Vec<Measurement>,
}

impl Driver for SeriesDriver<'_, '_> {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        let mut tuning = tune(routine, &mut self.meter, self.budget)?;
        self.runner.refuse_unknown_program(routine.programs())?;
        let _on_one_kind = self.meter.stay_on(self.core_kind, tuning.work());
        let iterations = tuning.iterations;
        self.warm_up = std::mem::take(&mut tuning.warm_up);
        let metrics = self.runner.metrics;
        self.runner.recording.own.values =
            self.meter.count(routine, &tuning, metrics, &Countable::ALL)?;
        self.runner.recording.iterations = iterations;
        let shortest_ns = self.meter.shortest_stage_ns();
        let meter = &mut self.meter;
        // Of the calls so far only the one that is a measurement counts towards the budget.
        let now = Instant::now();
        let spent = tuning.first.as_ref().map_or(Duration::ZERO, |first| first.cost);
        let began = now.checked_sub(spent).unwrap_or(now);
        let mut source = Live {
            meter,
            routine: &mut *routine,
            iterations,
            rewarms: tuning.rewarms,
            first: tuning.first,
            began,
            ended: Instant::now(),
        };
        self.runner.judge(&mut source, shortest_ns)?;
        self.runner.recording.own.values.extend(routine.values());
        self.runner.unmeasurable = routine.unmeasurable();
        if tuning.rewarms && self.runner.is_new_and_measurable() {
            self.watch(routine)?;
        }
        Ok(())
    }
}

impl SeriesDriver<'_, '_> {
    /// Runs further batches while the times may yet show a fall. Each look at them has twice as many as the one
    /// before.
    fn watch(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        let recording = &self.runner.recording;
        let (iterations, batch) = (recording.iterations, recording.usual_batch());
        let mut course = recording.course(&self.warm_up);
        let began = Instant::now();
        loop {
            let left = WATCHED_FOR.saturating_sub(began.elapsed());
            let room = left.as_nanos() / batch.as_nanos().max(1);
            if !may_become_falling_trend(&course, course.len() + room as usize) {
                return Ok(());
            }
            for _ in 0..course.len() {
                if began.elapsed() >= WATCHED_FOR {
                    return Ok(());
                }
                let measured = self.meter.measure(routine, iterations)?;
                self.afterwards.push(measured);
                course.push(measured);
            }
        }
    }
}

/// The routine itself.
struct Live<'a> {
    meter: &'a mut Meter,
    routine: &'a mut dyn Routine,
    iterations: u64,
    /// A batch is so short that some unrecorded batches run after a pause.
    rewarms: bool,
    /// The first reading, taken before the first request.
    first: Option<MeterReading>,
    /// Start of the budget, moved by the time that fresh processes need: they use no budget here.
    began: Instant,
    /// End of the newest measurement.
    ended: Instant,
}

impl MeasurementSource for Live<'_> {
    fn take(&mut self) -> Result<(MeterReading, Duration), Failure> {
        let taken = match self.first.take() {
            Some(first) => first,
            None => self.meter.take(self.routine, self.iterations)?,
        };
        self.ended = Instant::now();
        Ok((taken, self.ended - self.began))
    }

    fn pause(&mut self, pause: Duration) -> Result<(), Failure> {
        self.began += self.ended.elapsed();
        std::thread::sleep(pause);
        match self.rewarms {
            true => rewarm(self.routine, self.meter, self.iterations, self.ended.elapsed()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockKind;
    use crate::measure::{LoopRoutine, Stopwatch, Surroundings};
    use perftest_machine::{Sensors, SpeedProbe};
    use std::sync::Arc;

    #[test]
    fn time_that_fresh_processes_take_is_none_of_this_ones_budget() {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let mut meter = Meter::new(Stopwatch::calibrate(ClockKind::Monotonic), surroundings);
        let mut routine = LoopRoutine::new(|| 1, |_| None);
        let began = Instant::now();
        let mut live = Live {
            meter: &mut meter,
            routine: &mut routine,
            iterations: 1,
            rewarms: true,
            first: None,
            began,
            ended: began,
        };
        let (_, first) = live.take().unwrap();
        let of_fresh_process = Duration::from_millis(500);
        std::thread::sleep(of_fresh_process);
        live.pause(Duration::ZERO).unwrap();
        let (_, second) = live.take().unwrap();
        assert!(began.elapsed() > of_fresh_process);
        assert!(second - first < of_fresh_process, "{first:?} {second:?}");
    }

    /// The unrecorded calls after a pause, before the next measurement.
    fn calls_after_a_pause(rewarms: bool) -> u32 {
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let mut meter = Meter::new(Stopwatch::calibrate(ClockKind::Monotonic), surroundings);
        let mut calls = 0;
        let mut routine = LoopRoutine::new(|| calls += 1, |()| None);
        let (began, ended) = (Instant::now(), Instant::now());
        let mut live = Live {
            meter: &mut meter,
            routine: &mut routine,
            iterations: 1,
            rewarms,
            first: None,
            began,
            ended,
        };
        live.pause(Duration::from_millis(11)).unwrap();
        drop(routine);
        calls
    }

    #[test]
    fn batches_are_run_unrecorded_after_a_pause_unless_they_are_long() {
        // Where other work takes long in between there are fewer.
        let most = |rewarms| (0..10).map(|_| calls_after_a_pause(rewarms)).max();
        assert_eq!([true, false].map(most), [Some(3), Some(0)]);
    }
}
