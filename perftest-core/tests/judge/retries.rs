//! A runner tries a red test again: the trial goes on where the attempt before it ended.

use crate::script::{near, quiet};
use crate::support;
use perftest_core::judge::{Confirmation, Pairing, Policy, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, Measurement, Note, Reason, Run,
};
use perftest_core::words::notes;
use std::time::Duration;

/// More fresh processes than any of these retries needs.
const MOST_PROCESSES: u32 = 20;

fn process(value: f64) -> Vec<Measurement> {
    (0..30).map(|index| near(value, index)).collect()
}

/// What an attempt recorded: a process of each of these values.
fn recorded(attempt: u32, values_ns: &[f64]) -> Vec<Run> {
    let run = |value: &f64| Run {
        attempt,
        measurements: process(*value),
        ..support::run(1, 0.0, "slow")
    };
    values_ns.iter().map(run).collect()
}

/// An ordinary red: four processes, all a quarter slower.
fn red() -> Vec<Run> {
    recorded(1, &[125_000.0; 4])
}

/// Goes on after `earlier`; this process is near `own_ns`, the n-th fresh one brings `fresh(n)`.
fn retry(earlier: &[Run], own_ns: f64, fresh: impl Fn(u32) -> Confirmation) -> Evidence {
    let trial = Trial::continued(quiet(30), Direction::Lower, Policy::default(), earlier);
    play(trial, own_ns, fresh)
}

fn play(mut trial: Trial, own_ns: f64, fresh: impl Fn(u32) -> Confirmation) -> Evidence {
    let mut elapsed = Duration::ZERO;
    for index in 0.. {
        let observed = match trial.step() {
            Step::Measure => {
                elapsed += Duration::from_micros(500);
                StepAnswer::Measured(near(own_ns, index))
            }
            Step::Wait(pause) => {
                elapsed += pause;
                StepAnswer::Waited
            }
            Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
            Step::Confirm { process, .. } => {
                assert!(process <= MOST_PROCESSES, "no end");
                StepAnswer::Confirmed(fresh(process))
            }
            Step::Done(evidence) => return *evidence,
        };
        trial.observe(observed, elapsed);
    }
    unreachable!("the loop ends with the evidence")
}

fn of(value: f64) -> Confirmation {
    Confirmation::Measured {
        measurements: process(value),
        others_cpus: Some(0.0),
        elapsed: Duration::ZERO,
    }
}

#[test]
fn one_fast_process_among_many_slow_ones_acquits_nothing() {
    let evidence = retry(&red(), 100_000.0, |_| of(125_000.0));
    assert_eq!(evidence.reason, Reason::Red);
    let fast_once = |process| of(if process == 1 { 100_000.0 } else { 125_000.0 });
    let evidence = retry(&red(), 125_000.0, fast_once);
    assert_eq!(evidence.reason, Reason::Red);
    assert!(evidence.degradation.unwrap().estimate > 1.2, "{evidence:?}");
}

#[test]
fn a_red_falls_when_most_processes_of_all_attempts_are_fast() {
    let evidence = retry(&red(), 100_000.0, |_| of(100_000.0));
    assert_eq!(evidence.reason, Reason::Green);
    // Four slow ones before, and five fast ones now.
    assert_eq!((evidence.processes, evidence.slow_processes), (9, 4));
    let slow_at_first = retry(&red(), 125_000.0, |_| of(100_000.0));
    assert_eq!(slow_at_first.reason, Reason::Green);
    assert_eq!((slow_at_first.processes, slow_at_first.slow_processes), (11, 5));
}

#[test]
fn a_slow_retry_is_red_as_soon_as_nothing_can_turn_it() {
    let evidence = retry(&red(), 125_000.0, |_| of(125_000.0));
    assert_eq!(evidence.reason, Reason::Red);
    assert_eq!((evidence.processes, evidence.slow_processes), (6, 6));
    let earlier: usize = red().iter().map(|run| run.measurements.len()).sum();
    assert!(evidence.measurements as usize >= earlier + 30, "{}", evidence.measurements);
}

#[test]
fn it_is_reported_which_attempt_is_continued() {
    let evidence = retry(&red(), 125_000.0, |_| of(125_000.0));
    assert_eq!(notes(&evidence.notes).unwrap(), "continues attempt 1");
    let both = [red(), recorded(2, &[125_000.0; 2])].concat();
    let evidence = retry(&both, 100_000.0, |_| of(100_000.0));
    assert!(
        notes(&evidence.notes).unwrap().starts_with("continues attempt 2; "),
        "{}",
        notes(&evidence.notes).unwrap()
    );
    assert_eq!((evidence.reason, evidence.processes), (Reason::Green, 13));
}

#[test]
fn a_red_stands_where_no_fresh_process_can_be_had() {
    let reason =
        |confirmation: fn() -> Confirmation| retry(&red(), 100_000.0, |_| confirmation()).reason;
    assert_eq!(reason(|| Confirmation::NotAlone), Reason::Red);
    assert_eq!(reason(|| Confirmation::Unavailable("it crashed".into())), Reason::Red);
}

#[test]
fn processes_that_are_neither_slow_nor_fast_leave_the_red_as_it_is() {
    let evidence = retry(&red(), 105_000.0, |_| of(105_000.0));
    assert_eq!(evidence.reason, Reason::Red);
}

#[test]
fn without_an_earlier_process_it_is_a_new_decision() {
    let evidence = retry(&[], 100_000.0, |_| unreachable!("a quick green needs no other process"));
    assert_eq!((evidence.reason, evidence.measurements), (Reason::Green, 3));
    assert_eq!(evidence.notes, []);
}

