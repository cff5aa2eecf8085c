//! The life of an alert: opened, acknowledged, opened again, resolved by itself.
//!
//! Definition: a configured number of alarms in a row opens an alert, one by default. Its level,
//! its bounds and its criteria are those of the first alarm, and stay when the rule's own baseline
//! moves on. With two, a single far run opens nothing.
//!
//! - *Resolved*: a configured number of values in a row is [back](super::Alert), and the rule
//!   alarms for none of them on that side. A rule also becomes quiet when its history adopts the
//!   new level; that alone resolves nothing. A resolved alert is over, and the next alarm opens
//!   another one. Until the rule is quiet about as many values in a row, alarms on the
//!   other side by a baseline near the old alert's level do not count, because the values are only
//!   back.
//! - *Reopened*: a further step reopens the alert. The history has to be used to the level before: the rule was quiet
//!   about as many values in a row that were not back, and its baseline is not back either. Then enough alarms in a
//!   row are further beyond the median of these values than that is beyond the rule's baseline. Without that, alarms
//!   of an unchanged level are further steps while the window fills: the limit crosses the level then, and is quiet
//!   about half of the values. Changes half as large again as the acknowledged one reopen the alert too.
//! - *Another alert*: opened when enough values in a row are beyond the bound on the other side of
//!   the level. A failure replaces an alert that is no failure as soon as its own alarms suffice.
//!
//! A run without a result changes nothing, and neither does a value that the machine may have moved, unless it is in
//! line. The same results in the same order give the same alert,
//! so only results and acknowledgements have to be stored.

use super::alarm_row::AlarmRow;
use super::alert::{Alert, AlertAcknowledgement, AlertState, Opening, outward};
use perftest_core::model::{LimitSide, Limits, RuleResult, Sample};
use std::collections::VecDeque;

/// The effect of a result on the alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AlertChange {
    /// A new alert.
    Opened,
    /// The alert is open again.
    Reopened,
    /// The alert is resolved.
    Resolved,
}

/// The alert of one metric of one test on one testbed, along its history. Runs are identified by
/// their indices in the history.
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
    /// Number of alarms in a row that open an alert.
    alarms: usize,
    /// The newest alarms, while they are too few.
    row: Option<AlarmRow>,
    /// The only side that is a failure; `None` if both sides are, or neither.
    failing: Option<LimitSide>,
    last_good: Option<usize>,
    /// The newest value judged.
    newest: f64,
    /// The newest values in a row that are back, and the index of the first one.
    returned: Vec<f64>,
    returned_at: usize,
    /// The newest values in a row that are not back and about which the rule was quiet, up to the number that resolves:
    /// with so many the history is used to their level. Empty after an alarm by a baseline near the level before.
    used_to: VecDeque<f64>,
    /// Number of quiet results in a row since the alert was resolved.
    quiet: usize,
    alert: Option<Alert>,
}

