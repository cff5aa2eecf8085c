//! Alarms in a row that are too few for an alert yet.

use super::alert::{Alert, Opening};
use perftest_core::model::{LimitSide, Limits, RuleResult};

/// Alarms on one side in a row. Level, bounds and place are those of the first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AlarmRow {
    first: RuleResult,
    limits: Option<Limits>,
    opening: Opening,
    /// The values after the first one.
    later: Vec<f64>,
}

impl AlarmRow {
    /// Begins a row with an alarm.
    pub(super) fn begun(finding: &RuleResult, opening: Opening, limits: Option<Limits>) -> Self {
        Self { first: finding.clone(), limits, opening, later: Vec::new() }
    }

    /// Adds one more alarm; `None` if it is on the other side.
    pub(super) fn with(mut self, finding: &RuleResult) -> Option<Self> {
        let (_, value) = alarm(finding)?;
        let is_same = self.is_on_side_of(finding);
        self.later.push(value);
        is_same.then_some(self)
    }

    /// Returns whether a result is an alarm on the side of the row.
    pub(super) fn is_on_side_of(&self, finding: &RuleResult) -> bool {
        let side = |finding| alarm(finding).map(|(side, _)| side);
        side(finding).is_some() && side(finding) == side(&self.first)
    }

    /// Number of alarms.
    pub(super) fn length(&self) -> usize {
        1 + self.later.len()
    }

    /// The place of the first alarm.
    pub(super) fn opening(&self) -> Opening {
        self.opening
    }

    /// Returns the alert that the row opens.
    pub(super) fn into_alert(self) -> Option<Alert> {
        let mut alert = Alert::of(&self.first, self.opening, self.limits)?;
        self.later.into_iter().for_each(|value| alert.continue_with(value));
        Some(alert)
    }
}

/// Returns side and value of an alarm.
fn alarm(finding: &RuleResult) -> Option<(LimitSide, f64)> {
    match finding {
        RuleResult::Alarm { side, value, .. } => Some((*side, *value)),
        _ => None,
    }
}
