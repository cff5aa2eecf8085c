//! The life of an alert: what opens, re-opens and resolves it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_analysis::thresholds::{AlertChange, AlertLife, AlertState, Opening};
use perftest_core::model::{LimitSide, Limits, RuleResult};

fn alarm(value: f64, baseline: f64) -> RuleResult {
    let side = if value > baseline { LimitSide::Upper } else { LimitSide::Lower };
    RuleResult::Alarm { side, value, baseline, by: vec!["t_test".into()] }
}

/// Plays values of commits `0`, `1`, ..; an alarm is judged against 100.
fn play(life: &mut AlertLife, values: &[f64]) -> Vec<Option<AlertChange>> {
    let finding = |value: f64| match (value - 100.0).abs() > 10.0 {
        true => alarm(value, 100.0),
        false => RuleResult::Quiet,
    };
    let judged = values.iter().enumerate();
    judged.map(|(commit, value)| life.judged(commit, *value, &finding(*value), || None)).collect()
}

fn opened(life: &AlertLife) -> (Option<usize>, usize) {
    let opened = life.alert().unwrap().opened;
    (opened.after, opened.at)
}

#[test]
fn an_alert_is_opened_once_and_resolves_itself() {
    let mut life = AlertLife::resolved_after(2);
    let changes = play(&mut life, &[100.0, 120.0, 121.0, 101.0, 120.0, 100.0, 101.0, 100.0]);
    assert_eq!(changes[1], Some(AlertChange::Opened));
    assert_eq!(changes[6], Some(AlertChange::Resolved));
    assert_eq!(changes.iter().flatten().count(), 2);
    let since = AlertState::Resolved { since: 5 };
    assert_eq!(life.alert().unwrap().state, since);
}

#[test]
fn runs_that_were_not_judged_are_not_in_order() {
    let mut life = AlertLife::resolved_after(1);
    life.judged(0, 100.0, &RuleResult::Quiet, || None);
    life.judged(1, 120.0, &RuleResult::Unjudged("too few values".into()), || None);
    life.judged(2, 120.0, &alarm(120.0, 100.0), || None);
    assert_eq!(opened(&life), (Some(0), 2));
}

#[test]
fn the_first_commit_out_of_line_has_nothing_before_it() {
    let mut life = AlertLife::resolved_after(1);
    life.judged(0, 120.0, &alarm(120.0, 100.0), || None);
    assert_eq!(opened(&life), (None, 0));
}

#[test]
fn a_rule_that_got_used_to_the_level_resolves_nothing() {
    let mut life = AlertLife::resolved_after(1);
    play(&mut life, &[100.0, 120.0]);
    for place in [2, 3, 4] {
        assert_eq!(life.judged(place, 120.0, &RuleResult::Quiet, || None), None);
    }
    assert!(life.alert().unwrap().is_open());
    assert_eq!(life.judged(5, 101.0, &RuleResult::Quiet, || None), Some(AlertChange::Resolved));
}

#[test]
fn a_value_the_rule_alarms_on_is_not_back_however_much_nearer_it_is() {
    let mut life = AlertLife::resolved_after(1);
    let changes = play(&mut life, &[100.0, 200.0, 140.0, 140.0]);
    assert_eq!(changes.into_iter().flatten().collect::<Vec<_>>(), [AlertChange::Opened]);
    assert_eq!((opened(&life), life.alert().unwrap().opened_by), ((Some(0), 1), 200.0));
    // And where the rule gets used to it, it is not back either.
    assert_eq!(life.judged(4, 140.0, &RuleResult::Quiet, || None), None);
    assert_eq!(life.judged(5, 101.0, &RuleResult::Quiet, || None), Some(AlertChange::Resolved));
}

#[test]
fn a_spike_beyond_what_was_acknowledged_makes_no_level_in_order() {
    let mut life = AlertLife::resolved_after(1);
    play(&mut life, &[100.0, 120.0]);
    assert!(life.acknowledge("known"));
    let after =
        [150.0, 121.0, 121.0].map(|value| life.judged(2, value, &alarm(value, 100.0), || None));
    assert_eq!(after, [Some(AlertChange::Reopened), None, None]);
}

