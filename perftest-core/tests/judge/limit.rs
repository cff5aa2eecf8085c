//! The absolute limit of a test, and the most measurements it may take.

use crate::script::{
    PlayResult, QUICK, Script, baseline, interrupted, near, process_near, quiet, unneeded, wobble,
};
use perftest_core::judge::{Confirmation, Pairing, Policy, Step, StepAnswer, Trial};
use perftest_core::model::{
    Baseline, BaselineRule, Direction, Evidence, Measurement, Outcome, Reason, Verdict,
};
use perftest_core::words::{notes, verdict_line};
use std::time::Duration;

/// 80 us: what takes 100 us is over it.
fn limited() -> Policy {
    Policy { limit: Some(80_000.0), ..Policy::default() }
}

fn unlearned() -> Baseline {
    Baseline::empty(&BaselineRule::default())
}

fn play(baseline: Baseline, fresh: fn(u32) -> Confirmation) -> PlayResult {
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
    let line = verdict_line(&evidence, &perftest_core::model::SeriesKind::Whole, None);
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
    assert!(
        notes(&played.evidence.notes).unwrap().contains("not in a fresh process"),
        "{:?}",
        played.evidence.notes
    );
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
    long_threads_beside(others_cpus, Duration::ZERO)
}

fn long_threads_beside(others_cpus: f64, elapsed: Duration) -> Confirmation {
    let measurements = (0..30).map(threads).collect();
    Confirmation::Measured { measurements, others_cpus: Some(others_cpus), elapsed }
}

#[test]
fn behind_the_fewest_processes_a_limit_is_checked_only_while_there_is_time() {
    let asked = |fresh| {
        let played = Script { own: threads, fresh, each: QUICK }.play(quiet(30), limited());
        assert_eq!(played.evidence.reason, Reason::Unclear);
        played.confirmations
    };
    assert_eq!(asked(|_| long_threads_beside(1.5, Duration::from_secs(1))), 5);
    assert_eq!(asked(|_| long_threads_beside(1.5, Duration::from_secs(3))), 3);
}

