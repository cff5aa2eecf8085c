//! One decision over recorded runs.

use super::playback::{InjectedSlowdown, RunPlayback};
use perftest_core::judge::{
    Confirmation, Inspector, MachineBaseline, Pairing, Policy, Step, StepAnswer, Tally, Trial,
};
use perftest_core::model::{Baseline, Environment, Measurement, Metric, Reason, Run};
use std::time::Duration;

/// Warm-up time of a fresh process.
const WARMING_UP: Duration = Duration::from_millis(100);

/// A candidate and its baseline.
#[derive(Debug)]
pub(super) struct Decision<'a> {
    pub(super) baseline: &'a Baseline,
    pub(super) candidate: &'a Run,
    /// Index of the candidate's first measurement in the replay.
    pub(super) start: usize,
    /// The runs that replace its fresh processes, in this order.
    pub(super) confirming_runs: Vec<&'a Run>,
    pub(super) slowdown: InjectedSlowdown,
    pub(super) policy: &'a Policy,
}

/// The end of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DecisionResult {
    pub(super) reason: Reason,
    /// Whether it would have been red without a confirmation.
    pub(super) was_candidate: bool,
    /// Number of measurements, including confirmations.
    pub(super) measurements: u32,
}

impl Decision<'_> {
    /// Runs the trial as the harness does.
    pub(super) fn decide(&self) -> DecisionResult {
        let mut trial =
            Trial::new(self.baseline.clone(), self.slowdown.direction, self.policy.clone());
        let mut playback =
            RunPlayback::new(&self.candidate.measurements, self.start, self.slowdown);
        let mut measured = Vec::new();
        let mut confirming_runs = self.confirming_runs.iter();
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    let measurement = playback.measure();
                    if self.candidate.metric == Metric::wall() {
                        trial.make_room_for(&measurement);
                    }
                    measured.push(measurement);
                    StepAnswer::Measured(measurement)
                }
                Step::Wait(pause) => {
                    playback.wait(pause);
                    StepAnswer::Waited
                }
                Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
                Step::Confirm { measurements, .. } => StepAnswer::Confirmed(
                    self.confirm(confirming_runs.next().copied(), measurements),
                ),
                Step::Done(evidence) => {
                    // The state of the machine does not affect deterministic values.
                    let evidence = match self.candidate.metric.is_deterministic() {
                        true => *evidence,
                        false => evidence.under(&self.environment(&measured)),
                    };
                    return DecisionResult {
                        reason: evidence.reason,
                        was_candidate: trial.was_suspected()
                            && evidence.reason != Reason::Untrusted,
                        measurements: evidence.measurements,
                    };
                }
            };
            trial.observe(observed, playback.elapsed());
        }
    }

    /// A fresh process warms up before it measures.
    fn confirm(&self, confirming_run: Option<&Run>, count: u32) -> Confirmation {
        let Some(run) = confirming_run else {
            return Confirmation::Unavailable("no further run was recorded".into());
        };
        let mut playback = RunPlayback::new(&run.measurements, 0, self.slowdown);
        playback.wait(WARMING_UP);
        let measurements = (0..count).map(|_| playback.measure()).collect();
        Confirmation::Measured { measurements, others_cpus: None, elapsed: Duration::ZERO }
    }

    /// The conditions of the candidate, from its record and its measurements.
    fn environment(&self, measured: &[Measurement]) -> Environment {
        let conditions =
            Inspector::new(MachineBaseline::in_baseline(self.baseline)).inspect_all(measured);
        let mut environment = self.candidate.environment.clone();
        Tally::of(measured, &conditions).mark(&mut environment);
        environment
    }
}
