//! The life of an alert: opened, acknowledged, resolved by itself, opened again.
//!
//! Definition: an alarm opens an alert. The alert knows the level before and the value that opened it, and
//! is resolved when as many values in a row as asked for lie nearer to the level before, and the rule is
//! quiet about them: a value that it alarms on is out of line, however much nearer it is. A history gets
//! used to a new level and then a rule is quiet; that alone resolves nothing. When the rule alarms again
//! after that, by a baseline that is itself nearer to the new level, a further step was taken, and the
//! alert is opened again. An alarm on the other side is another alert, unless the one before is a failure,
//! the other is none, and the value is not back. A single value that happens to be quiet says nothing of
//! the rule's baseline. An acknowledgement holds for what was acknowledged: a change half as large again
//! opens the alert again, too. What cannot be judged changes nothing.
//!
//! The same findings in the same order lead to the same alert: nothing but findings and acknowledgements
//! has to be kept.

use super::alert::{Acknowledged, Alert, AlertState, Suspects};
use perftest_core::model::{Finding, Side};

/// What a finding did to the alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AlertChange {
    /// There is a new one.
    Opened,
    /// It is open again.
    Reopened,
    /// It has resolved itself.
    Resolved,
}

/// The alert of one metric of one test on one testbed, followed through the history.
///
/// ```
/// use perftest_analysis::thresholds::{AlertChange, AlertLife};
/// use perftest_core::model::{Finding, Side};
/// let alarm = |value| Finding::Alarm { side: Side::Upper, value, baseline: 100.0, by: Vec::new() };
/// let mut life = AlertLife::resolved_after(1);
/// assert_eq!(life.judged("a1", 100.0, &Finding::Quiet), None);
/// assert_eq!(life.judged("b2", 120.0, &alarm(120.0)), Some(AlertChange::Opened));
/// assert!(life.acknowledge("the cache is gone for now"));
/// assert_eq!(life.judged("c3", 101.0, &Finding::Quiet), Some(AlertChange::Resolved));
/// assert_eq!(life.judged("d4", 120.0, &alarm(120.0)), Some(AlertChange::Reopened));
/// let alert = life.alert().unwrap();
/// assert_eq!(alert.suspects.after.as_deref(), Some("c3"));
/// assert_eq!((alert.suspects.upto.as_str(), alert.is_open()), ("d4", true));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AlertLife {
    needed: u32,
    /// The side that alone is a failure; `None` where both are, or neither.
    failing: Option<Side>,
    returned: u32,
    last_good: Option<String>,
    /// The newest value judged.
    newest: f64,
    newest_commit: Option<String>,
    /// The rule has been quiet about values that have not returned, and since then has alarmed by no
    /// baseline near the level before.
    is_used_to: bool,
    alert: Option<Alert>,
}

impl AlertLife {
    /// A history without an alert; one is resolved after this many values in a row, at least one.
    pub fn resolved_after(values: u32) -> Self {
        Self {
            needed: values.max(1),
            failing: None,
            returned: 0,
            last_good: None,
            newest: f64::NAN,
            newest_commit: None,
            is_used_to: false,
            alert: None,
        }
    }

    /// The same where alarms on this side alone are failures: an alarm on the other side is no other alert
    /// while values are out of line on this one. Half a repair does not hide what is left of a failure.
    pub fn failing_on(self, side: Side) -> Self {
        Self { failing: Some(side), ..self }
    }

    /// The alert, live or resolved; `None` where there never was one.
    pub fn alert(&self) -> Option<&Alert> {
        self.alert.as_ref()
    }

    /// Goes on with what a rule says of the value of a commit.
    pub fn judged(&mut self, commit: &str, value: f64, finding: &Finding) -> Option<AlertChange> {
        if matches!(finding, Finding::Unjudged(_)) {
            return None;
        }
        self.newest = value;
        let before = self.newest_commit.replace(commit.to_owned());
        let Some(alert) = self.live() else {
            return match finding {
                Finding::Alarm { .. } => self.opened(commit, finding),
                _ => self.in_order(commit),
            };
        };
        let has_returned = alert.has_returned(value);
        let is_failure = self.failing == Some(alert.side);
        match finding {
            Finding::Alarm { side, .. } if *side != alert.side && is_failure && !has_returned => {
                self.used_to(commit)
            }
            Finding::Alarm { side, .. } if *side != alert.side => {
                // What was out of line on one side was in order on the other.
                self.last_good = before;
                self.opened(commit, finding)
            }
            Finding::Alarm { .. } => self.still_out_of_line(commit, finding),
            _ if has_returned => self.one_returned(commit),
            _ => self.used_to(commit),
        }
    }

