//! The author's goal for a metric.

use super::{Direction, Tolerance};

/// Which way an author's own metric improves, and whether it has a verdict: with a tolerance it has
/// one, without a tolerance it only explains.
///
/// ```
/// use perftest_core::model::{Direction, Goal};
/// let judged = Direction::Lower.within("1%").unit("bytes");
/// assert_eq!(judged.tolerance().unwrap().unwrap().share(), 0.01);
/// let explaining = Goal::from(Direction::Higher);
/// assert!(explaining.tolerance().unwrap().is_none());
/// assert!(Direction::Lower.within("little").tolerance().is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    direction: Direction,
    unit: &'static str,
    tolerance: Option<&'static str>,
}

impl Direction {
    /// Adds a tolerance such as `"1%"`: the metric gets a verdict.
    pub fn within(self, tolerance: &'static str) -> Goal {
        Goal { tolerance: Some(tolerance), ..Goal::from(self) }
    }
}

impl From<Direction> for Goal {
    fn from(direction: Direction) -> Self {
        Self { direction, unit: "", tolerance: None }
    }
}

impl Goal {
    /// Sets the unit, which implies the [kind](super::MetricKind): a metric in `ns` is a time, one
    /// in `bytes` is counted, and a number in the author's own unit, or in none, may be arbitrarily
    /// small. Another unit begins another history.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The better direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The unit; empty without one.
    pub fn unit_name(&self) -> &'static str {
        self.unit
    }

    /// Returns the tolerance; `None` for a metric that only explains.
    ///
    /// # Errors
    /// The given text, if it is no tolerance.
    pub fn tolerance(&self) -> Result<Option<Tolerance>, &'static str> {
        self.tolerance.map(|text| text.parse().map_err(|_| text)).transpose()
    }
}
