//! How far apart the ratios of pairs lie, and what so many such pairs detect.
//!
//! Definition: the standard deviation of the ratios' logarithms, Shamos' for measured pairs, with a prior for each
//! process that counts as four pairs, 1% for times as in [`RunSpread`](crate::stats::RunSpread), where it is measured.
//! Not of the faster ones alone: the ratios of pairs of unchanged code are symmetric.

use crate::stats::student_quantile;

/// Degrees of freedom at which Student's distribution is as good as normal. There its quantile of
/// 99.5% is 2.581, and the normal one is 2.576.
pub(super) const NORMAL: f64 = 1e3;
/// Probability of finding the smallest detectable degradation. A convention: the promise of
/// docs/reference/statistics.md.
pub(super) const FOUND: f64 = 0.99;
/// The prior counts as this many pairs: a convention, as in [`RunSpread`](crate::stats::RunSpread).
const PRIOR_WEIGHT: f64 = 4.0;
/// The center's variance in a normal sample is pi/3 of the mean's. Source: the center's efficiency of 3/pi (Hodges
/// and Lehmann 1963).
const CENTER: f64 = std::f64::consts::PI / 3.0;

/// Luck of n pairs is wider than a normal one by this share over n: the deviation of few pairs is skewed. Simulated, and
/// checked by `perftest-core/tests/judge/few_pairs.rs`: the luck of 3, 5, 10 and 20 normal pairs was 1.5, 1.3, 1.15 and
/// 1.05 times the normal one.
const SKEWED: f64 = 1.5;

/// Bounds by ranks of more pairs than those of which the furthest is the bound come nearer to the center by this power
/// of their number. Simulated for 13 to 25 normal pairs, rounded to the safe side, and checked by the tests of
/// `pair_bounds.rs`.
const RANKS: f64 = 1.3;

/// The standard deviation from pair to pair (logarithm).
#[derive(Debug, Clone, Copy)]
pub(super) struct PairSpread {
    /// Of the pairs alone.
    own: f64,
    /// Pulled towards the prior.
    pub(super) deviation: f64,
}

impl PairSpread {
    /// Creates the spread of this many pairs with their `own` standard deviation, pulled towards that of processes
    /// which usually differ by `process_spread`.
    pub(super) fn of(own: f64, pairs: usize, process_spread: f64) -> Self {
        // A pair has two processes.
        let prior = process_spread * std::f64::consts::SQRT_2;
        let own_weight = pairs.max(1) as f64 - 1.0;
        let squares = PRIOR_WEIGHT * prior * prior + own_weight * own * own;
        Self { own, deviation: (squares / (PRIOR_WEIGHT + own_weight)).sqrt() }
    }

    /// Returns how far the center of that many similar pairs may lie from the truth, at `misrate` on each
    /// side.
    pub(super) fn margin(&self, pairs: usize, misrate: f64) -> f64 {
        margin_in_errors(pairs, misrate) * self.center_error(pairs)
    }

    /// Returns how far the truth must lie beyond a limit so that a bound of that many pairs at `misrate` is beyond it,
    /// too, in 99 of 100 cases: the center may be low, and the measured deviation large.
    pub(super) fn detectable(&self, pairs: usize, misrate: f64) -> f64 {
        let size = pairs.max(1) as f64;
        // A variance with n degrees of freedom has a standard deviation of the root of 2/n of it.
        let error_of_deviation =
            ((size - 1.0) / 2.0).sqrt() / (PRIOR_WEIGHT + size - 1.0) * self.own * self.own
                / self.deviation;
        let error_of_margin = margin_in_errors(pairs, misrate) * error_of_deviation;
        let luck = student_quantile(NORMAL, FOUND) * (1.0 + SKEWED / size);
        let bad_luck = luck * self.own.hypot(error_of_margin) * (CENTER / size).sqrt();
        let by_ranks = self.own * detectable_by_ranks(size, misrate);
        (self.margin(pairs, misrate) + bad_luck).max(by_ranks)
    }

    /// Standard deviation of the center of this many such pairs.
    fn center_error(&self, pairs: usize) -> f64 {
        self.deviation * (CENTER / pairs.max(1) as f64).sqrt()
    }
}

/// The margin of a bound at this misrate, in standard deviations of the center.
fn margin_in_errors(pairs: usize, misrate: f64) -> f64 {
    let freedom = PRIOR_WEIGHT + pairs.max(1) as f64 - 1.0;
    student_quantile(freedom, 1.0 - misrate)
}

/// How far the truth must lie beyond a limit so that the rank bound of this many pairs is beyond it in 99 of 100 cases,
/// in standard deviations of a pair.
fn detectable_by_ranks(size: f64, misrate: f64) -> f64 {
    // With fewer than these the furthest pair is the bound, so that all must be beyond the limit.
    let smallest_with_ranks = -misrate.log2();
    let furthest = student_quantile(NORMAL, FOUND.powf(1.0 / size));
    furthest * (smallest_with_ranks / size).min(1.0).powf(RANKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_that_agree_still_have_the_spread_of_the_prior() {
        let deviation = |pairs| PairSpread::of(0.0, pairs, 0.01).deviation;
        assert!((deviation(5) - 0.01).abs() < 1e-12);
        assert!((deviation(1) - 0.01 * std::f64::consts::SQRT_2).abs() < 1e-12);
        assert!(deviation(40) < 0.005);
    }

    #[test]
    fn more_pairs_detect_smaller_slowdowns() {
        let spread = PairSpread::of(0.014, 5, 0.01);
        let detectable = |pairs| spread.detectable(pairs, 0.000_3);
        assert!(detectable(3) > 1.4 * detectable(5) && detectable(5) > 2.0 * detectable(20));
        assert!(detectable(5) > spread.margin(5, 0.000_3));
    }
}
