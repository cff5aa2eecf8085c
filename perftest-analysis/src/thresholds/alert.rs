//! An alert: a value out of line, the run that opened it, and its state.
//!
//! Definition: level, bounds and criteria are those of the result that opened the alert, and stay
//! when the alert is reopened. A value is *back* within the broken bound, or, without a bound,
//! within half of the distance from the level to the value that opened the alert. If the median of
//! the values since is beyond half of that bound, the change was not momentary: a value is then
//! back only if it is also nearer to the level before than to that median, because the bound of a
//! noisy rule is wide. How far *out* a value is counts from the level, or from the broken bound where
//! the level is itself beyond that bound: a fixed limit may be broken by a level that does not change.

use perftest_core::model::{LimitSide, Limits, RuleResult};

/// A change this many times the acknowledged one counts as another change. A convention.
const COVERED: f64 = 1.5;

/// An alert. Runs are identified by their indices in the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// The side of the level.
    pub side: LimitSide,
    /// The level before.
    pub baseline: f64,
    /// The value that opened it.
    pub opened_by: f64,
    /// The place where it was first opened.
    pub opened: Opening,
    /// The place where it was last reopened.
    pub again: Option<Opening>,
    /// The criteria that opened it.
    pub by: Vec<String>,
    /// The state of the alert.
    pub state: AlertState,
    /// Number of times it was reopened.
    pub reopened: u32,
    /// The limits of the values when it was opened: on its side, and on the other one.
    within: f64,
    other: Option<f64>,
    /// The value from which the size of the change counts.
    edge: f64,
    /// The values since, ascending, without those that may be on their way back.
    since: Vec<f64>,
}

/// The place where an alert was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The last run in line before; `None` without one.
    pub after: Option<usize>,
    /// The run that is out of line.
    pub at: usize,
}

/// The state of an alert.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertState {
    /// No person has acknowledged it.
    Open,
    /// A person has acknowledged it.
    Acknowledged(AlertAcknowledgement),
    /// The values are back.
    Resolved {
        /// The first run with values back.
        since: usize,
    },
}

/// A person's acknowledgement of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertAcknowledgement {
    /// The reason of the person.
    pub reason: String,
    /// The value that was acknowledged.
    pub(super) value: f64,
}

impl Alert {
    /// Returns the alert of an alarm; `None` for another result.
    pub(super) fn of(
        finding: &RuleResult,
        opened: Opening,
        limits: Option<Limits>,
    ) -> Option<Self> {
        let RuleResult::Alarm { side, value, baseline, by } = finding else {
            return None;
        };
        let [lower, upper] = limits.map_or([None, None], |limits| [limits.lower, limits.upper]);
        let (own, other) = match side {
            LimitSide::Upper => (upper, lower),
            LimitSide::Lower => (lower, upper),
        };
        let is_behind = |bound: &f64| outward(*side, *bound) < outward(*side, *baseline);
        let ends = [baseline.min(*value), baseline.max(*value)];
        let is_between = |bound: &f64| (ends[0]..=ends[1]).contains(bound);
        Some(Self {
            side: *side,
            baseline: *baseline,
            opened_by: *value,
            opened,
            again: None,
            by: by.clone(),
            state: AlertState::Open,
            reopened: 0,
            within: own.filter(is_between).unwrap_or(f64::midpoint(*baseline, *value)),
            other: other.filter(is_behind),
            edge: own.filter(is_behind).unwrap_or(*baseline),
            since: vec![*value],
        })
    }

    /// Returns the alert of values that crossed the level and broke its bound on the other side.
    pub(super) fn turned(&self, value: f64, opened: Opening) -> Option<Self> {
        let within = self.other?;
        let side = match self.side {
            LimitSide::Upper => LimitSide::Lower,
            LimitSide::Lower => LimitSide::Upper,
        };
        let it = Self {
            side,
            opened_by: value,
            opened,
            within,
            other: Some(self.within),
            edge: self.baseline,
            ..self.clone()
        };
        let state = AlertState::Open;
        Some(Self { again: None, state, reopened: 0, since: vec![value], ..it })
    }

    /// Returns whether the values are still out of line.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, AlertState::Resolved { .. })
    }

    /// Returns whether a person has to look.
    pub fn is_open(&self) -> bool {
        self.state == AlertState::Open
    }

    /// Adds one more value that is out of line, or was not back for long enough.
    pub(super) fn continue_with(&mut self, value: f64) {
        let place = self.since.partition_point(|it| it.total_cmp(&value).is_le());
        self.since.insert(place, value);
    }

    /// Returns whether a value, or a baseline, is back.
    pub(super) fn has_returned(&self, value: f64) -> bool {
        let size = self.since.len();
        let median = f64::midpoint(self.since[(size - 1) / 2], self.since[size / 2]);
        let halfway = |other: f64| f64::midpoint(self.baseline, other);
        let is_within = |value: f64, bound: f64| self.out(value) <= self.out(bound);
        let has_stayed = is_within(median, halfway(self.within));
        is_within(value, self.within) && (has_stayed || is_within(value, halfway(median)))
    }

    /// Returns whether a value is beyond the bound on the other side of the level.
    pub(super) fn has_turned(&self, value: f64) -> bool {
        self.other.is_some_and(|bound| self.out(value) < self.out(bound))
    }

    /// Returns whether the acknowledgement of one value includes another value.
    pub(super) fn covers(&self, acknowledged: f64, value: f64) -> bool {
        let out = |value: f64| self.out(value) - self.out(self.edge);
        // Negative where a value breaks a fixed limit and is nearer to it than the level is.
        out(value) <= out(acknowledged) + (COVERED - 1.0) * out(acknowledged).abs()
    }

    /// Returns whether a value is further away than the acknowledged one.
    pub(super) fn is_beyond_acknowledged(&self, value: f64) -> bool {
        match &self.state {
            AlertState::Acknowledged(acknowledged) => !self.covers(acknowledged.value, value),
            _ => false,
        }
    }

    fn out(&self, value: f64) -> f64 {
        outward(self.side, value)
    }
}

/// Returns a number that grows the further out the value is on this side.
pub(super) fn outward(side: LimitSide, value: f64) -> f64 {
    match side {
        LimitSide::Upper => value,
        LimitSide::Lower => -value,
    }
}
