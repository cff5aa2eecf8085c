//! The degradation that a red needs after n measurements.

use super::Steps;
use crate::model::Tolerance;
use crate::stats::RunSpread;
use std::fmt;

/// Degradation over measurements: a large slowdown is red early, a small one late.
///
/// After the talk's "degradation versus iterations" (A. Akinshin, DotNext 2020).
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Curve {
    /// Scaled by the history's spread, because a fixed curve misses slowdowns of quiet tests or causes
    /// false alarms of noisy ones: after n of at most N measurements a red needs
    /// `(1 + tolerance) * exp(spread * (N - n) / n)`, which ends at the tolerance itself.
    #[default]
    Scaled,
    /// Points from the author of the test.
    Steps(Steps),
}

impl Curve {
    /// Returns the needed degradation after `measurements` of at most `most`, never below `1 +
    /// tolerance`; infinite if no degradation suffices yet.
    pub fn needed(
        &self,
        measurements: u32,
        most: u32,
        tolerance: Tolerance,
        spread: RunSpread,
    ) -> f64 {
        match self {
            Self::Scaled => {
                let done = f64::from(measurements.max(1));
                let left = f64::from(most.saturating_sub(measurements));
                tolerance.ratio() * (spread.deviation() * left / done).exp()
            }
            Self::Steps(steps) => steps.needed(measurements).max(tolerance.ratio()),
        }
    }

    /// Returns the least degradation that can be red.
    pub fn least(&self, tolerance: Tolerance) -> f64 {
        match self {
            Self::Scaled => tolerance.ratio(),
            Self::Steps(steps) => steps.last().1.max(tolerance.ratio()),
        }
    }

    /// Whether the curve has a point at this number of measurements.
    pub(super) fn has_point_at(&self, measurements: u32) -> bool {
        self.points().iter().any(|(point, _)| *point == measurements)
    }

    /// Returns the measurements until the last point; 0 for the scaled curve.
    pub(super) fn reach(&self) -> u32 {
        self.points().last().map_or(0, |(measurements, _)| *measurements)
    }

    /// The author's points; none on the scaled curve.
    pub fn points(&self) -> &[(u32, f64)] {
        match self {
            Self::Scaled => &[],
            Self::Steps(steps) => steps.points(),
        }
    }
}

impl fmt::Display for Curve {
    /// `scaled`, or the points: `2:4,9:2,30:1.1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scaled => f.write_str("scaled"),
            Self::Steps(steps) => steps.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sample;

    fn spread() -> RunSpread {
        RunSpread::of(&Sample::new(vec![0.0, 0.01, 0.02]).unwrap())
    }

    fn steps(points: &[(u32, f64)]) -> Curve {
        Curve::Steps(Steps::new(points.to_vec()).unwrap())
    }

    #[test]
    fn the_scaled_curve_falls_to_the_tolerance_as_measurements_come_in() {
        let at = |n| Curve::Scaled.needed(n, 60, Tolerance::default(), spread());
        assert!(at(3) > 1.2);
        assert!(at(3) > at(15) && at(15) > at(45));
        assert_eq!(at(60), 1.05);
        assert_eq!(at(70), 1.05);
    }

    #[test]
    fn the_authors_curve_knows_nothing_of_the_spread() {
        let curve = steps(&[(2, 4.0), (30, 1.1)]);
        let at = |n| curve.needed(n, 60, Tolerance::default(), spread());
        assert_eq!([at(1), at(2), at(29), at(30), at(1_000)], [f64::INFINITY, 4.0, 4.0, 1.1, 1.1]);
    }

    #[test]
    fn no_curve_falls_below_the_tolerance() {
        let wide = Tolerance::new(0.5).unwrap();
        let curve = steps(&[(2, 4.0), (30, 1.1)]);
        assert_eq!(curve.needed(30, 60, wide, spread()), 1.5);
        assert_eq!(curve.least(wide), 1.5);
        assert_eq!(curve.least(Tolerance::default()), 1.1);
        assert_eq!(Curve::Scaled.least(wide), 1.5);
    }
}
