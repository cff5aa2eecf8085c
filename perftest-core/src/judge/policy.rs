//! The settings of one decision.

use super::Curve;
use crate::model::Tolerance;

/// Below these, differences mean nothing, whatever their ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Values below this count as this, in the metric's unit.
    pub value: f64,
    /// A red needs a shift of at least this, in the metric's unit.
    pub shift: f64,
}

impl Floor {
    /// For wall time in nanoseconds: below 1 ns a loop measures its own alignment, and half a
    /// nanosecond is two cycles.
    pub const WALL_NS: Self = Self { value: 1.0, shift: 0.5 };
}

/// The settings of one decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The smallest degradation the author cares about.
    pub tolerance: Tolerance,
    /// The degradation a red needs after so many measurements.
    pub curve: Curve,
    /// Time for measuring in the first process; a confirmation may take as much again in each
    /// fresh process.
    pub budget_ns: u64,
    /// Measurements in a round. Rounds are separated by growing gaps.
    pub round: u32,
    /// Most rounds.
    pub rounds: u32,
    /// Fresh processes in which a candidate red must stand.
    pub confirmations: u32,
    /// Most fresh processes, not counting as many that were too disturbed to bear witness.
    pub max_confirmations: u32,
    /// Probability that a green is given at a true degradation of the tolerance, over all looks.
    pub green_misrate: f64,
    /// Probability, on each side, of a bound of a red being wrong, over all looks.
    pub red_misrate: f64,
    /// Where differences stop to mean something.
    pub floor: Floor,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::default(),
            curve: Curve,
            budget_ns: 3_000_000_000,
            round: 15,
            rounds: 4,
            confirmations: 3,
            max_confirmations: 5,
            green_misrate: 0.01,
            red_misrate: 0.002,
            floor: Floor::WALL_NS,
        }
    }
}

impl Policy {
    /// Looks at the data within a round, in measurements of that round.
    pub(super) const LOOKS: [u32; 4] = [3, 5, 9, 15];

    /// Looks at the data in a whole trial: the misrates are split over them, the honest price of
    /// looking more than once. The longer round at the end counts as one more.
    pub(super) fn looks(&self) -> f64 {
        f64::from(self.rounds + 1) * Self::LOOKS.len() as f64
    }

    /// A short text of the rule and its parameters, stored with each verdict so that it can be
    /// replayed.
    pub fn rule(&self) -> String {
        format!(
            "ladder/3 tol={} round={}x{} confirm={} green={} red={}",
            self.tolerance.share(),
            self.rounds,
            self.round,
            self.confirmations,
            self.green_misrate,
            self.red_misrate
        )
    }
}
