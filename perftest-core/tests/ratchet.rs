//! Tests that fail for an improvement until it is accepted.

mod support;

use perftest_core::model::{
    Environment, Evidence, Interval, Metric, Outcome, Reason, Revision, Run,
};
use perftest_core::words::{Subject, report, verdict_line};
use support::{evidence, run};

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
    let taken = |accepted_ratio, flags: &[&str]| Run {
        evidence: Some(Evidence { accepted_ratio, ..better() }),
        flags: flags.iter().map(ToString::to_string).collect(),
        ..run(1, 33.0, "faster")
    };
    assert!(taken(Some(1.05), &["accepted:A", Run::RATCHET]).was_let_pass());
    assert!(!taken(Some(1.05), &["accepted:A"]).was_let_pass());
    assert!(!taken(None, &[Run::RATCHET]).was_let_pass());
}

#[test]
fn the_failure_says_that_it_is_an_improvement_and_how_to_accept_it() {
    let held = better().ratcheted();
    let line = verdict_line(&held, &Metric::wall());
    let said = "improved 0.33x [0.32, 0.35] and not accepted yet  3 measurements vs 30 runs";
    assert!(line.ends_with(said), "{line}");
    let subject = Subject {
        test: "frame::encode",
        metric: &Metric::wall(),
        environment: &Environment::default(),
        testbed: "local/1",
        revision: &Revision::default(),
    };
    let report = report(&held, &subject);
    assert!(report.headline.starts_with("improved 0.33x [0.32, 0.35] and not accepted yet"));
    let command = "cargo perftest accept frame::encode --max-ratio 1.05 --reason \"..\"";
    assert!(report.lines.contains(&("if meant", command.to_owned())), "{report:?}");
}
