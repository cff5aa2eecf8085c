//! Who asks a routine for measurements: a smoke run or the panel of a test.

use super::panel::Panel;
use super::tape::Source;
use crate::bencher::Driver;
use crate::measure::{Failure, Meter, Routine, Tuning, tune, wake};
use perftest_core::model::{Measurement, Take};
use std::time::{Duration, Instant};

/// Batches thrown away after a pause: the processor slept and its caches are cold.
const AFTER_PAUSE: u32 = 3;
/// Beside a batch of this length a cold start is nothing.
const LONG: Duration = Duration::from_millis(300);

/// Runs the routine once and looks at nothing but its failure.
pub(crate) struct SmokeDriver {
    pub meter: Meter,
}

impl Driver for SmokeDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        self.meter.warm_up_ns(routine, 1).map(drop)
    }
}

/// Obeys a panel.
pub(super) struct PanelDriver<'d, 'p> {
    pub meter: Meter,
    pub panel: &'d mut Panel<'p>,
    /// Batches before the first measurement, not to be judged.
    pub warm_up: Vec<Measurement>,
}

impl Driver for PanelDriver<'_, '_> {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        let tuned_since = Instant::now();
        let Tuning { iterations, warm_up, first } = tune(routine, &mut self.meter)?;
        self.warm_up = warm_up;
        self.panel.tape.own.values = self.meter.count_allocations(routine, iterations)?;
        if self.panel.learns() {
            self.warm_up.extend(wake(routine, &mut self.meter, iterations, tuned_since)?);
        }
        self.panel.tape.iterations = iterations;
        let shortest_ns = self.meter.shortest_stage_ns();
        let meter = &mut self.meter;
        let began = if first.is_some() { tuned_since } else { Instant::now() };
        let longest = Duration::ZERO;
        let mut source = Live { meter, routine: &mut *routine, iterations, first, began, longest };
        self.panel.judge(&mut source, shortest_ns)?;
        self.panel.tape.own.values.extend(routine.values());
        Ok(())
    }
}

/// The routine itself.
struct Live<'a> {
    meter: &'a mut Meter,
    routine: &'a mut dyn Routine,
    iterations: u64,
    /// Taken before anything was asked for.
    first: Option<Take>,
    began: Instant,
    /// The longest measurement so far.
    longest: Duration,
}

impl Source for Live<'_> {
    fn take(&mut self) -> Result<(Take, Duration), Failure> {
        let take = match self.first.take() {
            Some(first) => first,
            None => self.meter.take(self.routine, self.iterations)?,
        };
        self.longest = self.longest.max(Duration::from_nanos(take.measurement.wall_ns as u64));
        Ok((take, self.began.elapsed()))
    }

    fn pause(&mut self, pause: Duration) -> Result<(), Failure> {
        std::thread::sleep(pause);
        let batches = if self.longest < LONG { AFTER_PAUSE } else { 0 };
        for _ in 0..batches {
            self.meter.warm_up_ns(self.routine, self.iterations)?;
        }
        Ok(())
    }
}
