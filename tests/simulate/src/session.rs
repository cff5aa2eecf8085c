//! One run of the simulated test, taken to its record as the harness does.

use crate::build_history::{BuildHistory, CONFIG, code};
use crate::fresh;
use crate::machine::SimulatedMachine;
use crate::process::{Process, SimulatedBuild};
use perftest_core::judge::{
    Inspector, MachineBaseline, Pairing, Policy, Step, StepAnswer, Tally, Trial, with_conditions,
};
use perftest_core::model::{
    Baseline, BaselineRule, BenchmarkId, Environment, Evidence, Lineage, MachineState, Measurement,
    Metric, Revision, Run, RunId,
};
use std::time::Duration;

/// A machine at another speed is looked at again for this time ..
const SETTLING_NS: f64 = 300e6;
/// .. so often.
const BETWEEN_LOOKS_NS: f64 = 2e6;

/// A run, and how it came about.
#[derive(Debug, Clone)]
pub(crate) struct SessionResult {
    pub(crate) run: Run,
    pub(crate) evidence: Evidence,
    /// It was to be confirmed.
    pub(crate) is_candidate: bool,
    /// From the first look at the machine to the verdict.
    pub(crate) took_ns: f64,
}

/// Runs the test once and judges it against the history, of which this is the baseline.
pub(crate) fn judge(
    machine: &mut SimulatedMachine,
    build: SimulatedBuild,
    known: &BuildHistory,
    baseline: &Baseline,
) -> SessionResult {
    let begun_ns = machine.now_ns;
    let usual = MachineBaseline::before(baseline);
    let before = settled_look(machine, &usual);
    let other_speed = usual.other_speed(&before.probes());
    let comparable = match other_speed {
        Some(_) => baseline.without_runs(),
        None => baseline.clone(),
    };
    let direction = Metric::wall().direction;
    let trial = Trial::new(comparable.clone(), direction, Policy::default());
    let trial = trial.with_seed(machine.random.bits());
    let trial = if other_speed.is_some() { trial.by_pairs_alone() } else { trial };
    let trial = match baseline.run_that_clears(&code(build)) {
        Some(run) => trial.of_unchanged_code(&run.revision.commit),
        None => trial,
    };
    let base = known.last_good(baseline, build);
    let StepResult { evidence, measurements, is_candidate } = obey(machine, trial, build, base);
    let conditions =
        Inspector::new(MachineBaseline::in_baseline(&comparable)).inspect_all(&measurements);
    let tally = Tally::of(&measurements, &conditions);
    let mut environment = Environment::between(before, machine.look());
    tally.mark(&mut environment);
    if let Some(tag) = other_speed {
        environment.mark(tag);
    }
    let evidence = evidence.under(&environment);
    let run = Run { environment, evidence: Some(evidence.clone()), ..blank_run(build, begun_ns) };
    let run = with_conditions(run, measurements, &conditions);
    let (rule, lineage, mut run) =
        (BaselineRule::default(), Lineage::default(), tally.applied_to(run));
    run.counts_for_baseline &=
        rule.why_not_counted(&known.history, baseline, None, &lineage, &run).is_none();
    SessionResult { run, evidence, is_candidate, took_ns: machine.now_ns - begun_ns }
}

/// Looks at the machine until it is as fast as usual, for a while.
fn settled_look(machine: &mut SimulatedMachine, usual: &MachineBaseline) -> MachineState {
    let latest_ns = machine.now_ns + SETTLING_NS;
    loop {
        let look = machine.look();
        if usual.other_speed(&look.probes()).is_none() || machine.now_ns >= latest_ns {
            return look;
        }
        machine.pass_ns(BETWEEN_LOOKS_NS);
    }
}

struct StepResult {
    evidence: Evidence,
    measurements: Vec<Measurement>,
    is_candidate: bool,
}

/// Does what a trial of `build` asks for; `base` is the last good build.
fn obey(
    machine: &mut SimulatedMachine,
    mut trial: Trial,
    build: SimulatedBuild,
    base: Option<SimulatedBuild>,
) -> StepResult {
    let mut process = Process::warm(machine, build);
    let begun_ns = machine.now_ns;
    let mut measurements = Vec::new();
    loop {
        let observed = match trial.step() {
            Step::Measure => {
                let measurement = process.measure(machine);
                trial.make_room_for(&measurement);
                measurements.push(measurement);
                StepAnswer::Measured(measurement)
            }
            Step::Wait(pause) => {
                machine.pass_ns(pause.as_nanos() as f64);
                StepAnswer::Waited
            }
            Step::Pair(plan) => {
                let pair = |base| fresh::pair(machine, base, build, &plan);
                StepAnswer::Paired(base.map_or(Pairing::NoBase, pair))
            }
            Step::Confirm { measurements, .. } => {
                StepAnswer::Confirmed(fresh::alone(machine, build, measurements))
            }
            Step::Done(evidence) => {
                let is_candidate = trial.was_suspected();
                return StepResult { evidence: *evidence, measurements, is_candidate };
            }
        };
        trial.observe(observed, Duration::from_nanos((machine.now_ns - begun_ns) as u64));
    }
}

pub(crate) fn blank_run(build: SimulatedBuild, started_ns: f64) -> Run {
    let started_ms = (started_ns / 1e6) as u64;
    let policy = Policy::default();
    let benchmark = BenchmarkId::new("simulated", "simulated", "body");
    Run {
        testbed: "simulated/1".into(),
        config: CONFIG.into(),
        code: code(build),
        started_ms,
        revision: Revision { commit: format!("c{}", build.number), ..Revision::default() },
        rule: policy.rule(),
        max_measurements: policy.max_measurements,
        curve: policy.curve.points().to_vec(),
        budget_ns: policy.budget_ns,
        ..Run::blank(RunId::new(started_ms, 0), benchmark, Metric::wall())
    }
}