#[test]
fn values_the_rule_alarms_on_do_not_count_towards_a_resolution() {
    let mut life = AlertLife::resolved_after(2);
    let changes = play(&mut life, &[100.0, 200.0, 105.0, 140.0, 105.0]);
    assert_eq!(changes.iter().flatten().count(), 1);
    assert_eq!(life.judged(5, 105.0, &RuleResult::Quiet, || None), Some(AlertChange::Resolved));
}

#[test]
fn a_further_step_after_that_opens_the_alert_again_and_keeps_where_it_began() {
    let mut life = AlertLife::resolved_after(1);
    play(&mut life, &[100.0, 120.0]);
    assert!(life.acknowledge("known"));
    life.judged(2, 120.0, &RuleResult::Quiet, || None);
    let change = life.judged(3, 140.0, &alarm(140.0, 120.0), || None);
    assert_eq!(change, Some(AlertChange::Reopened));
    assert_eq!(opened(&life), (Some(0), 1));
    let alert = life.alert().unwrap();
    assert_eq!(alert.again, Some(Opening { after: Some(2), at: 3 }));
    assert_eq!((alert.baseline, alert.reopened, alert.is_open()), (100.0, 1, true));
}

#[test]
fn a_quiet_value_beside_the_same_baseline_opens_nothing_again() {
    let mut life = AlertLife::resolved_after(1);
    play(&mut life, &[100.0, 120.0]);
    assert!(life.acknowledge("known"));
    assert_eq!(life.judged(2, 112.0, &RuleResult::Quiet, || None), None);
    assert_eq!(life.judged(3, 121.0, &alarm(121.0, 100.0), || None), None);
    // The window moves on to the new level, and no value was quiet by it.
    assert_eq!(life.judged(4, 121.0, &alarm(121.0, 111.0), || None), None);
    assert!(!life.alert().unwrap().is_open());
}

#[test]
fn what_was_acknowledged_stays_silent_and_hides_nothing_larger() {
    let mut life = AlertLife::resolved_after(1);
    play(&mut life, &[100.0, 120.0]);
    assert!(life.acknowledge("known"));
    assert_eq!(life.judged(2, 125.0, &alarm(125.0, 100.0), || None), None);
    assert!(!life.alert().unwrap().is_open());
    let change = life.judged(3, 140.0, &alarm(140.0, 100.0), || None);
    assert_eq!(change, Some(AlertChange::Reopened));
}

#[test]
fn nothing_live_cannot_be_acknowledged() {
    let mut life = AlertLife::resolved_after(1);
    assert!(!life.acknowledge("nothing there"));
    play(&mut life, &[100.0, 120.0, 100.0]);
    assert!(!life.acknowledge("too late"));
}

#[test]
fn a_lasting_step_stays_open_however_often_the_rule_gets_used_to_it() {
    let mut life = AlertLife::resolved_after(3);
    play(&mut life, &[100.0, 120.0, 121.0]);
    // The rule's own baseline is the new level, and noise alarms on both sides of it.
    for round in 0..20 {
        let place = 3 + 4 * round;
        life.judged(place, 119.0, &RuleResult::Quiet, || None);
        life.judged(place + 1, 127.0, &alarm(127.0, 120.0), || None);
        life.judged(place + 2, 105.0, &alarm(105.0, 120.0), || None);
        life.judged(place + 3, 106.0, &RuleResult::Quiet, || None);
    }
    assert_eq!(opened(&life), (Some(0), 1));
    let alert = life.alert().unwrap();
    assert!(alert.is_open() && alert.side == LimitSide::Upper && alert.baseline == 100.0);
}

#[test]
fn values_are_back_within_the_bound_that_was_broken() {
    let limits = || Some(Limits { baseline: Some(100.0), lower: None, upper: Some(105.0) });
    let mut life = AlertLife::resolved_after(1);
    life.judged(0, 100.0, &RuleResult::Quiet, || None);
    life.judged(1, 200.0, &alarm(200.0, 100.0), limits);
    assert_eq!(life.judged(2, 106.0, &RuleResult::Quiet, || None), None);
    let change = life.judged(3, 105.0, &RuleResult::Quiet, || None);
    assert_eq!(change, Some(AlertChange::Resolved));
}

