//! The result of a rule for a value.

use super::LimitSide;

/// The result of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleResult {
    /// The value is out of line.
    Alarm {
        /// The side of the limit.
        side: LimitSide,
        /// The value.
        value: f64,
        /// The baseline of the value.
        baseline: f64,
        /// The criteria that alarm, each with its settings.
        by: Vec<String>,
    },
    /// The value is in line.
    Quiet,
    /// There is no result, for this reason.
    Unjudged(String),
}
