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
//! misses up to twice as often as asked in small samples.

/// The margins of two samples by their sizes, one for each probability.
///
/// Exact for `n * m` up to some thousands, the sizes this crate uses. To build it costs
/// O(min(n, m) n m), and a margin next to nothing, so whoever asks twice keeps it.
///
/// ```
/// use perftest_core::stats::RankMargins;
/// // 30 and 3: one of 5456 orderings has U = 0.
/// let margins = RankMargins::of(30, 3);
/// assert_eq!(margins.at(1.0 / 5456.0), Some(0));
/// assert_eq!(margins.at(0.9 / 5456.0), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RankMargins {
    /// P(U <= k) for k up to half of n m.
    cumulated: Vec<f64>,
    /// Both sides may meet in the middle but never cross.
    most: usize,
}

impl RankMargins {
    /// The margins of samples of these sizes.
    pub fn of(n: usize, m: usize) -> Self {
        if n == 0 || m == 0 {
            return Self { cumulated: Vec::new(), most: 0 };
        }
        let mut sum = 0.0;
        let mut cumulated = ordering_shares(n, m);
        for share in &mut cumulated {
            sum += *share;
            *share = sum;
        }
        Self { cumulated, most: (n * m - 1) / 2 }
    }

    /// How many extreme differences may be left out on one side so that a bound at that rank
    /// misses with probability at most `misrate_per_side`. `None` if even the outermost
    /// difference misses more often: the samples are too small to say anything.
    pub fn at(&self, misrate_per_side: f64) -> Option<usize> {
        // One part in 10^12 for the rounding of the sum.
        let asked = misrate_per_side * (1.0 + 1e-12);
        let ranks = self.cumulated.partition_point(|cumulated| *cumulated <= asked);
        Some(ranks.checked_sub(1)?.min(self.most))
    }
}

/// P(U = k) for k up to half of n m (the distribution is symmetric).
pub(super) fn ordering_shares(n: usize, m: usize) -> Vec<f64> {
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
                match RankMargins::of(n, m).at(misrate) {
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
    fn nothing_has_no_margin() {
        assert_eq!(RankMargins::of(0, 5).at(0.5), None);
        assert_eq!(RankMargins::of(5, 0).at(0.5), None);
        assert_eq!(RankMargins::of(1, 1).at(0.5), Some(0));
    }

    #[test]
    fn five_runs_of_history_need_nine_values_for_one_in_a_thousand() {
        assert_eq!(RankMargins::of(5, 8).at(0.0005), None);
        assert_eq!(RankMargins::of(5, 9).at(0.0005), Some(0));
    }
}