#[test]
fn the_bound_of_a_noisy_rule_is_no_excuse_where_the_values_are_nearer_to_the_new_level() {
    let limits = || Some(Limits { baseline: Some(100.0), lower: None, upper: Some(109.0) });
    let mut life = AlertLife::resolved_after(1);
    life.judged(0, 110.0, &alarm(110.0, 100.0), limits);
    for place in 1..9 {
        assert_eq!(life.judged(place, 108.0, &RuleResult::Quiet, || None), None, "{place}");
    }
}

#[test]
fn values_that_go_to_the_other_side_are_another_alert_with_the_same_level() {
    let limits = || Some(Limits { baseline: Some(100.0), lower: Some(90.0), upper: Some(110.0) });
    let mut life = AlertLife::resolved_after(2);
    life.judged(0, 100.0, &RuleResult::Quiet, || None);
    life.judged(1, 120.0, &alarm(120.0, 100.0), limits);
    assert_eq!(life.judged(2, 80.0, &alarm(80.0, 100.0), || None), None);
    assert_eq!(life.judged(3, 81.0, &RuleResult::Quiet, || None), Some(AlertChange::Opened));
    let alert = life.alert().unwrap();
    assert_eq!((alert.side, alert.baseline, alert.reopened), (LimitSide::Lower, 100.0, 0));
    assert_eq!(opened(&life), (Some(1), 2));
}

#[test]
fn half_a_repair_does_not_hide_what_is_left_of_a_failure() {
    let mut life = AlertLife::resolved_after(1).failing_on(LimitSide::Upper);
    play(&mut life, &[100.0, 200.0]);
    assert_eq!(life.judged(2, 170.0, &alarm(170.0, 200.0), || None), None);
    assert!(life.alert().unwrap().is_open());
    let again = life.judged(3, 200.0, &alarm(200.0, 170.0), || None);
    assert_eq!(again, Some(AlertChange::Reopened));
    assert_eq!(opened(&life), (Some(0), 1));
    let back = life.judged(4, 100.0, &alarm(100.0, 200.0), || None);
    assert_eq!(back, Some(AlertChange::Resolved));
    // The rule's window has not forgotten the slow level yet.
    assert_eq!(life.judged(5, 101.0, &alarm(101.0, 180.0), || None), None);
    let worse = life.judged(6, 140.0, &alarm(140.0, 100.0), || None);
    assert_eq!(worse, Some(AlertChange::Opened));
    assert_eq!(opened(&life), (Some(5), 6));
}

#[test]
fn an_alert_that_has_long_been_over_hides_no_regression() {
    let mut life = AlertLife::resolved_after(2).failing_on(LimitSide::Upper);
    let opened = life.judged(0, 92.0, &alarm(92.0, 100.0), || None);
    assert_eq!(opened, Some(AlertChange::Opened));
    let quiet = [[100.0; 2].as_slice(), &[96.0; 10], &[92.5; 10]].concat();
    let mut judge = |place: usize, value: f64, finding: &RuleResult| {
        life.judged(place, value, finding, || None)
    };
    let changes: Vec<Option<AlertChange>> =
        (1..).zip(&quiet).map(|(place, value)| judge(place, *value, &RuleResult::Quiet)).collect();
    assert_eq!(changes.into_iter().flatten().collect::<Vec<_>>(), [AlertChange::Resolved]);
    assert_eq!(judge(23, 98.5, &alarm(98.5, 92.5)), Some(AlertChange::Opened));
}

#[test]
fn a_rule_that_is_quiet_once_in_a_while_about_values_that_are_back_opens_nothing() {
    let mut life = AlertLife::resolved_after(2);
    play(&mut life, &[100.0, 60.0, 60.0, 100.0, 101.0]);
    assert!(!life.alert().unwrap().is_live());
    for place in (5..20).step_by(2) {
        assert_eq!(life.judged(place, 101.0, &RuleResult::Quiet, || None), None);
        assert_eq!(life.judged(place + 1, 101.0, &alarm(101.0, 62.0), || None), None, "{place}");
    }
}

