//! The life of an alert: opened, acknowledged, opened again, resolved by itself.
//!
//! Definition: as many alarms in a row as asked for open an alert, one by default. Its level, its bounds and its
//! criteria are those of the first of them, and stay however the rule's own baseline moves on. With two, a single
//! far run opens nothing.
//!
//! - *Resolved*: as many values in a row as asked for are [back](super::Alert), and the rule alarms on none of
//!   them on that side. A history gets used to a new level and then a rule is quiet; that alone resolves
//!   nothing. A resolved alert is over: the next alarm opens another one. Alarms on the other side by a
//!   baseline that is still near the level that is over are none, for the values are only back.
//! - *Opened again*: while it is live, by as many alarms in a row after the rule was quiet about values that were
//!   not back, by a baseline that is itself not back: a further step was taken. And by as many changes half as
//!   large again as what was acknowledged.
//! - *Another alert*: where as many values in a row are beyond the bound on the other side of the level. A
//!   failure takes the place of an alert that is none as soon as its own alarms are enough.
//!
//! What cannot be judged changes nothing. The same findings in the same order lead to the same alert: nothing
//! but findings and acknowledgements has to be kept.

use super::alarm_row::AlarmRow;
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

/// The alert of one metric of one test on one testbed, followed through the history. Runs are identified by their
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
    /// So many alarms in a row open an alert.
    alarms: usize,
    /// The newest alarms, while they are too few.
    row: Option<AlarmRow>,
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
            alarms: 1,
            row: None,
            failing: None,
            last_good: None,
            newest: f64::NAN,
            returned: Vec::new(),
            returned_at: 0,
            is_used_to: false,
            alert: None,
        }
    }

    /// The same where it takes this many alarms in a row to open an alert, at least one.
    ///
    /// ```
    /// use perftest_analysis::thresholds::{AlertChange, AlertLife};
    /// use perftest_core::model::{RuleResult, LimitSide};
    /// let alarm = |value| RuleResult::Alarm { side: LimitSide::Upper, value, baseline: 100.0, by: Vec::new() };
    /// let mut life = AlertLife::resolved_after(2).opened_after(2);
    /// assert_eq!(life.judged(0, 150.0, &alarm(150.0), || None), None);
    /// assert_eq!(life.judged(1, 100.0, &RuleResult::Quiet, || None), None);
    /// assert_eq!(life.judged(2, 120.0, &alarm(120.0), || None), None);
    /// assert_eq!(life.judged(3, 121.0, &alarm(121.0), || None), Some(AlertChange::Opened));
    /// assert_eq!(life.alert().unwrap().opened.at, 2);
    /// ```
    pub fn opened_after(self, alarms: u32) -> Self {
        Self { alarms: alarms.max(1) as usize, ..self }
    }

    /// The same where alarms on this side alone are failures.
    pub fn failing_on(self, side: LimitSide) -> Self {
        Self { failing: Some(side), ..self }
    }

    /// The alert, live or resolved; `None` where there never was one.
    pub fn alert(&self) -> Option<&Alert> {
        self.alert.as_ref()
    }

    /// How many alarms there are in a row that are too few for an alert yet.
    pub fn waiting_alarms(&self) -> usize {
        self.row.as_ref().map_or(0, AlarmRow::length)
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
        let row = self.row.take();
        let Some(alert) = self.live() else {
            return match finding {
                RuleResult::Alarm { .. } if !self.is_echo(finding) => {
                    self.alarmed(row, place, finding, limits)
                }
                _ => self.in_order(place),
            };
        };
        match finding {
            RuleResult::Alarm { side, .. } if *side == alert.side => {
                self.still_out_of_line(row, place, finding)
            }
            // Half a repair, or half of what was gained is lost.
            RuleResult::Alarm { .. } if self.failing.is_none() && !alert.has_returned(value) => {
                self.still_out_of_line(row, place, finding)
            }
            RuleResult::Alarm { side, .. } if self.failing == Some(*side) => {
                self.last_good = place.checked_sub(1);
                self.alarmed(row, place, finding, limits)
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

    fn still_out_of_line(
        &mut self,
        row: Option<AlarmRow>,
        place: usize,
        finding: &RuleResult,
    ) -> Option<AlertChange> {
        let value = self.newest;
        if let (RuleResult::Alarm { baseline, .. }, Some(alert)) = (finding, &self.alert) {
            self.is_used_to &= !alert.has_returned(*baseline);
        }
        let is_further = self.live().is_some_and(|alert| alert.is_beyond_acknowledged(value));
        self.not_returned();
        if !self.is_used_to && !is_further {
            return None;
        }
        let row = self.long_enough(row, place, finding, || None)?;
        let alert = self.alert.as_mut()?;
        alert.again = Some(row.opening());
        alert.state = AlertState::Open;
        alert.reopened += 1;
        self.is_used_to = false;
        Some(AlertChange::Reopened)
    }

    fn alarmed(
        &mut self,
        row: Option<AlarmRow>,
        place: usize,
        finding: &RuleResult,
        limits: impl FnOnce() -> Option<Limits>,
    ) -> Option<AlertChange> {
        let row = self.long_enough(row, place, finding, limits)?;
        self.returned.clear();
        self.is_used_to = false;
        self.alert = row.into_alert();
        Some(AlertChange::Opened)
    }

    /// The row of alarms with one more, where that is long enough; else it waits for the next alarm.
    fn long_enough(
        &mut self,
        row: Option<AlarmRow>,
        place: usize,
        finding: &RuleResult,
        limits: impl FnOnce() -> Option<Limits>,
    ) -> Option<AlarmRow> {
        let opening = Opening { after: self.last_good, at: place };
        let row = row.and_then(|row| row.with(finding));
        let row = row.unwrap_or_else(|| AlarmRow::begun(finding, opening, limits()));
        if row.length() >= self.alarms {
            return Some(row);
        }
        self.row = Some(row);
        None
    }
}
