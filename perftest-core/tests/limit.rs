//! The absolute limit of a test, and the most measurements it may take.

#[path = "support/script.rs"]
mod script;

use perftest_core::judge::{Confirmation, Policy};
use perftest_core::model::{Baseline, BaselineRule, Measurement, Outcome, Reason, Verdict};
use perftest_core::words::verdict_line;
use script::{Played, QUICK, Script, baseline, near, process_near, quiet, unneeded, wobble};
use std::time::Duration;

/// 80 us: what takes 100 us is over it.
fn limited() -> Policy {
    Policy { limit: Some(80_000.0), ..Policy::default() }
}

fn unlearned() -> Baseline {
    Baseline::empty(&BaselineRule::default())
}

fn play(baseline: Baseline, fresh: fn(u32) -> Confirmation) -> Played {
    let own = |index| near(100_000.0, index);
    Script { own, fresh, each: QUICK }.play(baseline, limited())
}

#[test]
fn what_is_over_its_limit_in_every_process_fails_without_a_history() {
    let played = play(unlearned(), |_| process_near(100_000.0));
    let evidence = played.evidence;
    assert_eq!((evidence.reason, played.confirmations), (Reason::OverLimit, 3));
    assert_eq!(evidence.reason.verdict(), Verdict::Red);
    assert_eq!(evidence.reason.outcome(), Outcome::Failed);
    assert_eq!((evidence.processes, evidence.measurements), (4, 15 + 90));
    let line = verdict_line(&evidence, &perftest_core::model::Metric::wall(), None);
    assert!(line.contains("over its limit of 80 us"), "{line}");
}

#[test]
fn what_is_green_by_its_history_fails_over_its_limit() {
    let evidence = play(quiet(30), |_| process_near(100_000.0)).evidence;
    assert_eq!(evidence.reason, Reason::OverLimit);
    assert!(evidence.degradation.is_some_and(|it| it.upper < 1.05), "{evidence:?}");
}

#[test]
fn an_acceptance_does_not_lift_a_limit() {
    let accepted = Baseline { accepted_ratio: Some(2.0), ..quiet(30) };
    assert_eq!(play(accepted, |_| process_near(100_000.0)).evidence.reason, Reason::OverLimit);
}

#[test]
fn one_fresh_process_within_the_limit_acquits() {
    let played = play(quiet(30), |process| match process {
        2 => process_near(79_000.0),
        _ => process_near(100_000.0),
    });
    assert_eq!((played.evidence.reason, played.confirmations), (Reason::Green, 2));
    assert!(played.evidence.note.contains("not in a fresh process"), "{}", played.evidence.note);
}

/// Four threads that need 100 us together.
fn threads(index: usize) -> Measurement {
    Measurement {
        thread_cpu_ns: Some(1_000),
        process_cpu_ns: Some(380_000),
        voluntary_switches: Some(1),
        ..near(100_000.0, index)
    }
}

/// A fresh process of theirs while others used so many processors.
fn threads_beside(others_cpus: f64) -> Confirmation {
    let measurements = (0..30).map(threads).collect();
    Confirmation::Measured { measurements, witness: None, others_cpus: Some(others_cpus) }
}

#[test]
fn threads_whose_processors_others_took_are_not_over_their_limit() {
    let play = |fresh| Script { own: threads, fresh, each: QUICK }.play(quiet(30), limited());
    let beside_others = play(|_| threads_beside(1.5));
    assert_eq!((beside_others.evidence.reason, beside_others.confirmations), (Reason::Green, 5));
    let note = &beside_others.evidence.note;
    assert!(note.contains("other work took the processors"), "{note}");
    let once = play(|process| threads_beside(if process == 2 { 1.5 } else { 0.0 }));
    assert_eq!((once.evidence.reason, once.confirmations), (Reason::OverLimit, 4));
}

#[test]
fn a_process_within_the_limit_that_the_history_asked_for_acquits() {
    let history = baseline((0..30).map(|run| 60_000.0 + 500.0 * wobble(run)));
    let played = play(history, |_| process_near(60_000.0));
    assert_eq!((played.evidence.reason, played.confirmations), (Reason::Green, 1));
}

#[test]
fn without_a_fresh_process_nothing_is_over_its_limit() {
    for confirmation in
        [|_| Confirmation::NotAlone, |_| Confirmation::Unavailable("no room".to_owned())]
    {
        let evidence = play(quiet(30), confirmation).evidence;
        assert_eq!(evidence.reason, Reason::Green);
        assert!(evidence.note.starts_with("over its limit"), "{}", evidence.note);
    }
}

#[test]
fn what_is_within_its_limit_starts_no_process_for_it() {
    let script = Script { own: |index| near(79_000.0, index), fresh: unneeded, each: QUICK };
    let evidence = script.play(unlearned(), limited()).evidence;
    assert_eq!((evidence.reason, evidence.limit), (Reason::NoBaseline, Some(80_000.0)));
}

#[test]
fn a_body_too_long_for_bounds_is_over_its_limit_when_every_measurement_is() {
    let limited = Policy { limit: Some(1.9e9), ..Policy::default() };
    let play = |fresh| {
        let script = Script { own: |n| near(2e9, n), fresh, each: Duration::from_secs(2) };
        script.play(unlearned(), limited.clone()).evidence
    };
    let over = play(|_| process_of(&[2e9, 2e9]));
    assert_eq!((over.reason, over.measurements), (Reason::OverLimit, 8));
    let once_within = play(|_| process_of(&[2e9, 1.8e9]));
    assert_eq!(once_within.reason, Reason::NoBaseline);
}

fn process_of(values_ns: &[f64]) -> Confirmation {
    let measurements = values_ns.iter().map(|value_ns| near(*value_ns, 0)).collect();
    Confirmation::Measured { measurements, witness: None, others_cpus: Some(0.0) }
}

#[test]
fn a_red_stays_the_red_it_is() {
    let own = |index| near(200_000.0, index);
    let script = Script { own, fresh: |_| process_near(200_000.0), each: QUICK };
    assert_eq!(script.play(quiet(30), limited()).evidence.reason, Reason::Red);
}

#[test]
fn a_test_ends_after_its_most_measurements() {
    let few = Policy { max_measurements: Some(7), ..Policy::default() };
    let wide = |index| near(if index % 2 == 0 { 95_000.0 } else { 110_000.0 }, index);
    let script = Script { own: wide, fresh: unneeded, each: QUICK };
    for baseline in [unlearned(), quiet(30)] {
        let evidence = script.play(baseline, few.clone()).evidence;
        assert_eq!(evidence.measurements, 7, "{:?}", evidence.reason);
    }
}
