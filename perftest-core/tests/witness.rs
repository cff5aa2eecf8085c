//! The last good executable beside the judged one: who is slower, the code or the machine?

#[path = "support/play.rs"]
mod driver;
mod support;

use driver::{near, wobble};
use perftest_core::judge::{Confirmation, Observed, Policy, Step, Trial};
use perftest_core::model::{
    Acceptance, Baseline, BaselineRule, Direction, Evidence, History, Lineage, Measurement,
    Observation, Outcome, Reason, Run,
};
use std::time::Duration;
use support::{code, evidence, run};

/// Values of the n-th fresh process, from 1: of the judged executable and of the old one.
type Pairs = fn(u32) -> (f64, Option<f64>);

struct Played {
    evidence: Evidence,
    confirmations: u32,
}

fn baseline(runs: usize) -> Baseline {
    let centers: Vec<f64> = (0..runs).map(|run| 99_000.0 + 2_000.0 * wobble(run)).collect();
    let sequence = |center: &f64| -> Vec<Observation> {
        (0..10).map(|index| near(*center, index).value_ns.into()).collect()
    };
    Baseline {
        sequences: centers.iter().map(sequence).collect(),
        centers: centers.into_iter().map(Observation::from).collect(),
        ..Baseline::empty(&BaselineRule::default())
    }
}

fn process(value_ns: f64, measurements: u32) -> Vec<Measurement> {
    (0..measurements as usize).map(|index| near(value_ns, index)).collect()
}

/// Plays a trial whose own process measures `own_ns`.
fn judge(mut trial: Trial, own_ns: f64, pairs: Pairs) -> Played {
    let (mut elapsed, mut index, mut confirmations) = (Duration::ZERO, 0, 0);
    loop {
        elapsed += Duration::from_micros(500);
        let observed = match trial.step() {
            Step::Measure => {
                index += 1;
                Observed::Measured(near(own_ns, index))
            }
            Step::Wait(_) => Observed::Waited,
            Step::Confirm { process: number, measurements } => {
                confirmations += 1;
                let (judged, old) = pairs(number);
                Observed::Confirmed(Confirmation::Measured {
                    measurements: process(judged, measurements),
                    witness: old.map(|old| process(old, measurements)),
                    others_cpus: Some(0.0),
                })
            }
            Step::Done(evidence) => return Played { evidence: *evidence, confirmations },
        };
        trial.observe(observed, elapsed);
    }
}

fn trial(runs: usize) -> Trial {
    Trial::new(baseline(runs), Direction::Lower, Policy::default())
}

#[test]
fn slower_code_beside_an_old_executable_as_fast_as_ever_is_red() {
    for runs in [5, 30] {
        let played = judge(trial(runs), 125_000.0, |_| (125_000.0, Some(100_000.0)));
        assert_eq!(played.evidence.reason, Reason::Red);
        assert_eq!(played.confirmations, 3);
        let witness = played.evidence.witness.unwrap();
        assert_eq!(witness.pairs, 3);
        assert!((witness.ratio - 1.25).abs() < 0.01, "{witness:?}");
        assert!((witness.now - 100_000.0).abs() < 1_000.0, "{witness:?}");
        assert!((witness.machine_ratio - 1.0).abs() < 0.02, "{witness:?}");
    }
}

#[test]
fn an_old_executable_that_is_as_slow_now_acquits_the_code() {
    for runs in [5, 30] {
        let played = judge(trial(runs), 130_000.0, |_| (130_000.0, Some(129_000.0)));
        let evidence = played.evidence;
        assert_eq!(evidence.reason, Reason::MachineSlower);
        assert_eq!(evidence.reason.outcome(), Outcome::Passed);
        assert!(evidence.note.contains(" 1.29x its level now too"), "{}", evidence.note);
        assert!((evidence.degradation.unwrap().estimate - 1.30).abs() < 0.02);
    }
}

#[test]
fn code_that_became_slower_on_a_machine_that_did_too_is_red() {
    let played = judge(trial(30), 160_000.0, |_| (160_000.0, Some(128_000.0)));
    assert_eq!(played.evidence.reason, Reason::Red);
    let witness = played.evidence.witness.unwrap();
    assert!((witness.machine_ratio - 1.28).abs() < 0.02, "{witness:?}");
}

#[test]
fn a_machine_that_wavers_slows_both_of_a_pair_and_acquits_the_code() {
    let pairs = |number: u32| {
        let load = [1.3, 1.7, 1.4, 1.9, 1.5, 1.6, 1.8][number as usize % 7];
        (100_000.0 * load, Some(99_000.0 * load))
    };
    let played = judge(trial(30), 150_000.0, pairs);
    assert_eq!(played.evidence.reason, Reason::MachineSlower);
}

