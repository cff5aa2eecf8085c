//! The degradation a red needs after n measurements.

use crate::model::Tolerance;
use crate::stats::RunSpread;

/// Degradation over measurements: a huge slow-down convicts early, a small one late.
///
/// Scaled by the history's own spread, because a fixed curve is either blind or floods noisy
/// tests: after n of at most N measurements a red needs
/// `(1 + tolerance) * exp(spread * (N - n) / n)`, which ends at the tolerance itself.
/// After the talk's "degradation versus iterations" (A. Akinshin, DotNext 2020).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Curve;

impl Curve {
    /// The needed degradation after `measurements` of at most `most`.
    pub fn needed(
        self,
        measurements: u32,
        most: u32,
        tolerance: Tolerance,
        spread: RunSpread,
    ) -> f64 {
        let done = f64::from(measurements.max(1));
        let left = f64::from(most.saturating_sub(measurements));
        tolerance.ratio() * (spread.deviation() * left / done).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sample;

    #[test]
    fn the_curve_falls_to_the_tolerance_as_measurements_come_in() {
        let spread = RunSpread::of(&Sample::new(vec![0.0, 0.01, 0.02]).unwrap());
        let at = |n| Curve.needed(n, 60, Tolerance::default(), spread);
        assert!(at(3) > 1.2);
        assert!(at(3) > at(15) && at(15) > at(45));
        assert_eq!(at(60), 1.05);
        assert_eq!(at(70), 1.05);
    }
}
