//! Rank bounds of the center of one sample.
//!
//! Definition: the means of all pairs of values, each with itself too, sorted; the bounds leave a
//! margin of them out on each side, and the estimate is their median (Hodges and Lehmann 1963).
//! The margin is the conservative step of Wilcoxon's signed-rank distribution: how many pairs have
//! a mean below the true center when each rank 1 to n is below it or above with probability 1/2.
//!
//! Source: Tukey 1949; Hollander and Wolfe, "Nonparametric Statistical Methods". Behaviour:
//! assumes that the distribution is symmetric, so take the logarithms of times first. Breakdown
//! 29%, efficiency 95%. The distribution is exact up to 400 values, where the margin costs 15 ms,
//! and Edgeworth's expansion beyond; the pairs are selected and not built, 0.6 s for a million values.

use super::edgeworth::Edgeworth;
use super::pair_ranks::{mean_at, middle};
use super::rank_bounds::{RankStep, cumulate};
use crate::model::{Interval, Sample};

/// The largest sample whose conservative step comes from the exact distribution.
const MOST_EXACT: usize = 400;
/// The same for the published step: as many bits as `pragmastat` counts with.
const MOST_PUBLISHED_EXACT: usize = 63;
/// Beyond it the number of pairs is no whole number of 64 bits.
const MOST: usize = 1 << 31;

/// Estimate and bounds of the center, each bound missing with `misrate_per_side`; `None` when the
/// sample is too small for that misrate, which must be 2^-n at least.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{RankStep, center_bounds};
/// let sample = Sample::new((1..=20).map(f64::from).collect()).unwrap();
/// let bounds = center_bounds(&sample, 0.025, RankStep::Conservative).unwrap();
/// assert_eq!(bounds.estimate, 10.5);
/// assert!(bounds.lower > 7.0 && bounds.upper < 14.0);
/// assert!(center_bounds(&sample, 1e-7, RankStep::Conservative).is_none());
/// ```
pub fn center_bounds(sample: &Sample, misrate_per_side: f64, step: RankStep) -> Option<Interval> {
    let (sorted, size) = (sample.sorted(), sample.size() as u64);
    let last = size * (size + 1) / 2 - 1;
    let margin = signed_rank_margin(sample.size(), misrate_per_side, step)?.min(last / 2);
    Some(Interval {
        estimate: middle(last, |rank| mean_at(sorted, rank)),
        lower: mean_at(sorted, margin),
        upper: mean_at(sorted, last - margin),
    })
}

/// How many of the n (n + 1) / 2 pairs of `size` values may be left out on one side so that a
/// bound there misses with `misrate_per_side`; `None` if none may, or for more than 2^31 values.
///
/// The published step is the first one at or above the misrate up to 63 values, and beyond them, as
/// in `pragmastat`, the last one below it.
///
/// ```
/// use perftest_core::stats::{RankStep, signed_rank_margin};
/// assert_eq!(signed_rank_margin(5, 1.0 / 32.0, RankStep::Conservative), Some(0));
/// assert_eq!(signed_rank_margin(5, 0.9 / 32.0, RankStep::Conservative), None);
/// assert_eq!(signed_rank_margin(10, 0.005, RankStep::Conservative), Some(3));
/// assert_eq!(signed_rank_margin(10, 0.005, RankStep::Published), Some(4));
/// ```
pub fn signed_rank_margin(size: usize, misrate_per_side: f64, step: RankStep) -> Option<u64> {
    let most_exact = match step {
        RankStep::Conservative => MOST_EXACT,
        RankStep::Published => MOST_PUBLISHED_EXACT,
    };
    if size <= most_exact {
        let mut cumulated = rank_sum_shares(size);
        cumulate(&mut cumulated);
        return step.of(&cumulated, misrate_per_side).map(|margin| margin as u64);
    }
    let rarest = (-(size as f64)).exp2();
    if size > MOST || misrate_per_side < rarest {
        return None;
    }
    let pairs = (size as u64) * (size as u64 + 1) / 2;
    Some(Edgeworth::signed_ranks(size).last_below(misrate_per_side, pairs).unwrap_or(0))
}

/// P(W = w) for the sum W of ranks up to half of its largest value (it is symmetric).
fn rank_sum_shares(size: usize) -> Vec<f64> {
    let mut shares = vec![0.0; size * (size + 1) / 4 + 1];
    shares[0] = 1.0;
    for rank in 1..=size {
        // The rank is in the sum or not, each with probability 1/2.
        for sum in (0..shares.len()).rev() {
            let without = shares[sum];
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(without, with);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_small_case_are_the_hand_counted_ones() {
        // Ranks 1, 2, 3: sums 0, 1, 2, 3 (3 and 1 + 2) of eight ways.
        let counts: Vec<f64> = rank_sum_shares(3).iter().map(|share| share * 8.0).collect();
        assert_eq!(counts, [1.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn the_margin_never_misses_more_often_than_asked() {
        for size in [5, 9, 20, 64, 200] {
            for misrate in [0.05, 1e-2, 1e-3, 1e-4] {
                let shares = rank_sum_shares(size);
                match signed_rank_margin(size, misrate, RankStep::Conservative) {
                    None => assert!(shares[0] > misrate),
                    Some(margin) => {
                        let margin = margin as usize;
                        let missed: f64 = shares[..=margin].iter().sum();
                        assert!(missed <= misrate * 1.000_001, "{size} {misrate} {missed}");
                        let next: f64 = shares[..=margin + 1].iter().sum();
                        assert!(next > misrate, "{size} {misrate}: one more could be left out");
                    }
                }
            }
        }
    }

    #[test]
    fn one_value_has_bounds_only_for_a_coin() {
        let one = Sample::new(vec![3.0]).unwrap();
        assert_eq!(center_bounds(&one, 0.1, RankStep::Conservative), None);
        assert_eq!(center_bounds(&one, 0.5, RankStep::Conservative).unwrap().lower, 3.0);
    }

    #[test]
    fn the_expansion_goes_on_where_the_exact_distribution_ends() {
        for misrate in [0.05, 5e-3, 5e-4] {
            let mut cumulated = rank_sum_shares(MOST_EXACT + 1);
            cumulate(&mut cumulated);
            let exact = RankStep::Conservative.of(&cumulated, misrate).unwrap() as f64;
            let nearly =
                signed_rank_margin(MOST_EXACT + 1, misrate, RankStep::Conservative).unwrap();
            assert!((nearly as f64 - exact).abs() <= 1.0, "{misrate}: {nearly} {exact}");
        }
    }

    #[test]
    fn a_hundred_thousand_values_are_no_trouble() {
        let sample = Sample::new((0..100_000).map(|i| f64::from(i % 1_009)).collect()).unwrap();
        for step in [RankStep::Conservative, RankStep::Published] {
            let bounds = center_bounds(&sample, 0.0005, step).unwrap();
            assert!(bounds.lower > 499.0 && bounds.upper < 509.0, "{bounds:?}");
        }
    }
}
