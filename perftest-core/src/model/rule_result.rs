//! What a rule says of a value.

use super::LimitSide;

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleResult {
    /// The value is out of line.
    Alarm {
        /// Which way.
        side: LimitSide,
        /// The value judged.
        value: f64,
        /// What it is compared with.
        baseline: f64,
        /// The criteria that say so, each with its settings.
        by: Vec<String>,
    },
    /// It is not.
    Quiet,
    /// Nothing can be said, and why.
    Unjudged(String),
}
