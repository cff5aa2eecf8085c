//! The trial driven by scripted answers: no clock, no waiting.

pub(crate) use super::play::{near, wobble};
use perftest_core::judge::{Confirmation, Pairing, Policy, Step, StepAnswer, Trial};
use perftest_core::model::{Baseline, BaselineRule, Direction, Evidence, Measurement, Observation};
use std::time::Duration;

/// A machine as a script: what each process measures, in order.
pub(crate) struct Script {
    /// Value of the n-th measurement of the first process.
    pub(crate) own: fn(usize) -> Measurement,
    /// What the n-th fresh process brings, from 1.
    pub(crate) fresh: fn(u32) -> Confirmation,
    /// Time one measurement takes.
    pub(crate) each: Duration,
}

pub(crate) struct PlayResult {
    pub(crate) evidence: Evidence,
    pub(crate) waits: Vec<Duration>,
    pub(crate) confirmations: u32,
}

impl Script {
    pub(crate) fn play(&self, baseline: Baseline, policy: Policy) -> PlayResult {
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        let mut elapsed = Duration::ZERO;
        let (mut index, mut waits, mut confirmations) = (0, Vec::new(), 0);
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    elapsed += self.each;
                    index += 1;
                    let measurement = (self.own)(index - 1);
                    trial.make_room_for(&measurement);
                    StepAnswer::Measured(measurement)
                }
                Step::Wait(pause) => {
                    elapsed += pause;
                    waits.push(pause);
                    StepAnswer::Waited
                }
                Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
                Step::Confirm { process, .. } => {
                    confirmations += 1;
                    StepAnswer::Confirmed((self.fresh)(process))
                }
                Step::Done(evidence) => {
                    return PlayResult { evidence: *evidence, waits, confirmations };
                }
            };
            trial.observe(observed, elapsed);
        }
    }
}

/// Runs of these centers, each with ten values within 0.2% of it.
pub(crate) fn baseline(centers: impl IntoIterator<Item = f64>) -> Baseline {
    let centers: Vec<f64> = centers.into_iter().collect();
    let sequence = |center: &f64| -> Vec<Observation> {
        (0..10).map(|index| near(*center, index).value.into()).collect()
    };
    let sequences = centers.iter().map(sequence).collect();
    let centers = centers.into_iter().map(Observation::from).collect();
    Baseline { centers, sequences, ..Baseline::empty(&BaselineRule::default()) }
}

/// Runs between 99 and 101 us, as a quiet machine gives them.
pub(crate) fn quiet(runs: usize) -> Baseline {
    baseline((0..runs).map(|run| 99_000.0 + 2_000.0 * wobble(run)))
}

pub(crate) fn process_near(value: f64) -> Confirmation {
    let measurements = (0..30).map(|index| near(value, index)).collect();
    Confirmation::Measured { measurements, others_cpus: Some(0.0), elapsed: Duration::ZERO }
}

pub(crate) fn interrupted(value: f64) -> Measurement {
    Measurement {
        wall_ns: value * 10.0,
        iterations: 10,
        thread_cpu_ns: Some((value * 9.0) as u64),
        voluntary_switches: Some(0),
        ..Measurement::of_value(value)
    }
}

/// Of one of several threads that did not work at once for half of the time.
pub(crate) fn apart(value: f64) -> Measurement {
    Measurement { apart_ns: Some((value * 5.0) as u64), ..interrupted(value) }
}

pub(crate) const QUICK: Duration = Duration::from_micros(500);

pub(crate) fn unneeded(process: u32) -> Confirmation {
    panic!("process {process} was not to be started")
}
