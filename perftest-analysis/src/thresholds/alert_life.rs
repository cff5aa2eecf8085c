//! The life of an alert: opened, acknowledged, opened again, resolved by itself.
//!
//! Definition: an alarm opens an alert. Its level, its bounds and its criteria stay as they were then, however
//! the rule's own baseline moves on.
//!
//! - *Resolved*: as many values in a row as asked for are [back](super::Alert), and the rule alarms on none of
//!   them on that side. A history gets used to a new level and then a rule is quiet; that alone resolves
//!   nothing. A resolved alert is over: the next alarm opens another one. Alarms on the other side by a
//!   baseline that is still near the level that is over are none, for the values are only back.
//! - *Opened again*: while it is live, by an alarm after the rule was quiet about values that were not back, by
//!   a baseline that is itself not back: a further step was taken. And by a change half as large again as what
//!   was acknowledged.
//! - *Another alert*: where as many values in a row are beyond the bound on the other side of the level. A
//!   failure takes the place of an alert that is none at once.
//!
//! What cannot be judged changes nothing. The same findings in the same order lead to the same alert: nothing
//! but findings and acknowledgements has to be kept.

use super::alert::{Alert, AlertAcknowledgement, AlertState, Opening};
use perftest_core::model::{LimitSide, Limits, RuleResult};

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

/// The alert of one metric of one test on one testbed, followed through the history. Runs are told by their
/// places there.
///
/// ```
/// use perftest_analysis::thresholds::{AlertChange, AlertLife};
/// use perftest_core::model::{RuleResult, LimitSide};
/// let alarm = |value| RuleResult::Alarm { side: LimitSide::Upper, value, baseline: 100.0, by: Vec::new() };
/// let mut life = AlertLife::resolved_after(2);
/// assert_eq!(life.judged(0, 100.0, &RuleResult::Quiet, || None), None);
/// assert_eq!(life.judged(1, 120.0, &alarm(120.0), || None), Some(AlertChange::Opened));
/// assert!(life.acknowledge("the cache is gone for now"));
/// assert_eq!(life.judged(2, 101.0, &RuleResult::Quiet, || None), None);
/// assert_eq!(life.judged(3, 100.0, &RuleResult::Quiet, || None), Some(AlertChange::Resolved));
/// let alert = life.alert().unwrap();
/// assert_eq!((alert.opened.after, alert.opened.at), (Some(0), 1));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AlertLife {
    needed: usize,
    /// The side that alone is a failure; `None` where both are, or neither.
    failing: Option<LimitSide>,
    last_good: Option<usize>,
    /// The newest value judged.
    newest: f64,
    /// The newest values that are back, without one between them that is not, and the first one's place.
    returned: Vec<f64>,
    returned_at: usize,
    /// The rule has been quiet about values that have not returned, and since then has alarmed by no
    /// baseline near the level before.
    is_used_to: bool,
    alert: Option<Alert>,
}

impl AlertLife {
    /// A history without an alert; one is resolved after this many values in a row, at least one.
    pub fn resolved_after(values: u32) -> Self {
        Self {
            needed: values.max(1) as usize,
            failing: None,
            last_good: None,
            newest: f64::NAN,
            returned: Vec::new(),
            returned_at: 0,
            is_used_to: false,
            alert: None,
        }
    }

    /// The same where alarms on this side alone are failures.
    pub fn failing_on(self, side: LimitSide) -> Self {
        Self { failing: Some(side), ..self }
    }

    /// The alert, live or resolved; `None` where there never was one.
    pub fn alert(&self) -> Option<&Alert> {
        self.alert.as_ref()
    }

    /// Goes on with what a rule says of the value of a run. `limits` are asked for where it opens an alert:
    /// where the value should have stayed.
    pub fn judged(
        &mut self,
        place: usize,
        value: f64,
        finding: &RuleResult,
        limits: impl FnOnce() -> Option<Limits>,
    ) -> Option<AlertChange> {
        if matches!(finding, RuleResult::Unjudged(_)) {
            return None;
        }
        self.newest = value;
        let Some(alert) = self.live() else {
            return match finding {
                RuleResult::Alarm { .. } if !self.is_echo(finding) => {
                    self.opened(place, finding, limits())
                }
                _ => self.in_order(place),
            };
        };
        match finding {
            RuleResult::Alarm { side, .. } if *side == alert.side => {
                self.still_out_of_line(place, finding)
            }
            // Half a repair, or half of what was gained is lost.
            RuleResult::Alarm { .. } if self.failing.is_none() && !alert.has_returned(value) => {
                self.still_out_of_line(place, finding)
            }
            RuleResult::Alarm { side, .. } if self.failing == Some(*side) => {
                self.last_good = place.checked_sub(1);
                self.opened(place, finding, limits())
            }
            _ if alert.has_returned(value) => self.one_returned(place),
            _ => self.used_to(place),
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
    /// use perftest_core::model::{RuleResult, LimitSide};
    /// let mut life = AlertLife::resolved_after(1);
    /// let by = Vec::new();
    /// let alarm = RuleResult::Alarm { side: LimitSide::Upper, value: 140.0, baseline: 100.0, by };
    /// life.judged(0, 140.0, &alarm, || None);
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
            let acknowledged = AlertAcknowledgement { reason: reason.to_owned(), value };
            alert.state = AlertState::Acknowledged(acknowledged);
        }
        covers
    }

