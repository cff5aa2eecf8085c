//! What was measured of a test, for all of its series: taken once, and heard by one trial after the
//! other.

use crate::measure::Failure;
use perftest_core::judge::{Confirmation, Observed, Step, Trial};
use perftest_core::model::{Aspect, Evidence, Measurement, ProcessValue, Recorded, RunId, Take};
use std::time::Duration;

/// Measurements of this process, and of the fresh ones that were asked.
#[derive(Default)]
pub(super) struct Tape {
    /// This process.
    pub own: Recorded,
    /// The fresh ones, in order.
    pub fresh: Vec<FreshProcess>,
    /// Iterations of a measurement.
    pub iterations: u64,
    /// When each measurement of this process was over, since the first was begun.
    moments: Vec<Duration>,
    /// Why no fresh process can be asked.
    refusal: Option<Confirmation>,
    /// A pause that is due before anything is measured again.
    owed: Option<Duration>,
}

/// What a fresh process brought, for all series.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FreshProcess {
    /// Of its run, in all series.
    pub id: RunId,
    pub judged: Recorded,
    /// The last good executable beside it.
    pub witness: Option<Recorded>,
    /// Processors that others used meanwhile.
    pub others_cpus: Option<f64>,
}

/// Where measurements of this process come from when the tape has no more.
pub(super) trait Source {
    /// Takes one more, and says when it was over.
    ///
    /// # Errors
    /// The failure of the body.
    fn take(&mut self) -> Result<(Take, Duration), Failure>;

    /// Lets so much time pass, and warms up.
    ///
    /// # Errors
    /// The failure of the body.
    fn pause(&mut self, pause: Duration) -> Result<(), Failure>;
}

/// Asks a fresh process, after a pause, for so many measurements of so many iterations. The answer
/// to the trial, where none can be asked.
pub(super) type Ask<'a> = dyn FnMut(Duration, u32, u64) -> Result<FreshProcess, Confirmation> + 'a;

/// How far a trial has heard the tape.
#[derive(Default)]
struct Heard {
    takes: usize,
    processes: usize,
}

impl Tape {
    /// Lets a trial hear what is on the tape, as this aspect sees it, and adds to it what the trial
    /// asks for beyond.
    ///
    /// # Errors
    /// The failure of the body, or a measurement that does not know the aspect.
    pub(super) fn judge(
        &mut self,
        aspect: &Aspect,
        mut trial: Trial,
        source: &mut dyn Source,
        ask: &mut Ask<'_>,
    ) -> Result<Evidence, Failure> {
        let mut heard = Heard::default();
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    if heard.takes == self.own.takes.len() {
                        self.add(source)?;
                    }
                    heard.takes += 1;
                    Observed::Measured(self.measurement(aspect, heard.takes - 1)?)
                }
                Step::Wait(pause) => self.wait(pause),
                Step::Confirm { measurements, .. } => {
                    Observed::Confirmed(self.confirm(aspect, &mut heard, measurements, ask))
                }
                Step::Done(evidence) => return Ok(*evidence),
            };
            let now = heard.takes.checked_sub(1).map(|newest| self.moments[newest]);
            trial.observe(observed, now.unwrap_or_default());
        }
    }

    /// The same for what is known once for a whole process: however often it is asked, its value is
    /// the same.
    pub(super) fn judge_value(
        &mut self,
        value: &ProcessValue,
        mut trial: Trial,
        ask: &mut Ask<'_>,
    ) -> Evidence {
        let aspect = Aspect::Process(value.metric.clone());
        let mut heard = Heard::default();
        loop {
            let observed = match trial.step() {
                Step::Measure => Observed::Measured(Measurement::of_value_ns(value.value)),
                Step::Wait(pause) => self.wait(pause),
                Step::Confirm { measurements, .. } => {
                    Observed::Confirmed(self.confirm(&aspect, &mut heard, measurements, ask))
                }
                Step::Done(evidence) => return *evidence,
            };
            trial.observe(observed, Duration::ZERO);
        }
    }

    /// A stage that some measurements reached and others did not.
    ///
    /// # Errors
    /// Its failure.
    pub(super) fn refuse_partly_reached(&self) -> Result<(), Failure> {
        let takes = 0..self.own.takes.len();
        let mut stages = self.own.stages().into_iter().map(Aspect::Stage);
        stages.try_for_each(|stage| {
            takes.clone().try_for_each(|take| self.measurement(&stage, take).map(drop))
        })
    }

    /// Nothing waits before it is known that something has to be measured.
    fn wait(&mut self, pause: Duration) -> Observed {
        self.owed = Some(pause);
        Observed::Waited
    }

    fn add(&mut self, source: &mut dyn Source) -> Result<(), Failure> {
        if let Some(pause) = self.owed.take() {
            source.pause(pause)?;
        }
        let (take, moment) = source.take()?;
        self.own.takes.push(take);
        self.moments.push(moment);
        Ok(())
    }

    fn measurement(&self, aspect: &Aspect, take: usize) -> Result<Measurement, Failure> {
        aspect.of(&self.own.takes[take]).ok_or_else(|| self.missing(aspect))
    }

    fn missing(&self, aspect: &Aspect) -> Failure {
        let all = self.own.takes.len();
        let known = self.own.takes.iter().filter(|take| aspect.of(take).is_some()).count();
        let name = aspect.name();
        Failure::Series(match aspect {
            Aspect::Stage(_) => format!(
                "the stage `{name}` was reached in {known} of {all} measurements: it cannot be \
                 compared. Reach it in every iteration, or measure the two cases in a test each"
            ),
            _ => format!(
                "the metric `{name}` is known of {known} of {all} measurements: this system does \
                 not tell it always. Take it out of `metrics`"
            ),
        })
    }

    /// The next fresh process that measured at least as often.
    fn confirm(
        &mut self,
        aspect: &Aspect,
        heard: &mut Heard,
        measurements: u32,
        ask: &mut Ask<'_>,
    ) -> Confirmation {
        loop {
            let next = heard.processes;
            heard.processes += 1;
            if next == self.fresh.len()
                && let Err(refusal) = self.add_process(measurements, ask)
            {
                return refusal;
            }
            let process = &self.fresh[next];
            let is_once = matches!(aspect, Aspect::Process(_));
            if is_once || process.judged.takes.len() >= measurements as usize {
                return confirmation(aspect, process);
            }
        }
    }

    fn add_process(&mut self, measurements: u32, ask: &mut Ask<'_>) -> Result<(), Confirmation> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let asked = ask(self.owed.take().unwrap_or_default(), measurements, self.iterations);
        // This process idled meanwhile.
        self.owed = Some(Duration::ZERO);
        let process = asked.inspect_err(|refusal| self.refusal = Some(refusal.clone()))?;
        self.fresh.push(process);
        Ok(())
    }
}

/// A fresh process as the series sees it. An old executable that does not know it is no witness.
fn confirmation(aspect: &Aspect, process: &FreshProcess) -> Confirmation {
    match aspect.of_process(&process.judged) {
        Some(measurements) => Confirmation::Measured {
            measurements,
            witness: process.witness.as_ref().and_then(|old| aspect.of_process(old)),
            others_cpus: process.others_cpus,
        },
        None => Confirmation::Unavailable(format!("it did not measure `{}`", aspect.name())),
    }
}
