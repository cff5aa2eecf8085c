//! Who asks a routine for measurements: a smoke run or a trial.

use crate::bencher::Driver;
use crate::measure::{Failure, Meter, Routine, Tuning, tune, wake};
use perftest_core::judge::{Confirmation, Observed, Step, Trial};
use perftest_core::model::{Evidence, Measurement};
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

/// Obeys a trial.
pub(crate) struct TrialDriver<'a> {
    pub meter: Meter,
    pub trial: Trial,
    /// Measures so many times with so many iterations in a fresh process; a batch took at most so
    /// long in this one.
    pub confirm: &'a mut dyn FnMut(u32, u64, Duration) -> Confirmation,
    pub measured: Measured,
}

/// What a trial brought.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Batches before the first measurement, not to be judged.
    pub warm_up: Vec<Measurement>,
    /// The measurements of this process.
    pub measurements: Vec<Measurement>,
    /// The verdict; `None` only before the trial is over.
    pub evidence: Option<Evidence>,
}

impl Measured {
    /// Batches to throw away after a pause.
    fn warm_up_after_pause(&self) -> u32 {
        if self.longest_batch() < LONG { AFTER_PAUSE } else { 0 }
    }

    /// The longest measurement of this process.
    fn longest_batch(&self) -> Duration {
        let longest_ns = self.measurements.iter().map(|it| it.wall_ns).fold(0.0, f64::max);
        Duration::from_nanos(longest_ns as u64)
    }

    /// The batches of this process that had the size of a measurement, in their order.
    pub(crate) fn course(&self) -> Vec<Measurement> {
        let size = self.measurements.first().map_or(1, |first| first.iterations);
        let warm_up = self.warm_up.iter().filter(|batch| batch.iterations == size);
        warm_up.chain(&self.measurements).copied().collect()
    }
}

impl Driver for TrialDriver<'_> {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        let tuned_since = Instant::now();
        let Tuning { iterations, warm_up, mut first } = tune(routine, &mut self.meter)?;
        self.measured.warm_up = warm_up;
        if self.trial.is_learning() {
            let awake = wake(routine, &mut self.meter, iterations, tuned_since)?;
            self.measured.warm_up.extend(awake);
        }
        let began = if first.is_some() { tuned_since } else { Instant::now() };
        loop {
            let observed = match self.trial.step() {
                Step::Measure => {
                    let measurement = match first.take() {
                        Some(first) => first,
                        None => self.meter.measure(routine, iterations)?,
                    };
                    self.measured.measurements.push(measurement);
                    Observed::Measured(measurement)
                }
                Step::Wait(pause) => {
                    std::thread::sleep(pause);
                    for _ in 0..self.measured.warm_up_after_pause() {
                        self.meter.warm_up_ns(routine, iterations)?;
                    }
                    Observed::Waited
                }
                Step::Confirm { measurements, .. } => {
                    let longest = self.measured.longest_batch();
                    Observed::Confirmed((self.confirm)(measurements, iterations, longest))
                }
                Step::Done(evidence) => {
                    self.measured.evidence = Some(*evidence);
                    return Ok(());
                }
            };
            self.trial.observe(observed, began.elapsed());
        }
    }
}
