//! Unchanged machine code: never red, and no reason to start a process.

use crate::pairs::{baseline, judge, trial, trial_of, unstable};
use crate::play::near;
use crate::script::interrupted;
use crate::support::{code, evidence, run};
use perftest_core::judge::{Policy, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, History, Interval, Lineage, Measurement,
    Observation, Outcome, PairedResult, Reason, Run, Tolerance,
};
use perftest_core::words::notes;
use std::time::Duration;

#[test]
fn the_same_code_is_never_red_and_starts_no_process() {
    for slow_ns in [125_000.0, 2_000_000.0] {
        let trial = trial(30).of_unchanged_code("a1b2c3d4e5");
        let played = judge(trial, slow_ns, |_| panic!("no process was to be started"));
        let evidence = played.evidence;
        assert_eq!(evidence.reason, Reason::SameCode);
        assert_eq!(evidence.reason.outcome(), Outcome::Passed);
        assert_eq!(notes(&evidence.notes).as_deref(), Some("same machine code as commit a1b2c3d"));
    }
}

#[test]
fn the_same_code_that_is_faster_is_no_improvement() {
    let trial = trial(30).of_unchanged_code("");
    let played = judge(trial, 60_000.0, |_| panic!("no process was to be started"));
    assert_eq!(played.evidence.reason, Reason::SameCode);
}

#[test]
fn the_same_code_of_an_unstable_test_is_the_same_code_and_starts_no_process() {
    let trial = trial_of(unstable(20)).of_unchanged_code("a1b2c3d4e5");
    let played = judge(trial, 100_000.0, |_| panic!("no process was to be started"));
    assert_eq!(played.evidence.reason, Reason::SameCode);
}

