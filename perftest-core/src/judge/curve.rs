//! The degradation that a red needs after n measurements.

use crate::list::IntoList;
use crate::model::Tolerance;
use crate::stats::RunSpread;
use std::fmt;

/// Degradation over measurements: a large slowdown is red early, a small one late.
///
/// The default is scaled by the history's spread, because a fixed curve misses slowdowns of quiet tests or causes
/// false alarms of noisy ones: after n of at most N measurements a red needs
/// `(1 + tolerance) * exp(spread * (N - n) / n)`, which ends at the tolerance itself.
///
/// With points from the author of the test it is a step function: the last reached point holds. A line between the
/// points would imply ratios at numbers of measurements that the author did not specify. Before the first point there
/// is no red.
///
/// After the talk's "degradation versus iterations" (A. Akinshin, DotNext 2020).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    points: Vec<(u32, f64)>,
}

impl Curve {
    /// The largest number of measurements of a test before its verdict. A convention: more are refused.
    pub const MOST_MEASUREMENTS: u32 = 10_000;

    /// Creates the curve with these points: numbers of measurements, and the ratio that is needed from there on. `None`
    /// without a point, and unless the numbers rise from 1 to at most [`MOST_MEASUREMENTS`](Self::MOST_MEASUREMENTS)
    /// and the ratios fall towards 1.
    ///
    /// ```
    /// use perftest_core::judge::Curve;
    /// let curve = Curve::of_points(vec![(2, 4.0), (9, 2.0), (30, 1.1)]).unwrap();
    /// assert_eq!(curve.points().len(), 3);
    /// assert_eq!(Curve::of_points(vec![(2, 4.0), (9, 4.0)]), None);
    /// ```
    pub fn of_points(points: Vec<(u32, f64)>) -> Option<Self> {
        let (mut fewest, mut below) = (0, f64::INFINITY);
        for (measurements, ratio) in &points {
            let rises = *measurements > fewest && *measurements <= Self::MOST_MEASUREMENTS;
            let falls = *ratio > 1.0 && *ratio < below;
            if !rises || !falls {
                return None;
            }
            (fewest, below) = (*measurements, *ratio);
        }
        (!points.is_empty()).then_some(Self { points })
    }

    /// Returns the needed degradation after `measurements` of at most `most`, never below `1 +
    /// tolerance`; infinite if no degradation suffices yet.
    pub fn needed(
        &self,
        measurements: u32,
        most: u32,
        tolerance: Tolerance,
        spread: RunSpread,
    ) -> f64 {
        if self.points.is_empty() {
            let done = f64::from(measurements.max(1));
            let left = f64::from(most.saturating_sub(measurements));
            return tolerance.ratio() * (spread.deviation() * left / done).exp();
        }
        let reached = self.points.iter().rev().find(|(point, _)| *point <= measurements);
        reached.map_or(f64::INFINITY, |(_, ratio)| ratio.max(tolerance.ratio()))
    }

    /// Returns the least degradation that can be red.
    pub fn least(&self, tolerance: Tolerance) -> f64 {
        self.points.last().map_or(1.0, |(_, ratio)| *ratio).max(tolerance.ratio())
    }

    /// Whether the curve has a point at this number of measurements.
    pub(super) fn has_point_at(&self, measurements: u32) -> bool {
        self.points.iter().any(|(point, _)| *point == measurements)
    }

    /// Returns the measurements until the last point; 0 for the scaled curve.
    pub(super) fn reach(&self) -> u32 {
        self.points.last().map_or(0, |(measurements, _)| *measurements)
    }

    /// The author's points; none on the scaled curve.
    pub fn points(&self) -> &[(u32, f64)] {
        &self.points
    }
}

impl fmt::Display for Curve {
    /// `scaled`, or the points: `2:4,9:2,30:1.1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.points.is_empty() {
            return f.write_str("scaled");
        }
        let points =
            self.points.iter().map(|(measurements, ratio)| format!("{measurements}:{ratio}"));
        f.write_str(&points.joined(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sample;

    fn spread() -> RunSpread {
        RunSpread::of(&Sample::new(vec![0.0, 0.01, 0.02]).unwrap())
    }

    fn curve(points: &[(u32, f64)]) -> Curve {
        Curve::of_points(points.to_vec()).unwrap()
    }

    #[test]
    fn the_scaled_curve_falls_to_the_tolerance_as_measurements_come_in() {
        let at = |n| Curve::default().needed(n, 60, Tolerance::default(), spread());
        assert!(at(3) > 1.2);
        assert!(at(3) > at(15) && at(15) > at(45));
        assert_eq!(at(60), 1.05);
        assert_eq!(at(70), 1.05);
    }

    #[test]
    fn the_authors_curve_knows_nothing_of_the_spread() {
        let curve = curve(&[(2, 4.0), (9, 2.0), (30, 1.1)]);
        let at = |n| curve.needed(n, 60, Tolerance::default(), spread());
        assert_eq!([at(1), at(2), at(8)], [f64::INFINITY, 4.0, 4.0]);
        assert_eq!([at(29), at(30), at(1_000)], [2.0, 1.1, 1.1]);
    }

    #[test]
    fn no_curve_falls_below_the_tolerance() {
        let wide = Tolerance::new(0.5).unwrap();
        let curve = curve(&[(2, 4.0), (30, 1.1)]);
        assert_eq!(curve.needed(30, 60, wide, spread()), 1.5);
        assert_eq!(curve.least(wide), 1.5);
        assert_eq!(curve.least(Tolerance::default()), 1.1);
        assert_eq!(Curve::default().least(wide), 1.5);
    }

    #[test]
    fn points_that_do_not_lead_down_are_refused() {
        let refused: [&[(u32, f64)]; 9] = [
            &[],
            &[(0, 2.0)],
            &[(2, 4.0), (2, 3.0)],
            &[(2, 4.0), (10_001, 3.0)],
            &[(2, 4.0), (9, 4.0)],
            &[(2, 4.0), (9, 1.0)],
            &[(2, f64::NAN)],
            &[(2, f64::INFINITY)],
            &[(2, -2.0)],
        ];
        for points in refused {
            assert_eq!(Curve::of_points(points.to_vec()), None, "{points:?}");
        }
    }

    #[test]
    fn curves_are_named_by_their_points() {
        assert_eq!(curve(&[(2, 4.0), (9, 2.0), (30, 1.1)]).to_string(), "2:4,9:2,30:1.1");
        assert_eq!(Curve::default().to_string(), "scaled");
    }
}
