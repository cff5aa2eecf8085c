//! Tests that fail for an improvement until it is accepted.

use crate::play::{near, play, wobble};
use crate::reports::report_on;
use crate::support::{evidence, run};
use perftest_core::judge::Policy;
use perftest_core::model::{
    BaselineRule, Evidence, History, Interval, Lineage, Outcome, Reason, Run, SeriesKind,
};
use perftest_core::words::verdict_line;

/// Three times as fast.
fn better() -> Evidence {
    Evidence {
        degradation: Some(Interval { estimate: 0.33, lower: 0.32, upper: 0.35 }),
        now: Some(Interval { estimate: 66.1, lower: 65.0, upper: 67.0 }),
        baseline_runs: 30,
        measurements: 3,
        ..evidence(Reason::Improved)
    }
}

#[test]
fn an_improvement_that_nothing_accepts_fails_a_ratchet_alone() {
    assert_eq!(better().reason.outcome(), Outcome::Passed);
    let held = better().ratcheted();
    assert_eq!((held.reason, held.reason.outcome()), (Reason::Unaccepted, Outcome::Failed));
    assert_eq!(Evidence { reason: Reason::Improved, ..held }, better());
}

#[test]
fn an_improvement_under_an_acceptance_passes() {
    let accepted = Evidence { accepted_ratio: Some(1.05), ..better() };
    assert_eq!(accepted.clone().ratcheted(), accepted);
}

#[test]
fn any_other_answer_is_the_same_in_a_ratchet() {
    for reason in [
        Reason::Green,
        Reason::Red,
        Reason::Unclear,
        Reason::Unstable,
        Reason::NoBaseline,
        Reason::NotAlone,
        Reason::Untrusted,
    ] {
        let faster = Evidence { reason, ..better() };
        assert_eq!(faster.clone().ratcheted(), faster);
    }
}

#[test]
fn a_better_run_was_let_pass_in_a_ratchet_under_an_acceptance() {
    let taken = |accepted_ratio: Option<f64>, flags: &[&str]| Run {
        evidence: Some(Evidence { accepted_ratio, ..better() }),
        acceptance: accepted_ratio.map(|_| "A".to_owned()),
        flags: flags.iter().map(ToString::to_string).collect(),
        ..run(1, 33.0, "faster")
    };
    assert!(taken(Some(1.05), &[Run::ON_IMPROVED_FAIL]).was_let_pass());
    assert!(!taken(Some(1.05), &[]).was_let_pass());
    assert!(!taken(None, &[Run::ON_IMPROVED_FAIL]).was_let_pass());
}

#[test]
fn the_failure_is_reported_as_an_improvement_with_the_way_to_accept_it() {
    let held = better().ratcheted();
    let line = verdict_line(&held, &SeriesKind::Whole, None);
    let words = "improved 0.33x [0.32, 0.35] and not accepted yet  3 measurements vs 30 runs";
    assert!(line.ends_with(words), "{line}");
    let again = "cargo nextest run --release encode";
    let report = report_on(&held, "frame::encode", Some(again));
    assert!(report.headline.starts_with("improved 0.33x [0.32, 0.35] and not accepted yet"));
    let command = "cargo perftest accept frame::encode --max-ratio 1.05 --reason \"..\"";
    assert!(report.lines.contains(&("if meant", command.to_owned())), "{report:?}");
    assert!(report.lines.contains(&("again", again.to_owned())), "{report:?}");
}

#[test]
fn a_failure_of_which_only_the_name_is_known_is_run_again_by_its_name() {
    let lines = report_on(&better().ratcheted(), "codec::perf::encode::64/pack", None).lines;
    let again = "cargo perftest run -- codec::perf::encode::64".to_owned();
    assert!(lines.contains(&("again", again)), "{lines:?}");
}

/// What becomes of a ratchet whose runs lie so far apart, as a share, when its code takes 0.93 times
/// as long as their middle.
fn slightly_better(apart: f64) -> Evidence {
    let taken = |order: u64| {
        let center = 100_000.0 * (1.0 + apart * (wobble(order as usize) - 0.5));
        let measurements = (0..15).map(|n| near(center, n)).collect();
        Run { measurements, ..run(order, 0.0, &order.to_string()) }
    };
    let history = History { runs: (0..30).map(taken).collect() };
    let baseline = BaselineRule::default().select(&history, "cfg", None, &Lineage::default());
    let now = |n| near(93_000.0, n);
    play(baseline, Policy::default(), now, now).evidence.ratcheted()
}

#[test]
fn what_an_unstable_test_gains_within_its_noise_does_not_fail_it() {
    assert_eq!(slightly_better(0.4).reason, Reason::Unstable);
    assert_eq!(slightly_better(0.01).reason, Reason::Unaccepted, "the same gain of a steady test");
}

#[test]
fn an_improvement_that_may_be_chance_does_not_fail_it() {
    let evidence = slightly_better(0.06);
    assert!(evidence.degradation.is_some_and(|it| it.estimate < 0.95), "{evidence:?}");
    assert_eq!(evidence.reason, Reason::Green);
}

#[test]
fn an_improvement_on_the_processes_of_one_first_run_fails_nothing() {
    let provisional = Evidence { baseline_is_provisional: true, ..better() };
    assert_eq!(provisional.ratcheted().reason, Reason::Improved);
}
