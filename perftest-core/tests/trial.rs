//! The trial driven by scripted answers: no clock, no waiting.

use perftest_core::judge::{Confirmation, Observed, Policy, Step, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, Measurement, Outcome, Reason,
};
use std::time::Duration;

/// A machine as a script: what each process measures, in order.
struct Script {
    /// Value of the n-th measurement of the first process.
    own: fn(usize) -> Measurement,
    /// What the n-th fresh process brings, from 1.
    fresh: fn(u32) -> Confirmation,
    /// Time one measurement takes.
    each: Duration,
}

struct Played {
    evidence: Evidence,
    waits: Vec<Duration>,
    confirmations: u32,
}

impl Script {
    fn play(&self, baseline: Baseline, policy: Policy) -> Played {
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        let mut elapsed = Duration::ZERO;
        let (mut index, mut waits, mut confirmations) = (0, Vec::new(), 0);
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    elapsed += self.each;
                    index += 1;
                    Observed::Measured((self.own)(index - 1))
                }
                Step::Wait(pause) => {
                    elapsed += pause;
                    waits.push(pause);
                    Observed::Waited
                }
                Step::Confirm { process, .. } => {
                    confirmations += 1;
                    Observed::Confirmed((self.fresh)(process))
                }
                Step::Done(evidence) => {
                    return Played { evidence: *evidence, waits, confirmations };
                }
            };
            trial.observe(observed, elapsed);
        }
    }
}

/// Runs of these centers, each with ten values within 0.2 % of it.
fn baseline(centers: impl IntoIterator<Item = f64>) -> Baseline {
    let centers: Vec<f64> = centers.into_iter().collect();
    let values_of =
        |center: &f64| -> Vec<f64> { (0..10).map(|index| near(*center, index).value_ns).collect() };
    let values = centers.iter().flat_map(values_of).collect();
    Baseline { centers, values, ..Baseline::empty(&BaselineRule::default()) }
}

/// Runs between 99 and 101 us, as a quiet machine gives them.
fn quiet(runs: usize) -> Baseline {
    baseline((0..runs).map(|run| 99_000.0 + 2_000.0 * wobble(run)))
}

/// Numbers in 0..1 without any pattern that matters (multiples of the golden ratio).
fn wobble(index: usize) -> f64 {
    (index as f64 * 0.618_033_988_75).fract()
}

fn near(value_ns: f64, index: usize) -> Measurement {
    Measurement::of_value_ns(value_ns * (0.998 + 0.004 * wobble(index)))
}

fn process_near(value_ns: f64) -> Confirmation {
    let measurements = (0..30).map(|index| near(value_ns, index)).collect();
    Confirmation::Measured { measurements, others_cpus: Some(0.0) }
}

fn interrupted(value_ns: f64) -> Measurement {
    Measurement {
        wall_ns: value_ns * 10.0,
        iterations: 10,
        thread_cpu_ns: Some((value_ns * 9.0) as u64),
        voluntary_switches: Some(0),
        ..Measurement::of_value_ns(value_ns)
    }
}

const QUICK: Duration = Duration::from_micros(500);

fn unneeded(process: u32) -> Confirmation {
    panic!("process {process} was not to be started")
}

#[test]
fn unchanged_code_is_green_after_three_measurements_with_thirty_runs_of_history() {
    let script = Script { own: |n| near(100_000.0, n), fresh: unneeded, each: QUICK };
    let played = script.play(quiet(30), Policy::default());
    assert_eq!(played.evidence.reason, Reason::Green);
    assert_eq!(played.evidence.measurements, 3);
    assert!(played.waits.is_empty());
}

#[test]
fn unchanged_code_is_green_in_the_first_round_with_five_runs_of_history() {
    let script = Script { own: |n| near(100_000.0, n), fresh: unneeded, each: QUICK };
    let played = script.play(quiet(5), Policy::default());
    assert_eq!(played.evidence.reason, Reason::Green);
    assert!(played.evidence.measurements <= 15);
}

#[test]
fn a_test_without_enough_history_only_learns() {
    let script = Script { own: |n| near(500_000.0, n), fresh: unneeded, each: QUICK };
    let played = script.play(quiet(4), Policy::default());
    assert_eq!(played.evidence.reason, Reason::NoBaseline);
    assert_eq!(played.evidence.measurements, 15);
    assert_eq!((played.evidence.baseline_runs, played.evidence.baseline_needed), (4, 5));
    assert_eq!(played.evidence.degradation, None);
}

