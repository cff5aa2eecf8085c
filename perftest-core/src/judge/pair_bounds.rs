//! What pairs of processes say together.
//!
//! Definition: the center (Hodges and Lehmann) of the pairs' logarithms, and on each side the
//! further one of two bounds:
//!
//! * the conservative signed-rank bound of the center, or the furthest pair while they are too few
//!   for one: no pair may contradict a verdict that rests on so few;
//! * the center and t times the deviation over the root of the number of pairs, because few pairs
//!   that happen to agree have narrow ranks.
//!
//! The deviation is Shamos' with a prior of 1 % for each process that counts as four pairs, as in
//! [`RunSpread`](crate::stats::RunSpread), where it is measured. Not of the faster ones alone:
//! the ratios of pairs of unchanged code are symmetric.

use crate::model::{Interval, Sample};
use crate::stats::{center_bounds, shamos_deviation, student_quantile};

/// Of one process; a pair has two.
const PRIOR: f64 = 0.01 * std::f64::consts::SQRT_2;
const PRIOR_WEIGHT: f64 = 4.0;
/// The center's variance in a normal sample is pi/3 of the mean's.
const CENTER: f64 = std::f64::consts::PI / 3.0;

/// The logarithms of the pairs' degradations and how far they scatter.
#[derive(Debug, Clone)]
pub(super) struct PairBounds {
    logs: Sample,
    deviation: f64,
}

impl PairBounds {
    pub(super) fn of(logs: Sample) -> Self {
        let (own, own_weight) = (shamos_deviation(&logs), (logs.size() - 1) as f64);
        let squares = PRIOR_WEIGHT * PRIOR * PRIOR + own_weight * own * own;
        let deviation = (squares / (PRIOR_WEIGHT + own_weight)).sqrt();
        Self { logs, deviation }
    }

    /// Standard deviation from pair to pair.
    pub(super) fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Center and bounds, each missing with at most `misrate`.
    pub(super) fn at(&self, misrate: f64) -> Interval {
        let sorted = self.logs.sorted();
        let ends = Interval {
            estimate: self.logs.median(),
            lower: sorted[0],
            upper: sorted[sorted.len() - 1],
        };
        let center = center_bounds(&self.logs, 0.5).map_or(ends.estimate, |it| it.estimate);
        let ranks = center_bounds(&self.logs, misrate).unwrap_or(ends);
        let margin = self.margin(self.logs.size(), misrate);
        Interval {
            estimate: center,
            lower: ranks.lower.min(center - margin),
            upper: ranks.upper.max(center + margin),
        }
    }

    /// How far the center of so many pairs that scatter like these may lie from the truth, except
    /// with probability `misrate` on each side.
    pub(super) fn margin(&self, pairs: usize, misrate: f64) -> f64 {
        let freedom = PRIOR_WEIGHT + pairs.max(1) as f64 - 1.0;
        student_quantile(freedom, 1.0 - misrate) * self.center_error(pairs)
    }

    /// Standard deviation of the center of so many such pairs.
    pub(super) fn center_error(&self, pairs: usize) -> f64 {
        self.deviation * (CENTER / pairs.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(logs: &[f64]) -> PairBounds {
        PairBounds::of(Sample::new(logs.to_vec()).unwrap())
    }

    #[test]
    fn few_pairs_that_agree_still_have_the_spread_of_the_prior() {
        let same = bounds(&[0.0; 5]);
        assert!((same.deviation() - PRIOR / 2.0_f64.sqrt()).abs() < 1e-12);
        assert!(same.at(1e-3).upper > 0.015);
        assert!(bounds(&[0.0; 40]).at(1e-3).upper < 0.003);
    }

    #[test]
    fn one_pair_alone_keeps_few_pairs_from_a_verdict() {
        let one_far = bounds(&[0.0, 0.0, 0.0, 0.0, 0.3]).at(1e-3);
        assert!(one_far.upper >= 0.3 && one_far.lower > -0.1, "{one_far:?}");
        let mut many = vec![0.3];
        many.extend([0.0; 39]);
        assert!(bounds(&many).at(1e-3).upper < 0.01);
    }

    #[test]
    fn the_center_lies_between_its_bounds() {
        for size in [1, 2, 5, 12, 40] {
            let logs: Vec<f64> = (0..size).map(|i| (f64::from(i) * 0.618).fract()).collect();
            let at = bounds(&logs).at(1e-3);
            assert!(at.lower <= at.estimate && at.estimate <= at.upper, "{size}: {at:?}");
        }
    }
}