#[test]
fn one_slow_process_of_the_old_executable_acquits_nothing() {
    let pairs = |number| (125_000.0, Some(if number == 2 { 126_000.0 } else { 100_000.0 }));
    assert_eq!(judge(trial(30), 125_000.0, pairs).evidence.reason, Reason::Red);
}

#[test]
fn a_witness_that_falls_silent_leaves_the_rest_to_the_fresh_processes() {
    let never = judge(trial(30), 125_000.0, |_| (125_000.0, None));
    assert_eq!((never.evidence.reason, never.evidence.witness), (Reason::Red, None));
    let once = judge(trial(30), 125_000.0, |it| (125_000.0, (it == 1).then_some(100_000.0)));
    assert_eq!(once.evidence.reason, Reason::Red);
    assert_eq!(once.evidence.witness.unwrap().pairs, 1);
}

#[test]
fn what_the_old_executable_leaves_open_is_unclear_and_never_red() {
    // Beyond the limit together, and neither by the code alone nor by the machine alone.
    let played = judge(trial(5), 108_500.0, |_| (108_500.0, Some(104_500.0)));
    assert_ne!(played.evidence.reason.outcome(), Outcome::Failed, "{:?}", played.evidence);
}

#[test]
fn the_same_code_is_never_red_and_starts_no_process() {
    for slow_ns in [125_000.0, 2_000_000.0] {
        let trial = trial(30).of_unchanged_code("a1b2c3d4e5");
        let played = judge(trial, slow_ns, |_| panic!("no process was to be started"));
        let evidence = played.evidence;
        assert_eq!(evidence.reason, Reason::SameCode);
        assert_eq!(evidence.reason.outcome(), Outcome::Passed);
        assert!(evidence.note.contains("same machine code as commit a1b2c3d: not the code"));
    }
}

#[test]
fn the_same_code_that_is_fast_is_green_as_ever() {
    let trial = trial(30).of_unchanged_code("");
    let played = judge(trial, 100_000.0, |_| panic!("no process was to be started"));
    assert_eq!((played.evidence.reason, played.evidence.note.as_str()), (Reason::Green, ""));
}

fn selected(history: &History) -> Baseline {
    BaselineRule::default().select(history, "cfg", None, &Lineage::default())
}

fn machine_slower(order: u64, value_ns: f64, text: &str) -> Run {
    let evidence = Evidence { slow_processes: 4, ..evidence(Reason::MachineSlower) };
    Run { evidence: Some(evidence), ..run(order, value_ns, text) }
}

#[test]
fn the_same_code_is_told_by_a_run_that_was_good_and_by_no_other() {
    let mut runs: Vec<Run> = (0..6).map(|order| run(order, 100.0, "old")).collect();
    runs.push(Run { evidence: Some(evidence(Reason::Unclear)), ..run(6, 101.0, "doubtful") });
    let history = History { runs };
    let baseline = selected(&history);
    let same = |text: &str| {
        let run = history.member_of_same_code(&baseline, &code(text));
        run.map(|run| run.revision.commit.as_str())
    };
    assert_eq!(same("old"), Some("c5"));
    assert_eq!(same("doubtful"), None, "it may be what made it slow");
    assert_eq!(same("new"), None);
    assert_eq!(same(""), None, "what is not known is not the same");
}

#[test]
fn a_slower_machine_is_a_level_of_its_own_after_the_runs_a_verdict_needs() {
    let old = (0..25).map(|order| run(order, 100.0 + wobble(order as usize), "old"));
    let value = |order: u64| 130.0 + wobble(order as usize);
    let new = (25..30).map(|order| machine_slower(order, value(order), "new"));
    let history = History { runs: old.chain(new).collect() };
    let baseline = selected(&history);
    assert_eq!(baseline.ids.len(), 5);
    assert!(baseline.centers.iter().all(|center| center.value > 129.0));
}

#[test]
fn as_many_runs_of_one_code_teach_a_slower_machine_as_a_verdict_needs() {
    let rule = BaselineRule::default();
    let mut history = History { runs: (0..25).map(|it| run(it, 100.0, "old")).collect() };
    let may_teach = |history: &History, run: &Run| {
        rule.may_teach(history, None::<&Acceptance>, &Lineage::default(), run)
    };
    for order in 25..30 {
        let run = machine_slower(order, 130.0, "new");
        assert!(may_teach(&history, &run), "{order}");
        history.runs.push(run);
    }
    assert!(!may_teach(&history, &machine_slower(30, 130.0, "new")));
}