#[test]
fn a_slowdown_of_a_quarter_is_red_once_three_fresh_processes_agree() {
    let script =
        Script { own: |n| near(125_000.0, n), fresh: |_| process_near(125_000.0), each: QUICK };
    for runs in [5, 30] {
        let played = script.play(quiet(runs), Policy::default());
        let evidence = &played.evidence;
        assert_eq!(evidence.reason, Reason::Red);
        assert_eq!(evidence.reason.outcome(), Outcome::Failed);
        assert_eq!((evidence.processes, evidence.slow_processes), (4, 4));
        assert_eq!(played.confirmations, 3);
        let degradation = evidence.degradation.unwrap();
        assert!((degradation.estimate - 1.25).abs() < 0.01, "{degradation:?}");
        assert!(degradation.lower > 1.05 && degradation.lower < 1.25, "{degradation:?}");
    }
}

#[test]
fn fresh_processes_are_started_after_growing_pauses() {
    let script =
        Script { own: |n| near(125_000.0, n), fresh: |_| process_near(125_000.0), each: QUICK };
    let waits = script.play(quiet(30), Policy::default()).waits;
    assert_eq!(waits.len(), 3);
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
}

#[test]
fn a_process_that_is_slow_from_start_to_end_is_acquitted_by_a_fresh_one() {
    let script =
        Script { own: |n| near(150_000.0, n), fresh: |_| process_near(100_000.0), each: QUICK };
    let played = script.play(quiet(30), Policy::default());
    assert_eq!(played.evidence.reason, Reason::Green);
    assert_eq!(played.confirmations, 1);
    assert!(played.evidence.note.contains("fresh process"), "{}", played.evidence.note);
}

#[test]
fn a_burst_at_the_start_passes_in_a_gap() {
    let own = |n: usize| near(if n < 15 { 106_500.0 } else { 100_000.0 }, n);
    let script = Script { own, fresh: unneeded, each: QUICK };
    let played = script.play(quiet(30), Policy::default());
    assert_eq!(played.evidence.reason, Reason::Green);
    assert_eq!(played.waits.len(), 1);
}

#[test]
fn three_slow_processes_and_a_fast_one_are_no_red() {
    let fresh = |process| process_near(if process == 3 { 100_500.0 } else { 130_000.0 });
    let script = Script { own: |n| near(130_000.0, n), fresh, each: QUICK };
    assert_eq!(script.play(quiet(30), Policy::default()).evidence.reason, Reason::Green);
}

#[test]
fn interrupted_measurements_are_taken_again_and_convict_nobody() {
    let own = |n: usize| {
        if n.is_multiple_of(2) { interrupted(180_000.0) } else { near(100_000.0, n) }
    };
    let script = Script { own, fresh: unneeded, each: QUICK };
    let evidence = script.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Green);
    assert!(evidence.suspects >= 3);

    let always = Script { own: |_| interrupted(180_000.0), fresh: unneeded, each: QUICK };
    let evidence = always.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unclear);
    assert_eq!(evidence.suspects, evidence.measurements);
}

#[test]
fn a_machine_that_interrupts_everything_can_still_prove_a_green() {
    let script = Script { own: |_| interrupted(100_000.0), fresh: unneeded, each: QUICK };
    assert_eq!(script.play(quiet(30), Policy::default()).evidence.reason, Reason::Green);
}

#[test]
fn a_slowdown_within_the_tolerance_is_never_red() {
    let script =
        Script { own: |n| near(104_500.0, n), fresh: |_| process_near(104_500.0), each: QUICK };
    assert_ne!(script.play(quiet(30), Policy::default()).evidence.reason, Reason::Red);
}

#[test]
fn a_history_that_scatters_more_than_the_tolerance_is_called_unstable() {
    let scattered = baseline((0..30).map(|run| 80_000.0 + 40_000.0 * wobble(run)));
    let script = Script { own: |n| near(112_000.0, n), fresh: unneeded, each: QUICK };
    let evidence = script.play(scattered, Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unstable);
    assert!(evidence.sees.unwrap() > 0.05);
}

#[test]
fn a_large_improvement_is_told_as_one() {
    let script = Script { own: |n| near(60_000.0, n), fresh: unneeded, each: QUICK };
    let evidence = script.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Improved);
    assert!(evidence.degradation.unwrap().upper < 0.7);
}

