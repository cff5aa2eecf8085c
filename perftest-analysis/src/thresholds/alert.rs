//! An alert: what is out of line, since which commits, and how far it is dealt with.
//!
//! The suspects are the commits after the last one that was in order, up to the first that was not; commits
//! between them that were not judged are among them. Where both are the same commit, the code is no
//! suspect.

use perftest_core::model::Side;

/// A change of this many times what was acknowledged is another one.
const COVERED: f64 = 1.5;

/// What is out of line.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Which way.
    pub side: Side,
    /// The level before.
    pub baseline: f64,
    /// The value that opened it.
    pub opened_by: f64,
    /// Which commits it may come from.
    pub suspects: Suspects,
    /// The criteria that opened it.
    pub by: Vec<String>,
    /// How far somebody or the values themselves have dealt with it.
    pub state: AlertState,
    /// How often it was opened again.
    pub reopened: u32,
    /// What values have to be nearer to the level before than to: what opened it, until the rule alarms on
    /// a value that is.
    pub(super) out_of_line: f64,
}

/// The commits an alert may come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspects {
    /// The last commit in order, which is none of them; `None` where there was none before.
    pub after: Option<String>,
    /// The first commit out of line, which is one of them.
    pub upto: String,
}

/// How far an alert is dealt with.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertState {
    /// Nobody has.
    Open,
    /// Somebody has seen it.
    Acknowledged(Acknowledged),
    /// The values are back.
    Resolved {
        /// Since this commit.
        since: String,
    },
}

/// What somebody said of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct Acknowledged {
    /// Why it may be.
    pub reason: String,
    /// The value that was acknowledged.
    pub(super) value: f64,
}

impl Suspects {
    /// Whether a change of the code can be behind the alert.
    pub fn includes_code(&self) -> bool {
        self.after.as_ref() != Some(&self.upto)
    }
}

impl Alert {
    /// Whether the values are still out of line.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, AlertState::Resolved { .. })
    }

    /// Whether somebody has to look.
    pub fn is_open(&self) -> bool {
        self.state == AlertState::Open
    }

    /// Whether a value, or a baseline, lies nearer to the level before than to what is out of line.
    pub(super) fn has_returned(&self, value: f64) -> bool {
        let halfway = f64::midpoint(self.baseline, self.out_of_line);
        match self.side {
            Side::Upper => value < halfway,
            Side::Lower => value > halfway,
        }
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
