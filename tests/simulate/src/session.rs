//! One run of the simulated test, taken to its record as the harness does.

use crate::machine::Machine;
use crate::process::{Build, Process};
use perftest_core::judge::{
    Condition, Confirmation, Inspector, Observed, Pairing, Policy, Step, Tally, Trial, Usual,
};
use perftest_core::model::{
    Baseline, BaselineRule, BenchmarkId, CodeState, Environment, Evidence, History, Lineage,
    Measurement, Metric, Revision, Run, RunId,
};
use std::time::Duration;

const CONFIG: &str = "simulated";
/// The harness warms up for this long ..
const WARM_UP_NS: f64 = 10e6;
/// .. for this long before it learns or bears witness ..
const WAKING_NS: f64 = 100e6;
/// .. and with so many batches after a pause.
const AFTER_PAUSE: f64 = 3.0;
/// A machine at another speed is looked at again after this time.
const SETTLING_NS: f64 = 300e6;

/// A run, and how it came about.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) run: Run,
    pub(crate) evidence: Evidence,
    /// It was to be confirmed.
    pub(crate) is_candidate: bool,
    /// From the first look at the machine to the verdict.
    pub(crate) took_ns: f64,
}

/// What the runs of a history are compared with.
pub(crate) fn baseline(history: &History) -> Baseline {
    BaselineRule::default().select(history, CONFIG, None, &Lineage::default())
}

/// Runs the test once and judges it against the history, of which this is the baseline.
pub(crate) fn judge(
    machine: &mut Machine,
    build: Build,
    history: &History,
    baseline: &Baseline,
) -> Judged {
    let begun_ns = machine.now_ns;
    let usual = Usual::in_baseline(baseline);
    let mut before = machine.look();
    if usual.other_speed(&before.probes()).is_some() {
        machine.pass_ns(SETTLING_NS);
        before = machine.look();
    }
    let other_speed = usual.other_speed(&before.probes());
    let Obeyed { evidence, measurements, is_candidate } = obey(machine, build, baseline.clone());
    let conditions = Inspector::new(usual).inspect_all(&measurements);
    let tally = Tally::of(&measurements, &conditions);
    let mut environment = Environment::between(before, machine.look());
    tally.mark(&mut environment);
    if let Some(tag) = other_speed {
        environment.mark(tag);
    }
    let evidence = evidence.under(&environment);
    let is_in_order = !environment.is_untrusted() && !tally.leaves_no_level();
    let mut run = Run {
        suspects: indices(&conditions, |it| !it.is_usable()),
        on_processor_time: indices(&conditions, |it| it == Condition::OnProcessorTime),
        measurements,
        environment,
        evidence: Some(evidence.clone()),
        ..blank_run(build, begun_ns)
    };
    run.teaches =
        is_in_order && BaselineRule::default().may_teach(history, None, &Lineage::default(), &run);
    Judged { run, evidence, is_candidate, took_ns: machine.now_ns - begun_ns }
}

struct Obeyed {
    evidence: Evidence,
    measurements: Vec<Measurement>,
    is_candidate: bool,
}

/// Does what a trial asks for.
fn obey(machine: &mut Machine, build: Build, baseline: Baseline) -> Obeyed {
    let mut trial = Trial::new(baseline, Metric::wall().direction, Policy::default());
    let mut process = Process::start(machine, build);
    process.warm_up_ns(machine, WARM_UP_NS);
    if trial.is_learning() {
        process.warm_up_ns(machine, WAKING_NS);
    }
    let begun_ns = machine.now_ns;
    let mut measurements = Vec::new();
    loop {
        let observed = match trial.step() {
            Step::Measure => {
                let measurement = process.measure(machine);
                trial.make_room_for(&measurement);
                measurements.push(measurement);
                Observed::Measured(measurement)
            }
            Step::Wait(pause) => {
                machine.pass_ns(pause.as_nanos() as f64);
                process.warm_up_batches(machine, AFTER_PAUSE);
                Observed::Waited
            }
            Step::Pair(_) => Observed::Paired(Pairing::NoBase),
            Step::Confirm { measurements, .. } => {
                Observed::Confirmed(confirm(machine, build, measurements))
            }
            Step::Done(evidence) => {
                let is_candidate = trial.was_suspected();
                return Obeyed { evidence: *evidence, measurements, is_candidate };
            }
        };
        trial.observe(observed, Duration::from_nanos((machine.now_ns - begun_ns) as u64));
    }
}

fn confirm(machine: &mut Machine, build: Build, measurements: u32) -> Confirmation {
    let mut process = Process::start(machine, build);
    process.warm_up_ns(machine, WARM_UP_NS + WAKING_NS);
    let measurements = (0..measurements).map(|_| process.measure(machine)).collect();
    // The body has no threads whose processors others could take.
    Confirmation::Measured { measurements, others_cpus: None, elapsed: Duration::ZERO }
}

fn indices(conditions: &[Condition], is_such: fn(Condition) -> bool) -> Vec<u32> {
    let indexed = (0..).zip(conditions);
    indexed.filter(|(_, condition)| is_such(**condition)).map(|(index, _)| index).collect()
}

fn code(build: Build) -> CodeState {
    let text = format!("{:016x}", build.number);
    CodeState { executable: text.clone(), text }
}

fn blank_run(build: Build, started_ns: f64) -> Run {
    let started_ms = (started_ns / 1e6) as u64;
    let policy = Policy::default();
    Run {
        id: RunId::new(started_ms, 0),
        session: String::new(),
        attempt: 1,
        project: String::new(),
        benchmark: BenchmarkId::new("simulated", "simulated", "body"),
        metric: Metric::wall(),
        testbed: "simulated/1".into(),
        context: String::new(),
        config: CONFIG.into(),
        code: code(build),
        // Builds differ by where the code lies.
        own_code: "body".into(),
        started_ms,
        revision: Revision { commit: format!("c{}", build.number), ..Revision::default() },
        ci: String::new(),
        warm_up: 0,
        measurements: Vec::new(),
        suspects: Vec::new(),
        on_processor_time: Vec::new(),
        environment: Environment::default(),
        evidence: None,
        rule: policy.rule(),
        baseline: String::new(),
        teaches: false,
        spent_ns: 0,
        budget_ns: policy.budget_ns,
        flags: Vec::new(),
    }
}