    /// Somebody has seen the alert and says why it may be; false where none is live.
    pub fn acknowledge(&mut self, reason: &str) -> bool {
        self.acknowledge_value(reason, self.newest)
    }

    /// The same of somebody who saw this value; false, and nothing is changed, where the newest value is
    /// beyond what that covers.
    ///
    /// ```
    /// use perftest_analysis::thresholds::AlertLife;
    /// use perftest_core::model::{Finding, Side};
    /// let mut life = AlertLife::resolved_after(1);
    /// let by = Vec::new();
    /// let alarm = Finding::Alarm { side: Side::Upper, value: 140.0, baseline: 100.0, by };
    /// life.judged("a1", 140.0, &alarm);
    /// assert!(!life.acknowledge_value("the cache is gone for now", 120.0));
    /// assert!(life.acknowledge_value("the cache is gone for now", 130.0));
    /// ```
    pub fn acknowledge_value(&mut self, reason: &str, value: f64) -> bool {
        let newest = self.newest;
        let Some(alert) = self.alert.as_mut().filter(|alert| alert.is_live()) else {
            return false;
        };
        let covers = alert.covers(value, newest);
        if covers {
            let acknowledged = Acknowledged { reason: reason.to_owned(), value };
            alert.state = AlertState::Acknowledged(acknowledged);
        }
        covers
    }

    fn live(&self) -> Option<&Alert> {
        self.alert.as_ref().filter(|alert| alert.is_live())
    }

    fn in_order(&mut self, commit: &str) -> Option<AlertChange> {
        self.last_good = Some(commit.to_owned());
        None
    }

    /// A value is back, and the rule has nothing to say against it.
    fn one_returned(&mut self, commit: &str) -> Option<AlertChange> {
        self.returned += 1;
        if self.returned < self.needed {
            return None;
        }
        self.last_good = Some(commit.to_owned());
        self.returned = 0;
        self.is_used_to = false;
        if let Some(alert) = self.alert.as_mut() {
            alert.state = AlertState::Resolved { since: commit.to_owned() };
        }
        Some(AlertChange::Resolved)
    }

    /// The rule is quiet about a value that is not back.
    fn used_to(&mut self, commit: &str) -> Option<AlertChange> {
        self.returned = 0;
        self.is_used_to = true;
        self.in_order(commit)
    }

    fn still_out_of_line(&mut self, commit: &str, finding: &Finding) -> Option<AlertChange> {
        self.returned = 0;
        let value = self.newest;
        let is_further = self.live().is_some_and(|alert| alert.is_beyond_acknowledged(value));
        if let (Finding::Alarm { baseline, .. }, Some(alert)) = (finding, self.alert.as_mut()) {
            self.is_used_to &= !alert.has_returned(*baseline);
            if alert.has_returned(value) {
                alert.out_of_line = value;
            }
        }
        (self.is_used_to || is_further).then(|| self.opened(commit, finding)).flatten()
    }