#[test]
fn the_same_code_that_was_disturbed_throughout_starts_no_process() {
    let mut trial = trial(30).of_unchanged_code("a1b2c3d4e5");
    let evidence = loop {
        let answer = match trial.step() {
            Step::Measure => StepAnswer::Measured(interrupted(150_000.0)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Done(evidence) => break *evidence,
            other => panic!("no process was to be started, and not {other:?}"),
        };
        trial.observe(answer, Duration::ZERO);
    };
    assert_eq!(evidence.reason, Reason::SameCode);
}

/// The number of pauses before unchanged code near this value ends, and how it does.
fn pauses_of(mut trial: Trial, own_ns: f64) -> (usize, Evidence) {
    let (mut pauses, mut index) = (0, 0);
    loop {
        let answer = match trial.step() {
            Step::Measure => {
                index += 1;
                StepAnswer::Measured(near(own_ns, index))
            }
            Step::Wait(_) => {
                pauses += 1;
                StepAnswer::Waited
            }
            Step::Done(evidence) => break (pauses, *evidence),
            other => panic!("no process was to be started, and not {other:?}"),
        };
        trial.observe(answer, Duration::ZERO);
    }
}

/// How unchanged code ends whose measurements scatter by a tenth around this value.
fn scattered(own_ns: f64) -> Evidence {
    let mut trial = trial(30).of_unchanged_code("");
    let mut index = 0;
    loop {
        let answer = match trial.step() {
            Step::Measure => {
                let scatter = [0.95, 1.05, 0.98, 1.02, 1.0][index % 5];
                index += 1;
                StepAnswer::Measured(near(own_ns * scatter, index))
            }
            Step::Done(evidence) => break *evidence,
            other => panic!("no process was to be started, and not {other:?}"),
        };
        trial.observe(answer, Duration::ZERO);
    }
}

#[test]
fn the_same_code_that_five_measurements_leave_undecided_ends_with_them() {
    let undecided = scattered(101_000.0);
    assert_eq!((undecided.reason, undecided.measurements), (Reason::SameCode, 5));
    assert_eq!(undecided.slow_processes, 0);
}

#[test]
fn a_count_of_the_same_code_that_is_repeated_has_its_whole_round_to_be_green() {
    let counted: Vec<Observation> = vec![10.0.into(); 5];
    let baseline = Baseline {
        sequences: counted.iter().map(|it| vec![*it]).collect(),
        centers: counted,
        ..Baseline::empty(&BaselineRule::default())
    };
    let policy = Policy::default().once_per_process();
    let mut trial = Trial::new(baseline, Direction::Lower, policy).of_unchanged_code("");
    let evidence = loop {
        match trial.step() {
            Step::Measure => {
                let measured = StepAnswer::Measured(Measurement::of_value(10.0));
                trial.observe(measured, Duration::ZERO);
            }
            Step::Done(evidence) => break *evidence,
            other => panic!("no process was to be started, and not {other:?}"),
        }
    };
    assert_eq!(evidence.reason, Reason::Green);
    assert!(evidence.measurements > 5, "{} measurements", evidence.measurements);
}

/// Five of these measurements do not prove what all fifteen do.
#[test]
fn the_same_code_that_looks_slower_has_its_whole_round() {
    let slower = scattered(110_000.0);
    assert_eq!((slower.reason, slower.measurements), (Reason::SameCode, Policy::default().round));
    assert_eq!(slower.slow_processes, 1);
}

#[test]
fn the_same_code_that_its_first_round_leaves_undecided_waits_for_nothing() {
    let undecided = trial(30).of_unchanged_code("");
    let (pauses, evidence) = pauses_of(undecided, 104_500.0);
    assert_eq!((pauses, evidence.measurements), (0, Policy::default().round));
    assert_eq!((evidence.reason, evidence.slow_processes), (Reason::SameCode, 0));
}

#[test]
fn the_same_code_that_its_first_round_finds_slower_counts_as_slow() {
    let slower = trial(30).of_unchanged_code("");
    let (pauses, evidence) = pauses_of(slower, 107_000.0);
    assert_eq!((pauses, evidence.reason), (0, Reason::SameCode));
    assert_eq!(evidence.slow_processes, 1, "its run may not be the level of later ones");
}

#[test]
fn the_same_code_above_its_limit_has_all_rounds_to_come_below_it() {
    let limited = Policy { limit: Some(104_000.0), ..Policy::default() };
    let mut trial = Trial::new(baseline(30), Direction::Lower, limited).of_unchanged_code("");
    let mut index = 0;
    loop {
        let answer = match trial.step() {
            Step::Measure => {
                index += 1;
                StepAnswer::Measured(near(104_500.0, index))
            }
            Step::Wait(_) => break,
            other => panic!("a further round was to come, and not {other:?}"),
        };
        trial.observe(answer, Duration::ZERO);
    }
    assert_eq!(index as u32, Policy::default().round);
}

#[test]
fn the_same_code_that_is_fast_is_green_as_ever() {
    let trial = trial(30).of_unchanged_code("");
    let played = judge(trial, 100_000.0, |_| panic!("no process was to be started"));
    assert_eq!((played.evidence.reason, played.evidence.notes), (Reason::Green, Vec::new()));
}

/// The first run of a test whose own process has this value, and the processes beside it.
fn first_run(own_ns: f64, beside_ns: [f64; 4]) -> History {
    let beside = (1..).zip(beside_ns).map(|(order, value)| Run {
        evidence: None,
        flags: vec![Run::PROVISIONAL.to_owned()],
        ..run(order, value, "first")
    });
    let own = Run { evidence: Some(evidence(Reason::NoBaseline)), ..run(5, own_ns, "first") };
    History { runs: beside.chain([own]).collect() }
}

#[test]
fn the_code_of_a_first_run_is_unchanged_by_all_of_its_processes() {
    let is_unchanged = |history: &History, text: &str| {
        let rule = BaselineRule::default();
        let baseline = rule.select(history, "cfg", None, &Lineage::default());
        assert_eq!(baseline.runs.len(), 5);
        baseline.run_that_clears(&code(text)).is_some()
    };
    let slow_alone = first_run(11_030.0, [5_440.0, 4_920.0, 5_650.0, 6_410.0]);
    assert!(is_unchanged(&slow_alone, "first"), "the others show how fast it is");
    assert!(!is_unchanged(&slow_alone, "another"));
}

/// Whether a run with this end, by a tolerance of 50%, clears its code for this tolerance.
fn clears_by(share: f64, ended: Evidence) -> bool {
    let ended = Evidence { tolerance: Tolerance::new(0.5).unwrap(), ..ended };
    let level = (0..6).map(|order| run(order, 100.0, "level"));
    let judged = Run { evidence: Some(ended), ..run(6, 100.0, "judged") };
    let history = History { runs: level.chain([judged]).collect() };
    let rule = BaselineRule::default();
    let baseline = rule.select(&history, "cfg", None, &Lineage::default());
    let baseline = baseline.held_to(Tolerance::new(share).unwrap());
    baseline.run_that_clears(&code("judged")).is_some()
}

#[test]
fn what_a_wider_tolerance_let_pass_is_cleared_for_a_smaller_one_only_within_both() {
    let ended = |reason, ratio: f64| {
        let degradation = Interval { estimate: ratio, lower: ratio - 0.03, upper: ratio + 0.03 };
        Evidence { degradation: Some(degradation), ..evidence(reason) }
    };
    let clears = |evidence: Evidence| [0.5, 0.4, 0.05].map(|it| clears_by(it, evidence.clone()));
    assert_eq!(clears(ended(Reason::Green, 1.3)), [true, true, false]);
    assert_eq!(clears(ended(Reason::Green, 1.01)), [true; 3], "both prove it");
    assert_eq!(clears(ended(Reason::Improved, 0.6)), [true; 3]);
    let base_slower_by = |machine_ratio| {
        let pairs = PairedResult { machine_ratio, ratio: 1.01, ..PairedResult::default() };
        Evidence { paired_result: Some(pairs), ..ended(Reason::Green, 1.01) }
    };
    assert_eq!(clears(base_slower_by(1.0)), [true; 3]);
    assert_eq!(clears(base_slower_by(1.12)), [true, true, false], "beside a base that was slower");
    // They proved nothing themselves, and the bounds of the pairs are not recorded.
    assert_eq!(clears(ended(Reason::SameCode, 1.0)), [true, false, false]);
    assert_eq!(clears(ended(Reason::MachineSlower, 1.3)), [true, false, false]);
    assert_eq!(clears(evidence(Reason::Green)), [true, false, false], "nothing is known");
}

#[test]
fn an_acceptance_stays_one_by_a_smaller_tolerance() {
    let accepted = |ratio| {
        let degradation = Some(Interval { estimate: ratio, lower: ratio, upper: ratio });
        Evidence { degradation, accepted_ratio: Some(1.3), ..evidence(Reason::Green) }
    };
    assert!(clears_by(0.05, accepted(1.35)), "within 5% of what is accepted");
    assert!(!clears_by(0.05, accepted(1.4)));
}