#[test]
fn a_process_that_was_slower_than_any_disturbance_makes_it_is_not_forgotten() {
    let slow = recorded(1, &[2_000_000.0; 4]);
    let disturbed = |run: Run| Run { suspects: (0..30).collect(), ..run };
    let earlier: Vec<Run> = slow.into_iter().map(disturbed).collect();
    let evidence = retry(&earlier, 100_000.0, |_| of(100_000.0));
    assert_eq!(
        (evidence.reason, evidence.processes, evidence.slow_processes),
        (Reason::Green, 9, 4)
    );
}

#[test]
fn measurements_that_were_disturbed_then_make_nothing_red_now() {
    let disturbed = |run: Run| Run { suspects: (0..30).collect(), ..run };
    let earlier: Vec<Run> = red().into_iter().map(disturbed).collect();
    let evidence = retry(&earlier, 100_000.0, |_| of(100_000.0));
    assert_eq!((evidence.reason, evidence.slow_processes), (Reason::Green, 0));
    assert_eq!(evidence.suspects, 120);
}

/// Processes of another attempt whose threads never worked at once.
fn apart(value_ns: f64) -> Vec<Run> {
    let all = || (0..30).collect();
    let apart = |run: Run| Run { suspects: all(), apart: all(), ..run };
    recorded(2, &[value_ns; 12]).into_iter().map(apart).collect()
}

#[test]
fn threads_that_did_not_work_at_once_then_acquit_nothing_now() {
    let slow = recorded(1, &[112_000.0; 4]);
    let fast_at_first = |process| of(if process <= 3 { 100_000.0 } else { 112_000.0 });
    for earlier in [slow.clone(), [slow, apart(100_000.0)].concat()] {
        assert_eq!(retry(&earlier, 100_000.0, fast_at_first).reason, Reason::Red);
    }
}

#[test]
fn threads_that_did_not_work_at_once_then_convict_nothing_now() {
    let earlier = [apart(2_000_000.0), over_limit()].concat();
    let evidence = retry_of_limit_after(&earlier, 70_000.0, |_| of(70_000.0));
    assert_eq!((evidence.reason, evidence.processes), (Reason::NoBaseline, 8));
}

/// Four processes of 100 us that were over the limit of 80 us.
fn over_limit() -> Vec<Run> {
    let mut runs = recorded(1, &[100_000.0; 4]);
    for run in &mut runs {
        run.evidence = None;
    }
    runs[3].evidence = Some(support::evidence(Reason::OverLimit));
    runs
}

/// Goes on after them, without a history.
fn retry_of_limit(own_ns: f64, fresh: impl Fn(u32) -> Confirmation) -> Evidence {
    retry_of_limit_after(&over_limit(), own_ns, fresh)
}

fn retry_of_limit_after(
    earlier: &[Run],
    own_ns: f64,
    fresh: impl Fn(u32) -> Confirmation,
) -> Evidence {
    let unlearned = Baseline::empty(&BaselineRule::default());
    let limited = Policy { limit: Some(80_000.0), ..Policy::default() };
    play(Trial::continued(unlearned, Direction::Lower, limited, earlier), own_ns, fresh)
}

#[test]
fn one_process_within_the_limit_does_not_outweigh_those_that_were_over_it() {
    let evidence = retry_of_limit(70_000.0, |_| of(100_000.0));
    assert_eq!(
        (evidence.reason, evidence.notes),
        (Reason::OverLimit, vec![Note::ContinuesAttempt { attempt: 1 }])
    );
    let once_within = |process| of(if process == 1 { 70_000.0 } else { 100_000.0 });
    assert_eq!(retry_of_limit(100_000.0, once_within).reason, Reason::OverLimit);
}

#[test]
fn what_stays_over_its_limit_has_the_value_of_all_attempts() {
    let now = |fresh: fn() -> Confirmation| {
        let evidence = retry_of_limit(70_000.0, |_| fresh());
        assert_eq!(evidence.reason, Reason::OverLimit);
        evidence.now.unwrap()
    };
    for now in [now(|| of(100_000.0)), now(|| Confirmation::NotAlone)] {
        assert!((99_000.0..101_000.0).contains(&now.estimate), "{now:?}");
        assert!((69_000.0..71_000.0).contains(&now.lower), "{now:?}");
    }
}

#[test]
fn what_was_over_its_limit_falls_when_as_many_processes_are_within() {
    let evidence = retry_of_limit(70_000.0, |_| of(70_000.0));
    assert_eq!((evidence.reason, evidence.processes), (Reason::NoBaseline, 8));
    assert!(
        notes(&evidence.notes).unwrap().starts_with("continues attempt 1; at least as many "),
        "{evidence:?}"
    );
    let over_at_first = retry_of_limit(100_000.0, |_| of(70_000.0));
    assert_eq!((over_at_first.reason, over_at_first.processes), (Reason::NoBaseline, 10));
}

#[test]
fn what_stays_over_its_limit_asks_no_more_processes_than_can_turn_it() {
    let evidence = retry_of_limit(100_000.0, |_| of(100_000.0));
    assert_eq!((evidence.reason, evidence.processes), (Reason::OverLimit, 6));
}

#[test]
fn over_the_limit_it_stays_where_no_fresh_process_can_be_had() {
    let reason =
        |confirmation: fn() -> Confirmation| retry_of_limit(70_000.0, |_| confirmation()).reason;
    assert_eq!(reason(|| Confirmation::NotAlone), Reason::OverLimit);
    assert_eq!(reason(|| Confirmation::Unavailable("it crashed".into())), Reason::OverLimit);
}