#[test]
fn a_regression_right_after_an_improvement_is_reported_with_its_own_suspects() {
    let mut life = AlertLife::resolved_after(1).failing_on(LimitSide::Upper);
    play(&mut life, &[100.0, 50.0, 50.0]);
    let change = life.judged(3, 65.0, &alarm(65.0, 50.0), || None);
    assert_eq!(change, Some(AlertChange::Opened));
    let alert = life.alert().unwrap();
    assert_eq!((alert.side, alert.baseline, alert.is_open()), (LimitSide::Upper, 50.0, true));
    assert_eq!(opened(&life), (Some(2), 3));
}

#[test]
fn a_far_run_alone_opens_nothing_and_a_step_is_distinguished_from_its_first_run_on() {
    let mut life = AlertLife::resolved_after(2).opened_after(2);
    let changes = play(&mut life, &[100.0, 180.0, 100.0, 40.0, 100.0, 120.0]);
    assert_eq!(changes.into_iter().flatten().count(), 0);
    assert_eq!(life.waiting_alarms(), 1);
    let change = life.judged(6, 121.0, &alarm(121.0, 100.0), || None);
    assert_eq!(change, Some(AlertChange::Opened));
    assert_eq!((opened(&life), life.waiting_alarms()), ((Some(4), 5), 0));
    assert_eq!((life.alert().unwrap().baseline, life.alert().unwrap().opened_by), (100.0, 120.0));
}

#[test]
fn far_runs_on_both_sides_are_no_row() {
    let mut life = AlertLife::resolved_after(2).opened_after(2);
    assert!(play(&mut life, &[100.0, 180.0, 40.0, 180.0]).into_iter().flatten().next().is_none());
    assert!(life.alert().is_none());
}

#[test]
fn a_run_that_could_not_be_judged_does_not_part_alarms() {
    let mut life = AlertLife::resolved_after(2).opened_after(2);
    play(&mut life, &[100.0, 120.0]);
    life.judged(2, 120.0, &RuleResult::Unjudged("too few values".into()), || None);
    let change = life.judged(3, 120.0, &alarm(120.0, 100.0), || None);
    assert_eq!(change, Some(AlertChange::Opened));
    assert_eq!(opened(&life), (Some(0), 1));
}

#[test]
fn a_far_run_alone_does_not_open_what_was_acknowledged_again() {
    let mut life = AlertLife::resolved_after(1).opened_after(2);
    play(&mut life, &[100.0, 120.0, 120.0]);
    assert!(life.acknowledge("known"));
    let again = [200.0, 121.0, 140.0, 141.0]
        .into_iter()
        .enumerate()
        .map(|(place, value)| life.judged(3 + place, value, &alarm(value, 100.0), || None));
    assert_eq!(again.collect::<Vec<_>>(), [None, None, None, Some(AlertChange::Reopened)]);
    assert_eq!(life.alert().unwrap().again.map(|it| it.at), Some(5));
}

#[test]
fn a_far_run_alone_is_no_further_step_and_takes_no_improvement_away() {
    let mut life = AlertLife::resolved_after(1).opened_after(2);
    play(&mut life, &[100.0, 120.0, 120.0]);
    life.judged(3, 120.0, &RuleResult::Quiet, || None);
    assert_eq!(life.judged(4, 160.0, &alarm(160.0, 120.0), || None), None);
    life.judged(5, 120.0, &RuleResult::Quiet, || None);
    assert_eq!(life.alert().unwrap().reopened, 0);

    let mut life = AlertLife::resolved_after(1).opened_after(2).failing_on(LimitSide::Upper);
    play(&mut life, &[100.0, 50.0, 50.0]);
    assert_eq!(life.judged(3, 90.0, &alarm(90.0, 50.0), || None), None);
    assert_eq!(life.judged(4, 50.0, &RuleResult::Quiet, || None), None);
    assert_eq!(life.alert().unwrap().side, LimitSide::Lower);
    life.judged(5, 90.0, &alarm(90.0, 50.0), || None);
    let change = life.judged(6, 90.0, &alarm(90.0, 50.0), || None);
    assert_eq!((change, opened(&life)), (Some(AlertChange::Opened), (Some(4), 5)));
}