#[test]
fn threads_whose_processors_others_took_are_perhaps_over_their_limit() {
    let play = |fresh| Script { own: threads, fresh, each: QUICK }.play(quiet(30), limited());
    let beside_others = play(|_| threads_beside(1.5));
    assert_eq!((beside_others.evidence.reason, beside_others.confirmations), (Reason::Unclear, 5));
    assert!(beside_others.evidence.limit_is_open);
    let note = notes(&beside_others.evidence.notes).unwrap();
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
fn what_no_fresh_process_clears_of_its_limit_is_never_green() {
    let ended = |confirmation| {
        let evidence = play(quiet(30), confirmation).evidence;
        assert!(evidence.limit_is_open);
        assert_eq!(evidence.reason.verdict(), Verdict::NeedMore, "and never red");
        let notes = notes(&evidence.notes).unwrap();
        assert!(notes.starts_with("over its limit"), "{notes}");
        evidence.reason
    };
    assert_eq!(ended(|_| Confirmation::NotAlone), Reason::NotAlone);
    assert_eq!(ended(|_| Confirmation::Unavailable("no room".to_owned())), Reason::Unclear);
}

#[test]
fn without_a_fresh_process_a_graver_answer_of_the_history_stays_beside_an_open_limit() {
    let near_its_limit = Policy { limit: Some(102_000.0), ..limited() };
    let restless = baseline((0..30).map(|run| 97_500.0 + 5_000.0 * wobble(run)));
    let own = |index| near(106_000.0, index);
    let script = Script { own, fresh: |_| Confirmation::NotAlone, each: QUICK };
    let evidence = script.play(restless, near_its_limit).evidence;
    assert_eq!((evidence.reason, evidence.limit_is_open), (Reason::Unclear, true));
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
    let measurements = values_ns.iter().map(|value| near(*value, 0)).collect();
    Confirmation::Measured { measurements, others_cpus: Some(0.0), elapsed: Duration::ZERO }
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

/// A fresh process of 30 measurements, of which so many were undisturbed.
fn disturbed_process(clean: usize, value: f64) -> Confirmation {
    // The first one after an interruption finds the caches of another.
    let disturbed = 30 - clean - 1;
    let measurement = |index| {
        let measurement = near(value, index);
        if index < disturbed { interrupted(measurement.value) } else { measurement }
    };
    let measurements = (0..30).map(measurement).collect();
    Confirmation::Measured { measurements, others_cpus: Some(0.0), elapsed: Duration::ZERO }
}

#[test]
fn a_process_with_too_few_undisturbed_measurements_for_a_bound_does_not_acquit() {
    let one_of = [3, 5, 8].map(|clean| disturbed_process(clean, 100_000.0));
    for process in one_of {
        let fresh = |number| if number == 1 { process.clone() } else { process_near(100_000.0) };
        let played = play_with(100_000.0, fresh);
        assert_eq!((played.reason, played.processes), (Reason::OverLimit, 5), "{:?}", played.notes);
    }
}

#[test]
fn a_process_that_is_over_its_limit_however_much_it_was_disturbed_convicts() {
    for clean in [3, 5, 8] {
        let evidence = play_with(400_000.0, |_| disturbed_process(clean, 400_000.0));
        assert_eq!((evidence.reason, evidence.processes), (Reason::OverLimit, 4), "{clean}");
    }
}

#[test]
fn where_no_process_can_tell_the_limit_leaves_the_test_unclear() {
    for clean in [0, 3, 8] {
        let evidence = play_with(100_000.0, |_| disturbed_process(clean, 100_000.0));
        assert_eq!((evidence.reason, evidence.processes), (Reason::Unclear, 6), "{clean}");
        assert_eq!(evidence.reason.verdict(), Verdict::NeedMore);
        let line = verdict_line(&evidence, &perftest_core::model::SeriesKind::Whole, None);
        assert!(line.contains("unclear: perhaps over its limit of 80 us"), "{line}");
        assert!(line.contains("a quieter machine may settle it"), "{line}");
    }
}

#[test]
fn what_a_fresh_process_acquitted_of_its_limit_is_unclear_by_its_history_alone() {
    let near_its_limit = Policy { limit: Some(102_000.0), ..limited() };
    // So far apart that six percent more are neither within the tolerance nor beyond it.
    let restless = baseline((0..30).map(|run| 97_500.0 + 5_000.0 * wobble(run)));
    let script = Script {
        own: |index| near(106_000.0, index),
        fresh: |_| process_near(101_000.0),
        each: QUICK,
    };
    let evidence = script.play(restless, near_its_limit).evidence;
    assert_eq!((evidence.reason, evidence.processes), (Reason::Unclear, 2), "{evidence:?}");
    assert!(
        notes(&evidence.notes).unwrap().contains("not in a fresh process"),
        "{:?}",
        evidence.notes
    );
    let line = verdict_line(&evidence, &perftest_core::model::SeriesKind::Whole, None);
    assert!(!line.contains("perhaps over its limit"), "{line}");
}

#[test]
fn a_disturbed_process_whose_fair_values_are_within_the_limit_acquits() {
    let evidence = play_with(100_000.0, |_| disturbed_process(3, 79_000.0));
    assert_eq!((evidence.reason, evidence.processes), (Reason::NoBaseline, 2));
}

#[test]
fn a_first_process_that_was_disturbed_all_the_time_does_not_lift_the_limit() {
    let own = |index| interrupted(near(100_000.0, index).value);
    let script = Script { own, fresh: |_| process_near(100_000.0), each: QUICK };
    assert_eq!(script.play(unlearned(), limited()).evidence.reason, Reason::OverLimit);
}

/// A body that sleeps for 100 us, and was put aside when it wanted to go on.
fn sleeper(ready_ns: Option<u64>) -> Measurement {
    Measurement {
        thread_cpu_ns: Some(1_000),
        process_cpu_ns: Some(1_000),
        wait_ns: ready_ns,
        voluntary_switches: Some(1),
        involuntary_switches: Some(1),
        ..near(100_000.0, 0)
    }
}

#[test]
fn a_sleeper_that_is_put_aside_is_held_to_the_time_it_slept() {
    let ended = |ready_ns| {
        let fresh = |_| Confirmation::Measured {
            measurements: vec![sleeper(ready_ns); 30],
            others_cpus: Some(1.5),
            elapsed: Duration::ZERO,
        };
        play_with(100_000.0, fresh).reason
    };
    assert_eq!(ended(Some(2_000)), Reason::OverLimit);
    assert_eq!(ended(Some(60_000)), Reason::Unclear, "others kept the processor from it");
    assert_eq!(ended(None), Reason::Unclear, "how long other processes took is unknown");
}

#[test]
fn threads_are_over_their_limit_where_their_work_alone_takes_longer() {
    let ended = |work_ns: u64| {
        let threads = Measurement {
            thread_cpu_ns: Some(work_ns),
            process_cpu_ns: Some(2 * work_ns),
            ..near(1_000_000.0, 0)
        };
        let fresh = |_| Confirmation::Measured {
            measurements: vec![threads; 30],
            others_cpus: Some(1.5),
            elapsed: Duration::ZERO,
        };
        play_with(1_000_000.0, fresh).reason
    };
    assert_eq!(ended(900_000), Reason::OverLimit);
    assert_eq!(ended(150_000), Reason::Unclear, "a disturbance can more than double it");
}

#[test]
fn a_command_beside_the_work_of_others_is_held_to_its_processor_time() {
    let ended = |work_ns| {
        let command = Measurement { process_cpu_ns: Some(work_ns), ..near(700_000.0, 0) };
        let fresh = move |_| Confirmation::Measured {
            measurements: vec![command; 30],
            others_cpus: Some(1.5),
            elapsed: Duration::ZERO,
        };
        let policy = Policy { processors: 2.0, ..limited() };
        play_under(policy, 700_000.0, fresh).reason
    };
    assert_eq!(ended(600_000), Reason::OverLimit);
    assert_eq!(ended(300_000), Reason::Unclear, "others may have taken the rest of its time");
}

#[test]
fn work_that_all_processors_can_do_at_once_is_not_over_the_limit_by_its_sum() {
    let ended = |processors| {
        // 32 threads that work at once for a tenth of the time.
        let threads = Measurement { process_cpu_ns: Some(3_200_000), ..near(1_000_000.0, 0) };
        let fresh = move |_| Confirmation::Measured {
            measurements: vec![threads; 30],
            others_cpus: Some(1.5),
            elapsed: Duration::ZERO,
        };
        play_under(Policy { processors, ..limited() }, 1_000_000.0, fresh).reason
    };
    assert_eq!(ended(4.0), Reason::OverLimit);
    assert_eq!(ended(64.0), Reason::Unclear, "its work alone takes no longer than 50 us");
}

/// Without a history; this process measures `own_ns` and nothing disturbs it.
fn play_with(own_ns: f64, fresh: impl Fn(u32) -> Confirmation) -> Evidence {
    play_under(limited(), own_ns, fresh)
}

fn play_under(policy: Policy, own_ns: f64, fresh: impl Fn(u32) -> Confirmation) -> Evidence {
    let mut trial = Trial::new(unlearned(), Direction::Lower, policy);
    loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(near(own_ns, 0)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
            Step::Confirm { process, .. } => StepAnswer::Confirmed(fresh(process)),
            Step::Done(evidence) => return *evidence,
        };
        trial.observe(observed, QUICK);
    }
}