    /// Opens an alert, or the one before again where it is on the same side.
    fn opened(&mut self, commit: &str, finding: &Finding) -> Option<AlertChange> {
        let Finding::Alarm { side, value, baseline, by } = finding else {
            return None;
        };
        let before = self.alert.take().filter(|alert| alert.side == *side);
        let suspects = Suspects { after: self.last_good.clone(), upto: commit.to_owned() };
        self.returned = 0;
        self.is_used_to = false;
        self.alert = Some(Alert {
            side: *side,
            baseline: *baseline,
            opened_by: *value,
            out_of_line: *value,
            suspects,
            by: by.clone(),
            state: AlertState::Open,
            reopened: before.as_ref().map_or(0, |alert| alert.reopened + 1),
        });
        Some(if before.is_some() { AlertChange::Reopened } else { AlertChange::Opened })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(value: f64, baseline: f64) -> Finding {
        let side = if value > baseline { Side::Upper } else { Side::Lower };
        Finding::Alarm { side, value, baseline, by: vec!["t_test".into()] }
    }

    /// Plays values of commits `0`, `1`, ..; an alarm is judged against 100.
    fn play(life: &mut AlertLife, values: &[f64]) -> Vec<Option<AlertChange>> {
        let finding = |value: f64| match (value - 100.0).abs() > 10.0 {
            true => alarm(value, 100.0),
            false => Finding::Quiet,
        };
        let judged = values.iter().enumerate();
        judged
            .map(|(commit, value)| life.judged(&commit.to_string(), *value, &finding(*value)))
            .collect()
    }

    fn suspects(life: &AlertLife) -> (Option<&str>, &str) {
        let suspects = &life.alert().unwrap().suspects;
        (suspects.after.as_deref(), &suspects.upto)
    }

    #[test]
    fn an_alert_is_opened_once_and_resolves_itself() {
        let mut life = AlertLife::resolved_after(2);
        let changes = play(&mut life, &[100.0, 120.0, 121.0, 101.0, 120.0, 100.0, 101.0, 100.0]);
        assert_eq!(changes[1], Some(AlertChange::Opened));
        assert_eq!(changes[6], Some(AlertChange::Resolved));
        assert_eq!(changes.iter().flatten().count(), 2);
        let since = AlertState::Resolved { since: "6".into() };
        assert_eq!(life.alert().unwrap().state, since);
    }

    #[test]
    fn commits_that_were_not_judged_are_suspects() {
        let mut life = AlertLife::resolved_after(1);
        life.judged("good", 100.0, &Finding::Quiet);
        life.judged("unknown", 120.0, &Finding::Unjudged("too few values".into()));
        life.judged("bad", 120.0, &alarm(120.0, 100.0));
        assert_eq!(suspects(&life), (Some("good"), "bad"));
        assert!(life.alert().unwrap().suspects.includes_code());
    }

    #[test]
    fn a_commit_that_was_in_order_before_is_no_suspect() {
        let mut life = AlertLife::resolved_after(1);
        life.judged("same", 100.0, &Finding::Quiet);
        life.judged("same", 120.0, &alarm(120.0, 100.0));
        assert!(!life.alert().unwrap().suspects.includes_code());
    }

    #[test]
    fn the_first_commit_out_of_line_has_nothing_before_it() {
        let mut life = AlertLife::resolved_after(1);
        life.judged("bad", 120.0, &alarm(120.0, 100.0));
        assert_eq!(suspects(&life), (None, "bad"));
    }

    #[test]
    fn a_rule_that_got_used_to_the_level_resolves_nothing() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 120.0]);
        for commit in ["2", "3", "4"] {
            assert_eq!(life.judged(commit, 120.0, &Finding::Quiet), None);
        }
        assert!(life.alert().unwrap().is_open());
        assert_eq!(life.judged("5", 101.0, &Finding::Quiet), Some(AlertChange::Resolved));
    }

    #[test]
    fn a_value_the_rule_alarms_on_is_not_back_however_much_nearer_it_is() {
        let mut life = AlertLife::resolved_after(1);
        let changes = play(&mut life, &[100.0, 200.0, 140.0, 140.0]);
        assert_eq!(changes.into_iter().flatten().collect::<Vec<_>>(), [AlertChange::Opened]);
        assert_eq!((suspects(&life), life.alert().unwrap().opened_by), ((Some("0"), "1"), 200.0));
        // And where the rule gets used to it, it is not back either.
        assert_eq!(life.judged("4", 140.0, &Finding::Quiet), None);
        assert_eq!(life.judged("5", 101.0, &Finding::Quiet), Some(AlertChange::Resolved));
    }

    #[test]
    fn a_spike_beyond_what_was_acknowledged_makes_no_level_in_order() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 120.0]);
        assert!(life.acknowledge("known"));
        let after =
            [150.0, 121.0, 121.0].map(|value| life.judged("a", value, &alarm(value, 100.0)));
        assert_eq!(after, [Some(AlertChange::Reopened), None, None]);
    }

    #[test]
    fn values_the_rule_alarms_on_do_not_count_towards_a_resolution() {
        let mut life = AlertLife::resolved_after(2);
        let changes = play(&mut life, &[100.0, 200.0, 105.0, 140.0, 105.0]);
        assert_eq!(changes.iter().flatten().count(), 1);
        assert_eq!(life.judged("5", 105.0, &Finding::Quiet), Some(AlertChange::Resolved));
    }

    #[test]
    fn a_further_step_after_that_opens_the_alert_again_with_its_own_suspects() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 120.0]);
        assert!(life.acknowledge("known"));
        life.judged("2", 120.0, &Finding::Quiet);
        let change = life.judged("3", 140.0, &alarm(140.0, 120.0));
        assert_eq!(change, Some(AlertChange::Reopened));
        assert_eq!(suspects(&life), (Some("2"), "3"));
        let alert = life.alert().unwrap();
        assert_eq!((alert.baseline, alert.reopened, alert.is_open()), (120.0, 1, true));
    }

    #[test]
    fn a_quiet_value_beside_the_same_baseline_opens_nothing_again() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 120.0]);
        assert!(life.acknowledge("known"));
        assert_eq!(life.judged("2", 112.0, &Finding::Quiet), None);
        assert_eq!(life.judged("3", 121.0, &alarm(121.0, 100.0)), None);
        // The window moves on to the new level, and no value was quiet by it.
        assert_eq!(life.judged("4", 121.0, &alarm(121.0, 111.0)), None);
        assert!(!life.alert().unwrap().is_open());
    }

    #[test]
    fn what_was_acknowledged_stays_silent_and_hides_nothing_larger() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 120.0]);
        assert!(life.acknowledge("known"));
        assert_eq!(life.judged("2", 125.0, &alarm(125.0, 100.0)), None);
        assert!(!life.alert().unwrap().is_open());
        let change = life.judged("3", 140.0, &alarm(140.0, 100.0));
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
    fn the_other_side_is_another_alert() {
        let mut life = AlertLife::resolved_after(3);
        play(&mut life, &[100.0, 120.0]);
        let change = life.judged("2", 80.0, &alarm(80.0, 100.0));
        assert_eq!(change, Some(AlertChange::Opened));
        let alert = life.alert().unwrap();
        assert_eq!((alert.side, alert.reopened), (Side::Lower, 0));
    }

    #[test]
    fn half_a_repair_does_not_hide_what_is_left_of_a_failure() {
        let mut life = AlertLife::resolved_after(1).failing_on(Side::Upper);
        play(&mut life, &[100.0, 200.0]);
        assert_eq!(life.judged("2", 170.0, &alarm(170.0, 200.0)), None);
        assert!(life.alert().unwrap().is_open());
        let again = life.judged("3", 200.0, &alarm(200.0, 170.0));
        assert_eq!(again, Some(AlertChange::Reopened));
        assert_eq!(suspects(&life), (Some("2"), "3"));
        assert_eq!(life.judged("4", 100.0, &alarm(100.0, 200.0)), Some(AlertChange::Opened));
        assert_eq!(life.alert().unwrap().side, Side::Lower);
        let worse = life.judged("5", 140.0, &alarm(140.0, 100.0));
        assert_eq!(worse, Some(AlertChange::Opened));
    }

    #[test]
    fn a_regression_right_after_an_improvement_is_told_with_its_own_suspects() {
        let mut life = AlertLife::resolved_after(1);
        play(&mut life, &[100.0, 50.0, 50.0]);
        let change = life.judged("3", 65.0, &alarm(65.0, 50.0));
        assert_eq!(change, Some(AlertChange::Opened));
        let alert = life.alert().unwrap();
        assert_eq!((alert.side, alert.baseline, alert.is_open()), (Side::Upper, 50.0, true));
        assert_eq!(suspects(&life), (Some("2"), "3"));
    }
}