impl AlertLife {
    /// Creates the state without an alert; an alert is resolved after this many values in a row, at
    /// least one.
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
            used_to: VecDeque::new(),
            quiet: 0,
            alert: None,
        }
    }

    /// Sets the number of alarms in a row that open an alert, at least one.
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

    /// Makes alarms on this side the only failures.
    pub fn failing_on(self, side: LimitSide) -> Self {
        Self { failing: Some(side), ..self }
    }

    /// Returns the only side on which alarms are failures, if there is one.
    pub(super) fn failing(&self) -> Option<LimitSide> {
        self.failing
    }

    /// Returns the alert, open or resolved; `None` if there never was one.
    pub fn alert(&self) -> Option<&Alert> {
        self.alert.as_ref()
    }

    /// Returns the number of alarms in a row that do not suffice for an alert yet.
    pub fn waiting_alarms(&self) -> usize {
        self.row.as_ref().map_or(0, AlarmRow::length)
    }

    /// Returns whether there are alarms on the side of this one that do not suffice for an alert yet.
    pub(super) fn waits_after(&self, finding: &RuleResult) -> bool {
        self.row.as_ref().is_some_and(|row| row.is_on_side_of(finding))
    }

    /// Returns the number of values in a row that are back and do not suffice to resolve the alert yet.
    pub fn returned_values(&self) -> usize {
        self.returned.len()
    }

    /// Processes the result of a rule for a run. `limits` is called if the result opens an alert,
    /// and returns the limits of the value.
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
                RuleResult::Alarm { .. } => self.echoed(place),
                _ => self.quiet_again(place),
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

    /// Processes a value that the machine may have moved to this side. It counts only where it is in line all the same:
    /// back from an alert on that side, or without an alarm where there is no alert.
    pub fn moved_by_machine(
        &mut self,
        place: usize,
        value: f64,
        side: LimitSide,
        finding: &RuleResult,
    ) -> Option<AlertChange> {
        let is_worse =
            matches!(finding, RuleResult::Alarm { side: alarmed, .. } if *alarmed == side);
        let is_in_line = match self.live() {
            Some(alert) => alert.side == side && alert.has_returned(value) && !is_worse,
            None => *finding == RuleResult::Quiet,
        };
        is_in_line.then(|| self.judged(place, value, finding, || None)).flatten()
    }

    /// Acknowledges the alert with a reason; returns false without an open alert.
    pub fn acknowledge(&mut self, reason: &str) -> bool {
        self.acknowledge_value(reason, self.newest)
    }

    /// Acknowledges the alert at this value. Returns false, and changes nothing, if the newest
    /// value is beyond what this covers.
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

    /// Returns whether an alarm only means that values are back from the level of a resolved alert.
    fn is_echo(&self, finding: &RuleResult) -> bool {
        match (&self.alert, finding) {
            (Some(over), RuleResult::Alarm { side, value, baseline, .. }) => {
                self.quiet < self.needed
                    && *side != over.side
                    && !over.has_returned(*baseline)
                    && !over.has_turned(*value)
            }
            _ => false,
        }
    }

    fn echoed(&mut self, place: usize) -> Option<AlertChange> {
        self.quiet = 0;
        self.in_order(place)
    }

    fn quiet_again(&mut self, place: usize) -> Option<AlertChange> {
        self.quiet += 1;
        self.in_order(place)
    }

    fn in_order(&mut self, place: usize) -> Option<AlertChange> {
        self.last_good = Some(place);
        None
    }

    /// Processes a value that is back and has no alarm on this side.
    fn one_returned(&mut self, place: usize) -> Option<AlertChange> {
        if self.returned.is_empty() {
            self.returned_at = place;
        }
        self.returned.push(self.newest);
        if self.returned.len() < self.needed {
            return None;
        }
        self.used_to.clear();
        let returned = std::mem::take(&mut self.returned);
        let since = self.returned_at;
        let alert = self.alert.as_mut()?;
        if returned.iter().all(|value| alert.has_turned(*value)) {
            let opened = Opening { after: since.checked_sub(1), at: since };
            self.alert = alert.turned(self.newest, opened);
            return Some(AlertChange::Opened);
        }
        alert.state = AlertState::Resolved { since };
        self.quiet = 0;
        self.last_good = Some(place);
        Some(AlertChange::Resolved)
    }

    /// Processes a newest value that is not back, like the values before it.
    fn not_returned(&mut self) {
        let before = std::mem::take(&mut self.returned);
        if let Some(alert) = self.alert.as_mut() {
            before.into_iter().chain([self.newest]).for_each(|value| alert.continue_with(value));
        }
    }

    /// Processes a value that is not back, and about which the rule is quiet.
    fn used_to(&mut self, place: usize) -> Option<AlertChange> {
        self.not_returned();
        if self.used_to.len() == self.needed {
            self.used_to.pop_front();
        }
        self.used_to.push_back(self.newest);
        self.in_order(place)
    }

    fn still_out_of_line(
        &mut self,
        row: Option<AlarmRow>,
        place: usize,
        finding: &RuleResult,
    ) -> Option<AlertChange> {
        let is_beyond = self.live().is_some_and(|alert| alert.is_beyond_acknowledged(self.newest));
        let is_further_step = self.is_further_step(finding);
        self.not_returned();
        if !is_beyond && !is_further_step {
            return None;
        }
        let row = self.long_enough(row, place, finding, || None)?;
        let alert = self.alert.as_mut()?;
        alert.again = Some(row.opening());
        alert.state = AlertState::Open;
        alert.reopened += 1;
        self.used_to.clear();
        Some(AlertChange::Reopened)
    }

    /// Returns whether an alarm is by a further step, and forgets the level that the history is not used to.
    fn is_further_step(&mut self, finding: &RuleResult) -> bool {
        let RuleResult::Alarm { side, value, baseline, .. } = finding else { return false };
        let is_back = self.live().is_some_and(|alert| alert.has_returned(*baseline));
        if is_back || self.used_to.len() < self.needed {
            self.used_to.clear();
            return false;
        }
        let halfway = f64::midpoint(*baseline, *value);
        let level = Sample::median_of(self.used_to.make_contiguous());
        level.is_some_and(|level| outward(*side, halfway) > outward(*side, level))
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
        self.used_to.clear();
        self.alert = row.into_alert();
        Some(AlertChange::Opened)
    }

    /// Returns the row with one more alarm if it is long enough; otherwise waits for the next
    /// alarm.
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
