//! The conservative margin of two-sample rank bounds.
//!
//! Definition: with samples of sizes n and m of the same distribution, U counts the pairs in
//! which the first is larger. The margin u is the number of smallest (and largest) of the n m
//! pairwise differences that may be left out so that the interval still misses with at most the
//! asked probability on each side.
//!
//! Algorithm: the number of orderings with U = k is the coefficient of q^k in the Gaussian
//! binomial (n+m choose n), built factor by factor (Mann and Whitney 1947). The step is the last
//! lattice point at or below the probability; `pragmastat` takes the first at or above it, which
//! misses up to twice as often as asked in small samples. Where all orderings are too many to be
//! counted, Edgeworth's expansion takes over.

use super::edgeworth::Edgeworth;
use super::incomplete_beta::ln_gamma;
use super::rank_bounds::{RankStep, cumulate};

/// The most values whose published step comes from the exact distribution, as in `pragmastat`.
const MOST_PUBLISHED_EXACT: usize = 400;
/// Steps that may be spent on the exact distribution: a fifth of a second.
const MOST_EXACT_STEPS: f64 = 1e8;
/// Beyond it the number of pairs is no whole number of 64 bits.
const MOST: usize = 1 << 31;

/// How many of the n m differences of `n` and `m` values may be left out on one side so that a
/// bound there misses with `misrate_per_side`; `None` if none may, or for more than 2^31 values.
///
/// Beyond 400 values, the conservative step beyond some 450 of each sample, the distribution is
/// Edgeworth's expansion.
///
/// ```
/// use perftest_core::stats::{RankStep, pairwise_margin};
/// // At most one of 20 orderings of 3 and 3.
/// assert_eq!(pairwise_margin(3, 3, 0.07, RankStep::Conservative), Some(0));
/// assert_eq!(pairwise_margin(3, 3, 0.07, RankStep::Published), Some(1));
/// assert_eq!(pairwise_margin(3, 3, 0.04, RankStep::Published), None);
/// // 30 and 3: one of 5456 orderings has U = 0.
/// assert_eq!(pairwise_margin(30, 3, 1.0 / 5456.0, RankStep::Conservative), Some(0));
/// assert_eq!(pairwise_margin(30, 3, 0.9 / 5456.0, RankStep::Conservative), None);
/// ```
pub fn pairwise_margin(n: usize, m: usize, misrate_per_side: f64, step: RankStep) -> Option<u64> {
    if n == 0 || m == 0 {
        return None;
    }
    if is_exact(n, m, step) {
        return step.of(&cumulated_shares(n, m), misrate_per_side).map(|margin| margin as u64);
    }
    if n.max(m) > MOST || misrate_per_side < rarest_ordering(n, m) {
        return None;
    }
    let last = Edgeworth::mann_whitney(n, m).last_below(misrate_per_side, n as u64 * m as u64);
    Some(match step {
        RankStep::Conservative => last.unwrap_or(0),
        RankStep::Published => last.map_or(0, |last| last + 1),
    })
}

/// Returns the probability of one ordering of this many values.
fn rarest_ordering(n: usize, m: usize) -> f64 {
    let log = |count: usize| ln_gamma(count as f64 + 1.0);
    (log(n) + log(m) - log(n + m)).exp()
}

/// Whether all orderings of this many values are counted.
fn is_exact(n: usize, m: usize, step: RankStep) -> bool {
    match step {
        RankStep::Conservative => n.min(m) as f64 * n as f64 * m as f64 <= MOST_EXACT_STEPS,
        RankStep::Published => n.saturating_add(m) <= MOST_PUBLISHED_EXACT,
    }
}

/// P(U <= k) for k up to half of n m. It costs O(min(n, m) n m), and a margin from it next to nothing.
pub(super) fn cumulated_shares(n: usize, m: usize) -> Vec<f64> {
    let mut shares = ordering_shares(n, m);
    cumulate(&mut shares);
    shares
}

/// P(U = k) for k up to half of n m (the distribution is symmetric).
pub fn ordering_shares(n: usize, m: usize) -> Vec<f64> {
    let (small, large) = (n.min(m), n.max(m));
    let half = n * m / 2;
    let mut shares = vec![0.0; half + 1];
    shares[0] = 1.0;
    for step in 1..=small {
        // Times (1 - q^(large + step)), divided by (1 - q^step); scaled by step / (large + step)
        // so that the sum over all orderings stays 1.
        for k in (large + step..=half).rev() {
            shares[k] -= shares[k - large - step];
        }
        for k in step..=half {
            shares[k] += shares[k - step];
        }
        let scale = step as f64 / (large + step) as f64;
        shares.iter_mut().for_each(|share| *share *= scale);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_small_case_are_the_hand_counted_ones() {
        // 2 and 2: six orderings with U = 0, 1, 2, 2, 3, 4.
        let shares = ordering_shares(2, 2);
        let counts: Vec<f64> = shares.iter().map(|share| (share * 6.0).round()).collect();
        assert_eq!(counts, [1.0, 1.0, 2.0]);
    }

    fn margin(n: usize, m: usize, misrate: f64) -> Option<u64> {
        pairwise_margin(n, m, misrate, RankStep::Conservative)
    }

    #[test]
    fn the_margin_never_misses_more_often_than_asked() {
        for (n, m) in [(5, 9), (30, 3), (30, 40), (62, 2), (1, 200)] {
            for misrate in [0.05, 1e-2, 1e-3, 1e-4] {
                let shares = ordering_shares(n, m);
                match margin(n, m, misrate) {
                    None => assert!(shares[0] > misrate),
                    Some(margin) => {
                        let missed: f64 = shares[..=margin as usize].iter().sum();
                        assert!(missed <= misrate * 1.000_001, "{n} {m} {misrate} {missed}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_has_no_margin() {
        assert_eq!(margin(0, 5, 0.5), None);
        assert_eq!(margin(5, 0, 0.5), None);
        assert_eq!(margin(1, 1, 0.5), Some(0));
    }

    #[test]
    fn five_runs_of_history_need_nine_values_for_one_in_a_thousand() {
        assert_eq!(margin(5, 8, 0.0005), None);
        assert_eq!(margin(5, 9, 0.0005), Some(0));
    }

    #[test]
    fn the_expansion_goes_on_where_the_exact_distribution_ends() {
        for (n, m) in [(200, 201), (60, 345), (150, 300)] {
            for misrate in [0.05, 5e-3, 5e-4] {
                let exact = margin(n, m, misrate).unwrap() as f64;
                let last = Edgeworth::mann_whitney(n, m).last_below(misrate, (n * m) as u64);
                let nearly = last.unwrap() as f64;
                assert!((nearly - exact).abs() <= 1.0, "{n} {m} {misrate}: {nearly} {exact}");
            }
        }
    }

    #[test]
    fn a_million_values_have_margins_and_too_many_have_none() {
        for step in [RankStep::Conservative, RankStep::Published] {
            let margin = pairwise_margin(1_000_000, 1_000_000, 0.0005, step).unwrap() as f64;
            assert!((margin / 5e11 - 1.0).abs() < 0.01, "{margin}");
            assert_eq!(pairwise_margin(usize::MAX, usize::MAX, 0.5, step), None);
            assert_eq!(pairwise_margin(1, 1_000, 1e-4, step), None);
        }
    }
}
