//! What the author of a metric wants of it.

use super::{Direction, Tolerance};

/// Which way a metric of the author's own gets better, and whether it is judged: with a tolerance it
/// is, without one it only explains.
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
    /// A goal that is judged: worse by no more than this tolerance, such as `"1%"`.
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
    /// The same for values in this unit, which tells their [kind](super::MetricKind): what is in `ns` is
    /// a time, what is in `bytes` is counted one by one, and a number in a unit of the author's own,
    /// or in none, may be as small as it likes. Another unit begins another history.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Which way is better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The unit, empty where none was given.
    pub fn unit_name(&self) -> &'static str {
        self.unit
    }

    /// The tolerance that it is judged by; `None` where it only explains.
    ///
    /// # Errors
    /// What was given and is no tolerance, as authors write one.
    pub fn tolerance(&self) -> Result<Option<Tolerance>, &'static str> {
        self.tolerance.map(|text| text.parse().map_err(|_| text)).transpose()
    }
}
