//! Who asks a routine for measurements: a smoke run, or all series of a test.

use super::recording::Source;
use super::series_runner::SeriesRunner;
use crate::bencher::Driver;
use crate::measure::{Failure, Meter, MeterReading, Routine, rewarm, tune};
use perftest_core::model::{CoreKind, Measurement, Reason};
use perftest_machine::Countable;
use std::time::{Duration, Instant};

/// A processor has learned the input of a short body after so long, if it can.
const WATCHED_FOR: Duration = Duration::from_millis(80);

/// Runs the routine once and looks at nothing but its failure.
pub(crate) struct SmokeDriver {
    pub meter: Meter,
}

impl Driver for SmokeDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        self.meter.warm_up_ns(routine, 1).map(drop)
    }
}

/// Measures what the series of a test ask for.
pub(super) struct SeriesDriver<'d, 'r> {
    pub meter: Meter,
    pub budget: Duration,
    pub runner: &'d mut SeriesRunner<'r>,
    /// Kind of core that the newest run was on which is compared with.
    pub core_kind: Option<CoreKind>,
    /// Batches before the first measurement, not to be judged.
    pub warm_up: Vec<Measurement>,
    /// Batches after the last one of a test without a baseline, where a batch is short: they only show
    /// whether its times go on to fall.
    pub afterwards: Vec<Measurement>,
}

impl Driver for SeriesDriver<'_, '_> {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        let tuned_since = Instant::now();
        let mut tuning = tune(routine, &mut self.meter, self.budget)?;
        let _on_one_kind = self.meter.stay_on(self.core_kind, tuning.longest());
        let iterations = tuning.iterations;
        self.warm_up = std::mem::take(&mut tuning.warm_up);
        let metrics = self.runner.metrics;
        // To explain is worth some short calls, and none of those that the budget has hardly room for.
        let explaining = if tuning.first.is_none() { &Countable::ALL[..] } else { &[] };
        self.runner.recording.own.values =
            self.meter.count(routine, iterations, metrics, explaining)?;
        self.runner.recording.iterations = iterations;
        let shortest_ns = self.meter.shortest_stage_ns();
        let meter = &mut self.meter;
        let began = if tuning.first.is_some() { tuned_since } else { Instant::now() };
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
        let reason = self.runner.evidence.as_ref().map(|evidence| evidence.reason);
        if reason == Some(Reason::NoBaseline) && tuning.rewarms {
            self.afterwards = batches_for(WATCHED_FOR, routine, &mut self.meter, iterations)?;
        }
        Ok(())
    }
}

fn batches_for(
    time: Duration,
    routine: &mut dyn Routine,
    meter: &mut Meter,
    iterations: u64,
) -> Result<Vec<Measurement>, Failure> {
    let began = Instant::now();
    let mut batches = Vec::new();
    while began.elapsed() < time {
        batches.push(meter.measure(routine, iterations)?);
    }
    Ok(batches)
}

/// The routine itself.
struct Live<'a> {
    meter: &'a mut Meter,
    routine: &'a mut dyn Routine,
    iterations: u64,
    /// A batch is so short that some are run unrecorded after a pause.
    rewarms: bool,
    /// Taken before anything was asked for.
    first: Option<MeterReading>,
    /// Moves on by the time that others need: fresh processes use no budget of this one.
    began: Instant,
    /// When the newest measurement was over.
    ended: Instant,
}

impl Source for Live<'_> {
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

    /// The calls that come after a pause, before anything is measured.
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
        assert_eq!([true, false].map(calls_after_a_pause), [3, 0]);
    }
}