    fn live(&self) -> Option<&Alert> {
        self.alert.as_ref().filter(|alert| alert.is_live())
    }

    /// Whether an alarm only says that values are back from where an alert was that is over.
    fn is_echo(&self, finding: &RuleResult) -> bool {
        match (&self.alert, finding) {
            (Some(over), RuleResult::Alarm { side, value, baseline, .. }) => {
                *side != over.side && !over.has_returned(*baseline) && !over.has_turned(*value)
            }
            _ => false,
        }
    }

    fn in_order(&mut self, place: usize) -> Option<AlertChange> {
        self.last_good = Some(place);
        None
    }

    /// A value is back, and the rule has nothing to say against it on this side.
    fn one_returned(&mut self, place: usize) -> Option<AlertChange> {
        if self.returned.is_empty() {
            self.returned_at = place;
        }
        self.returned.push(self.newest);
        if self.returned.len() < self.needed {
            return None;
        }
        self.is_used_to = false;
        let returned = std::mem::take(&mut self.returned);
        let since = self.returned_at;
        let alert = self.alert.as_mut()?;
        if returned.iter().all(|value| alert.has_turned(*value)) {
            let opened = Opening { after: since.checked_sub(1), at: since };
            self.alert = alert.turned(self.newest, opened);
            return Some(AlertChange::Opened);
        }
        alert.state = AlertState::Resolved { since };
        self.last_good = Some(place);
        Some(AlertChange::Resolved)
    }

    /// The newest value is not back, and so were none of those before it.
    fn not_returned(&mut self) {
        let before = std::mem::take(&mut self.returned);
        if let Some(alert) = self.alert.as_mut() {
            before.into_iter().chain([self.newest]).for_each(|value| alert.continue_with(value));
        }
    }

    /// The rule is quiet about a value that is not back.
    fn used_to(&mut self, place: usize) -> Option<AlertChange> {
        self.not_returned();
        self.is_used_to = true;
        self.in_order(place)
    }

    fn still_out_of_line(&mut self, place: usize, finding: &RuleResult) -> Option<AlertChange> {
        let value = self.newest;
        if let (RuleResult::Alarm { baseline, .. }, Some(alert)) = (finding, &self.alert) {
            self.is_used_to &= !alert.has_returned(*baseline);
        }
        let is_further = self.live().is_some_and(|alert| alert.is_beyond_acknowledged(value));
        self.not_returned();
        let is_again = self.is_used_to || is_further;
        let alert = self.alert.as_mut().filter(|_| is_again)?;
        alert.again = Some(Opening { after: self.last_good, at: place });
        alert.state = AlertState::Open;
        alert.reopened += 1;
        self.is_used_to = false;
        Some(AlertChange::Reopened)
    }

    fn opened(
        &mut self,
        place: usize,
        finding: &RuleResult,
        limits: Option<Limits>,
    ) -> Option<AlertChange> {
        let opened = Opening { after: self.last_good, at: place };
        self.returned.clear();
        self.is_used_to = false;
        self.alert = Alert::of(finding, opened, limits);
        Some(AlertChange::Opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        judged
            .map(|(commit, value)| life.judged(commit, *value, &finding(*value), || None))
            .collect()
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
        let limits =
            || Some(Limits { baseline: Some(100.0), lower: Some(90.0), upper: Some(110.0) });
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
    fn a_regression_right_after_an_improvement_is_reported_with_its_own_suspects() {
        let mut life = AlertLife::resolved_after(1).failing_on(LimitSide::Upper);
        play(&mut life, &[100.0, 50.0, 50.0]);
        let change = life.judged(3, 65.0, &alarm(65.0, 50.0), || None);
        assert_eq!(change, Some(AlertChange::Opened));
        let alert = life.alert().unwrap();
        assert_eq!((alert.side, alert.baseline, alert.is_open()), (LimitSide::Upper, 50.0, true));
        assert_eq!(opened(&life), (Some(2), 3));
    }
}
