//! An author's curve, point by point.

use crate::list::IntoList;
use std::fmt;
use std::str::FromStr;

/// Points of falling degradation: after a number of measurements a red needs at least this ratio.
///
/// A step function: the last reached point holds. A line between the points would imply ratios at numbers
/// of measurements that the author did not specify. Before the first point there is no red.
///
/// ```
/// use perftest_core::judge::Steps;
/// let steps = Steps::new(vec![(2, 4.0), (9, 2.0), (30, 1.1)]).unwrap();
/// assert_eq!(steps.needed(1), f64::INFINITY);
/// assert_eq!(steps.needed(8), 4.0);
/// assert_eq!(steps.needed(100), 1.1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    points: Vec<(u32, f64)>,
}

/// Why points are no [`Steps`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepsError {
    /// There is no point at all.
    Empty,
    /// The number of measurements at this index is not above that of the point before, not at
    /// least 1, or above [`Steps::MOST_MEASUREMENTS`].
    Measurements(usize),
    /// The ratio at this index is not below that of the point before, or not a number above 1.
    Ratio(usize),
}

impl fmt::Display for StepsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a curve needs a point, for example (30, 1.1)"),
            Self::Measurements(index) => write!(
                f,
                "point {index} of the curve: measurements rise from point to point, from 1 to {}",
                Steps::MOST_MEASUREMENTS
            ),
            Self::Ratio(index) => {
                write!(f, "point {index} of the curve: ratios fall from point to point, above 1")
            }
        }
    }
}

impl std::error::Error for StepsError {}

impl Steps {
    /// The largest number of measurements of a test before its verdict.
    pub const MOST_MEASUREMENTS: u32 = 10_000;

    /// Validates `points` of measurements and the ratio that is needed from there on.
    ///
    /// # Errors
    /// [`StepsError`] when there is no point, the measurements do not rise or the ratios do not
    /// fall towards 1.
    pub fn new(points: Vec<(u32, f64)>) -> Result<Self, StepsError> {
        if points.is_empty() {
            return Err(StepsError::Empty);
        }
        let (mut fewest, mut below) = (0, f64::INFINITY);
        for (index, (measurements, ratio)) in points.iter().enumerate() {
            if *measurements <= fewest || *measurements > Self::MOST_MEASUREMENTS {
                return Err(StepsError::Measurements(index));
            }
            if !(*ratio > 1.0 && *ratio < below) {
                return Err(StepsError::Ratio(index));
            }
            (fewest, below) = (*measurements, *ratio);
        }
        Ok(Self { points })
    }

    /// The points, at least one, in their order.
    pub fn points(&self) -> &[(u32, f64)] {
        &self.points
    }

    /// The last point.
    pub fn last(&self) -> (u32, f64) {
        self.points[self.points.len() - 1]
    }

    /// Returns the ratio of the last point reached after this many measurements; infinite before the first.
    pub fn needed(&self, measurements: u32) -> f64 {
        let reached = self.points.iter().rev().find(|(point, _)| *point <= measurements);
        reached.map_or(f64::INFINITY, |(_, ratio)| *ratio)
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (measurements, ratio)) in self.points.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{measurements}:{ratio}")?;
        }
        Ok(())
    }
}

impl FromStr for Steps {
    type Err = StepsError;

    /// Parses the text of [`Display`](fmt::Display): `2:4,9:2,30:1.1`.
    fn from_str(text: &str) -> Result<Self, StepsError> {
        let point = |(index, point): (usize, &str)| {
            let (measurements, ratio) = point.split_once(':').unwrap_or((point, ""));
            let measurements = measurements.parse().map_err(|_| StepsError::Measurements(index))?;
            Ok((measurements, ratio.parse().map_err(|_| StepsError::Ratio(index))?))
        };
        Self::new(text.split(',').enumerate().map(point).into_list_of_ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(points: &[(u32, f64)]) -> StepsError {
        Steps::new(points.to_vec()).unwrap_err()
    }

    #[test]
    fn points_that_do_not_lead_down_are_refused_at_their_place() {
        assert_eq!(error(&[]), StepsError::Empty);
        assert_eq!(error(&[(0, 2.0)]), StepsError::Measurements(0));
        assert_eq!(error(&[(2, 4.0), (2, 3.0)]), StepsError::Measurements(1));
        assert_eq!(error(&[(2, 4.0), (10_001, 3.0)]), StepsError::Measurements(1));
        assert_eq!(error(&[(2, 4.0), (9, 4.0)]), StepsError::Ratio(1));
        assert_eq!(error(&[(2, 4.0), (9, 1.0)]), StepsError::Ratio(1));
        for ratio in [f64::NAN, f64::INFINITY, -2.0] {
            assert_eq!(error(&[(2, ratio)]), StepsError::Ratio(0));
        }
    }

    #[test]
    fn steps_are_named_by_their_points() {
        let steps = Steps::new(vec![(2, 4.0), (9, 2.0), (30, 1.1)]).unwrap();
        assert_eq!(steps.to_string(), "2:4,9:2,30:1.1");
        assert_eq!("2:4,9:2,30:1.1".parse(), Ok(steps));
        let parsed = |text: &str| text.parse::<Steps>();
        assert_eq!(parsed("scaled"), Err(StepsError::Measurements(0)));
        assert_eq!(parsed("2:4,9"), Err(StepsError::Ratio(1)));
        assert_eq!(parsed("2:4,9:4"), Err(StepsError::Ratio(1)));
    }
}
