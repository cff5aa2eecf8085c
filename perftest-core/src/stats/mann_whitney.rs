//! The conservative margin of two-sample rank bounds.
//!
//! Definition: with samples of sizes n and m of the same distribution, U counts the pairs in
//! which the first is larger. The margin u is the number of smallest (and largest) of the n m
//! pairwise differences that may be left out so that the interval still misses with at most the
//! asked probability on each side.
//!
//! Algorithm: the number of orderings with U = k is the coefficient of q^k in the Gaussian
//! binomial (n+m choose n), built factor by factor (Mann and Whitney 1947). The step is the
//! conservative one of `rank_bounds.rs`.

use super::rank_bounds::conservative_step;

/// How many extreme differences may be left out on one side so that a bound at that rank misses
/// with probability at most `misrate_per_side`. `None` if even the outermost difference misses
/// more often: the samples are too small to say anything.
///
/// Exact for `n * m` up to some thousands, the sizes this crate uses; cost O(min(n, m) n m).
///
/// ```
/// use perftest_core::stats::conservative_margin;
/// // 30 and 3: one of 5456 orderings has U = 0.
/// assert_eq!(conservative_margin(30, 3, 1.0 / 5456.0), Some(0));
/// assert_eq!(conservative_margin(30, 3, 0.9 / 5456.0), None);
/// ```
pub fn conservative_margin(n: usize, m: usize, misrate_per_side: f64) -> Option<usize> {
    if n == 0 || m == 0 {
        return None;
    }
    let margin = conservative_step(&ordering_shares(n, m), misrate_per_side);
    // Both sides may meet in the middle but never cross.
    margin.map(|margin| margin.min((n * m - 1) / 2))
}

/// P(U = k) for k up to half of n m (the distribution is symmetric).
fn ordering_shares(n: usize, m: usize) -> Vec<f64> {
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

    #[test]
    fn the_margin_never_misses_more_often_than_asked() {
        for (n, m) in [(5, 9), (30, 3), (30, 40), (62, 2), (1, 200)] {
            for misrate in [0.05, 1e-2, 1e-3, 1e-4] {
                let shares = ordering_shares(n, m);
                match conservative_margin(n, m, misrate) {
                    None => assert!(shares[0] > misrate),
                    Some(margin) => {
                        let missed: f64 = shares[..=margin].iter().sum();
                        assert!(missed <= misrate * 1.000_001, "{n} {m} {misrate} {missed}");
                    }
                }
            }
        }
    }

    #[test]
    fn five_runs_of_history_need_nine_values_for_one_in_a_thousand() {
        assert_eq!(conservative_margin(5, 8, 0.0005), None);
        assert_eq!(conservative_margin(5, 9, 0.0005), Some(0));
    }
}