#[test]
fn the_budget_ends_a_trial_within_one_measurement() {
    let policy = Policy { budget_ns: 1_000_000_000, ..Policy::default() };
    let script =
        Script { own: |n| near(106_500.0, n), fresh: unneeded, each: Duration::from_millis(300) };
    let evidence = script.play(quiet(5), policy).evidence;
    assert_eq!(evidence.reason, Reason::Unclear);
    assert_eq!(evidence.measurements, 4);
}

#[test]
fn a_fresh_process_that_cannot_run_ends_in_a_note_and_no_red() {
    let script = Script {
        own: |n| near(130_000.0, n),
        fresh: |_| Confirmation::Unavailable("it crashed".into()),
        each: QUICK,
    };
    let evidence = script.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unclear);
    assert!(evidence.note.contains("it crashed"));
}

#[test]
fn neighbours_in_the_process_never_lead_to_a_red() {
    let script =
        Script { own: |n| near(130_000.0, n), fresh: |_| Confirmation::NotAlone, each: QUICK };
    assert_eq!(script.play(quiet(30), Policy::default()).evidence.reason, Reason::NotAlone);
}

#[test]
fn threads_whose_processors_others_took_convict_nobody() {
    let threads = |index| Measurement {
        thread_cpu_ns: Some(1_000),
        process_cpu_ns: Some(150_000),
        voluntary_switches: Some(1),
        ..near(150_000.0, index)
    };
    let fresh = |_| Confirmation::Measured {
        measurements: (0..30)
            .map(|index| Measurement {
                thread_cpu_ns: Some(1_000),
                process_cpu_ns: Some(150_000),
                voluntary_switches: Some(1),
                ..near(150_000.0, index)
            })
            .collect(),
        others_cpus: Some(0.8),
    };
    let evidence =
        Script { own: threads, fresh, each: QUICK }.play(quiet(30), Policy::default()).evidence;
    assert_eq!(evidence.reason, Reason::Unclear);
    assert!(evidence.note.contains("processors"), "{}", evidence.note);
}

#[test]
fn an_accepted_new_level_is_allowed_up_to_its_bound_and_no_further() {
    let accepted = Baseline { accepted_ratio: Some(1.12), ..quiet(30) };
    let within = Script { own: |n| near(112_000.0, n), fresh: unneeded, each: QUICK };
    assert_eq!(within.play(accepted.clone(), Policy::default()).evidence.reason, Reason::Green);
    let beyond =
        Script { own: |n| near(140_000.0, n), fresh: |_| process_near(140_000.0), each: QUICK };
    assert_eq!(beyond.play(accepted, Policy::default()).evidence.reason, Reason::Red);
}

#[test]
fn half_a_nanosecond_is_nobodys_degradation() {
    let script = Script { own: |n| near(1.30, n), fresh: |_| process_near(1.30), each: QUICK };
    let tiny = baseline((0..30).map(|run| 1.0 + 0.01 * wobble(run)));
    assert_ne!(script.play(tiny, Policy::default()).evidence.reason, Reason::Red);
}

#[test]
fn a_function_that_takes_no_time_at_all_is_green() {
    let script = Script { own: |_| Measurement::of_value_ns(0.0), fresh: unneeded, each: QUICK };
    assert_eq!(script.play(baseline([0.0; 5]), Policy::default()).evidence.reason, Reason::Green);
}

#[test]
fn throughput_that_falls_is_a_degradation() {
    let mut trial = Trial::new(quiet(30), Direction::Higher, Policy::default());
    let evidence = loop {
        let observed = match trial.step() {
            Step::Measure => Observed::Measured(near(70_000.0, 1)),
            Step::Wait(_) => Observed::Waited,
            Step::Confirm { .. } => Observed::Confirmed(process_near(70_000.0)),
            Step::Done(evidence) => break evidence,
        };
        trial.observe(observed, Duration::ZERO);
    };
    assert_eq!(evidence.reason, Reason::Red);
    assert!(evidence.degradation.unwrap().estimate > 1.35);
}

#[test]
fn asking_twice_gives_the_same_answer() {
    let trial = Trial::new(quiet(30), Direction::Lower, Policy::default());
    assert_eq!(trial.step(), trial.step());
}
