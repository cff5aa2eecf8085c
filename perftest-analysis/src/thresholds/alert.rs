//! An alert: what is out of line, since which run, and how far it is dealt with.
//!
//! Definition: level, bounds and criteria are those of the finding that opened the alert, and stay when it is
//! opened again. A value is *back* within the bound that was broken, or halfway where the rule has none between
//! the level and the value that opened it. Where the median of the values since shows that they did not only
//! look away for a moment (it is beyond half of that bound), a value has to be nearer to the level before than
//! to that median, too: the bound of a noisy rule is wide.

use perftest_core::model::{LimitSide, Limits, RuleResult};

/// A change of this many times what was acknowledged is another one.
const COVERED: f64 = 1.5;

/// What is out of line. Runs are identified by their places in the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Which way.
    pub side: LimitSide,
    /// The level before.
    pub baseline: f64,
    /// The value that opened it.
    pub opened_by: f64,
    /// Where it was opened for the first time.
    pub opened: Opening,
    /// Where it was opened again for the last time.
    pub again: Option<Opening>,
    /// The criteria that opened it.
    pub by: Vec<String>,
    /// How far somebody or the values themselves have dealt with it.
    pub state: AlertState,
    /// How often it was opened again.
    pub reopened: u32,
    /// Where the values should have stayed when it was opened: on its side, and on the other one.
    within: f64,
    other: Option<f64>,
    /// The values since, ascending, without those that may be on their way back.
    since: Vec<f64>,
}

/// Where an alert was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The last run in order before; `None` where there was none.
    pub after: Option<usize>,
    /// The run that is out of line.
    pub at: usize,
}

/// How far an alert is dealt with.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertState {
    /// Nobody has.
    Open,
    /// Somebody has seen it.
    Acknowledged(AlertAcknowledgement),
    /// The values are back.
    Resolved {
        /// Since this run.
        since: usize,
    },
}

/// What somebody said of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertAcknowledgement {
    /// Why it may be.
    pub reason: String,
    /// The value that was acknowledged.
    pub(super) value: f64,
}

impl Alert {
    /// The alert of an alarm; `None` of another finding.
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
            LimitSide::Upper => (upper, lower.filter(|lower| lower < baseline)),
            LimitSide::Lower => (lower, upper.filter(|upper| upper > baseline)),
        };
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
            other,
            since: vec![*value],
        })
    }

    /// The alert of values that went from one side of the level to beyond its bound on the other side.
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
            ..self.clone()
        };
        let state = AlertState::Open;
        Some(Self { again: None, state, reopened: 0, since: vec![value], ..it })
    }

    /// Whether the values are still out of line.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, AlertState::Resolved { .. })
    }

    /// Whether somebody has to look.
    pub fn is_open(&self) -> bool {
        self.state == AlertState::Open
    }

    /// One more value that is out of line, or was not back for long enough.
    pub(super) fn continue_with(&mut self, value: f64) {
        let place = self.since.partition_point(|it| it.total_cmp(&value).is_le());
        self.since.insert(place, value);
    }

    /// Whether a value, or a baseline, is back.
    pub(super) fn has_returned(&self, value: f64) -> bool {
        let size = self.since.len();
        let median = f64::midpoint(self.since[(size - 1) / 2], self.since[size / 2]);
        let halfway = |other: f64| f64::midpoint(self.baseline, other);
        let is_within = |value: f64, bound: f64| match self.side {
            LimitSide::Upper => value <= bound,
            LimitSide::Lower => value >= bound,
        };
        let has_stayed = is_within(median, halfway(self.within));
        is_within(value, self.within) && (has_stayed || is_within(value, halfway(median)))
    }

    /// Whether a value is beyond the bound on the other side of the level.
    pub(super) fn has_turned(&self, value: f64) -> bool {
        self.other.is_some_and(|bound| match self.side {
            LimitSide::Upper => value < bound,
            LimitSide::Lower => value > bound,
        })
    }

    /// Whether who acknowledges one value has acknowledged another with it.
    pub(super) fn covers(&self, acknowledged: f64, value: f64) -> bool {
        let distance = |value: f64| (value - self.baseline).abs();
        distance(value) <= COVERED * distance(acknowledged)
    }

    /// Whether a value is further away than what was acknowledged.
    pub(super) fn is_beyond_acknowledged(&self, value: f64) -> bool {
        match &self.state {
            AlertState::Acknowledged(acknowledged) => !self.covers(acknowledged.value, value),
            _ => false,
        }
    }
}
