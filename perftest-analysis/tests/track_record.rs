//! What a history knows about its own errors.

#[path = "../../perftest-core/tests/support/mod.rs"]
mod support;

use perftest_analysis::verdicts::TrackRecord;
use perftest_core::model::{History, Reason, Run};
use support::{evidence, run};

fn judged(order: u64, code: &str, reason: Reason) -> Run {
    Run { evidence: Some(evidence(reason)), ..run(order, 100.0, code) }
}

fn record(runs: Vec<Run>) -> TrackRecord {
    TrackRecord::of(&History { runs })
}

#[test]
fn a_red_whose_code_was_green_later_did_not_repeat() {
    let record = record(vec![
        judged(1, "a", Reason::Green),
        judged(2, "b", Reason::Red),
        judged(3, "b", Reason::Unclear),
        judged(4, "b", Reason::Green),
    ]);
    let expected = TrackRecord { decisions: 3, reds: 1, judged_again: 1, not_repeated: 1 };
    assert_eq!(record, expected);
    assert_eq!(record.false_alarm_rate().estimate, 1.0 / 3.0);
}

#[test]
fn a_red_that_stands_or_was_fixed_by_other_code_was_right() {
    let record = record(vec![
        judged(1, "b", Reason::Red),
        judged(2, "b", Reason::Red),
        judged(3, "c", Reason::Green),
    ]);
    let expected = TrackRecord { decisions: 3, reds: 2, judged_again: 1, not_repeated: 0 };
    assert_eq!(record, expected);
}

#[test]
fn the_same_code_in_another_configuration_is_no_repetition() {
    let elsewhere = Run { config: "other".into(), ..judged(2, "b", Reason::Green) };
    assert_eq!(record(vec![judged(1, "b", Reason::Red), elsewhere]).judged_again, 0);
}

#[test]
fn a_red_that_was_accepted_was_right() {
    let under = |run: Run| Run { acceptance: Some("A".into()), ..run };
    let accepted = || under(judged(2, "b", Reason::Green));
    let record_of = |red| record(vec![red, accepted(), accepted()]);
    let allowed = record_of(judged(1, "b", Reason::Red));
    assert_eq!((allowed.judged_again, allowed.not_repeated), (0, 0));
    let beyond_what_was_accepted = record_of(under(judged(1, "b", Reason::Red)));
    assert_eq!(beyond_what_was_accepted.not_repeated, 1);
}

#[test]
fn runs_that_decided_nothing_are_no_decisions() {
    let undecided = [Reason::Unclear, Reason::Unstable, Reason::NoBaseline, Reason::Untrusted];
    let runs = (1..).zip(undecided).map(|(order, reason)| judged(order, "a", reason)).collect();
    let record = record(runs);
    assert_eq!(record, TrackRecord::default());
    assert_eq!(record.false_alarm_rate().upper, 1.0);
}
