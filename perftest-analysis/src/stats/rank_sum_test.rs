//! The test of Mann, Whitney and Wilcoxon: which of two samples has the larger values.
//!
//! Definition: U counts the pairs in which the first sample's value is larger, a tie as one half.
//! Exact up to 50 values a sample without ties and up to 25 with ties: every choice of as many of the
//! pooled mid-ranks is equally likely. Beyond, U is taken as normal, with the corrections for ties and
//! for continuity.
//!
//! Source: Mann and Whitney (1947); Klotz (1966) for ties; the sizes are those of Go's `benchmath`.
//! Behaviour: needs no distribution, and detects neither the size of a shift nor a change of spread.
//! Two-sided is twice the smaller tail. With ties the distribution of U is not symmetric, and
//! [`mirrored`](RankSumTest::mirrored), what Go's tools print, is not that: it can be 0.

use perftest_core::model::Sample;
use perftest_core::stats::{normal_upper_tail, ordering_shares};

const EXACT_UPTO: usize = 50;
const EXACT_WITH_TIES_UPTO: usize = 25;

/// The result of the test for a first and a second sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSumTest {
    /// Number of pairs in which the first is larger, ties as one half.
    pub u: f64,
    /// Probability of a U as small where both are alike.
    pub less: f64,
    /// Probability of a U as large where both are alike.
    pub greater: f64,
    /// Twice the smaller of both, at most 1.
    pub two_sided: f64,
    /// Twice the probability of at most the smaller of U and the number of pairs less U: the same
    /// without ties.
    pub mirrored: f64,
}

impl RankSumTest {
    /// Compares two samples; `None` where all values are equal.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_analysis::stats::RankSumTest;
    /// let sample = |values: [f64; 4]| Sample::new(values.to_vec()).unwrap();
    /// let test = RankSumTest::of(&sample([2.0, 1.0, 3.0, 5.0]), &sample([0.0, 4.0, 6.0, 7.0]));
    /// let test = test.unwrap();
    /// assert_eq!(test.u, 5.0);
    /// assert!((test.two_sided - 34.0 / 70.0).abs() < 1e-12);
    /// ```
    pub fn of(one: &Sample, other: &Sample) -> Option<Self> {
        let pool = RankedPool::of(one, other);
        let upto = if pool.has_ties() { EXACT_WITH_TIES_UPTO } else { EXACT_UPTO };
        if pool.ties.len() == 1 {
            None
        } else if one.size().max(other.size()) <= upto {
            Some(pool.exact())
        } else {
            Some(pool.approximate())
        }
    }
}

/// Both samples, sorted together.
struct RankedPool {
    one: usize,
    other: usize,
    /// Numbers of equal values, from the smallest value up.
    ties: Vec<usize>,
    /// Twice U.
    twice_u: usize,
}

impl RankedPool {
    fn of(one: &Sample, other: &Sample) -> Self {
        let mut ties = Vec::new();
        let mut twice_rank_sum = 0;
        let (mut ones, mut others) = (one.sorted(), other.sorted());
        let mut before = 0;
        while let Some(value) = smaller(ones.first(), others.first()) {
            let (in_one, in_other) = (take(&mut ones, value), take(&mut others, value));
            let tied = in_one + in_other;
            twice_rank_sum += in_one * (2 * before + tied + 1);
            before += tied;
            ties.push(tied);
        }
        let (one, other) = (one.size(), other.size());
        Self { one, other, ties, twice_u: twice_rank_sum - one * (one + 1) }
    }

    fn has_ties(&self) -> bool {
        self.ties.len() < self.one + self.other
    }

    fn twice_pairs(&self) -> usize {
        2 * self.one * self.other
    }

    fn exact(&self) -> RankSumTest {
        let shares = self.shares();
        let upto = |twice_u: usize| shares[..=twice_u].iter().sum::<f64>().min(1.0);
        let (less, greater) = (upto(self.twice_u), shares[self.twice_u..].iter().sum::<f64>());
        let mirror = self.twice_pairs() - self.twice_u;
        let mirrored = match self.twice_u == mirror {
            true => 1.0,
            false => 2.0 * upto(self.twice_u.min(mirror)),
        };
        self.test(less, greater.min(1.0), mirrored)
    }

    fn approximate(&self) -> RankSumTest {
        let (one, other) = (self.one as f64, self.other as f64);
        let size = one + other;
        let tied: f64 = self.ties.iter().map(|tied| *tied as f64).map(|t| t * t * t - t).sum();
        let deviation = (one * other / 12.0 * (size + 1.0 - tied / (size * (size - 1.0)))).sqrt();
        let distance = (self.twice_u as f64 - one * other) / 2.0;
        let above = |distance: f64| normal_upper_tail(distance / deviation);
        let nearest = (distance.abs() - 0.5).max(0.0);
        self.test(above(-distance - 0.5), above(distance - 0.5), 2.0 * above(nearest))
    }

    fn test(&self, less: f64, greater: f64, mirrored: f64) -> RankSumTest {
        RankSumTest {
            u: self.twice_u as f64 / 2.0,
            less,
            greater,
            two_sided: (2.0 * less.min(greater)).min(1.0),
            mirrored: mirrored.min(1.0),
        }
    }

    /// Returns the share of each value of twice U, from 0 on.
    fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.twice_pairs() + 1];
        if self.has_ties() {
            let chosen = self.choices();
            let all: f64 = chosen.iter().sum();
            let least = self.one * (self.one + 1);
            let reachable = shares.iter_mut().zip(chosen.iter().skip(least));
            reachable.for_each(|(share, ways)| *share = ways / all);
        } else {
            let half = ordering_shares(self.one, self.other);
            let last = self.twice_pairs();
            for (u, share) in half.into_iter().enumerate() {
                shares[2 * u] = share;
                shares[last - 2 * u] = share;
            }
        }
        shares
    }

    /// Returns the number of ways to choose the first sample's values, by twice the sum of their
    /// ranks.
    fn choices(&self) -> Vec<f64> {
        let largest = self.twice_pairs() + self.one * (self.one + 1);
        let mut ways = vec![vec![0.0; largest + 1]; self.one + 1];
        ways[0][0] = 1.0;
        let mut before = 0;
        for tied in &self.ties {
            let rank = 2 * before + tied + 1;
            (0..*tied).for_each(|_| offer(&mut ways, rank));
            before += tied;
        }
        ways.swap_remove(self.one)
    }
}

/// Adds one more value of this rank, which is chosen or not.
fn offer(ways: &mut [Vec<f64>], rank: usize) {
    for chosen in (1..ways.len()).rev() {
        let (without, with) = ways.split_at_mut(chosen);
        let (without, with) = (&without[chosen - 1], &mut with[0]);
        with.iter_mut().skip(rank).zip(without).for_each(|(with, without)| *with += without);
    }
}

fn smaller(one: Option<&f64>, other: Option<&f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(*other)),
        (one, other) => one.or(other).copied(),
    }
}

/// Removes the values equal to `value` from the front, and returns their number.
fn take(sorted: &mut &[f64], value: f64) -> usize {
    let equal = sorted.iter().take_while(|next| **next == value).count();
    *sorted = &sorted[equal..];
    equal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(one: &[f64], other: &[f64]) -> Option<RankSumTest> {
        RankSumTest::of(&Sample::new(one.to_vec()).unwrap(), &Sample::new(other.to_vec()).unwrap())
    }

    #[test]
    fn equal_values_are_no_evidence() {
        assert_eq!(test(&[2.0; 4], &[2.0; 4]), None);
        assert_eq!(test(&[0.0; 60], &[-0.0; 60]), None);
    }

    #[test]
    fn ties_are_counted_as_all_ways_to_choose_say() {
        // Ranks 1, 4 five times, 7, 8: by hand, 25 of 70 choices have U at most 6, and as many at
        // least 10.
        let tied = test(&[2.0, 1.0, 3.0, 5.0], &[2.0; 4]).unwrap();
        assert_eq!(tied.u, 10.0);
        assert!((tied.greater - 25.0 / 70.0).abs() < 1e-12);
        assert!((tied.mirrored - 50.0 / 70.0).abs() < 1e-12);
    }

    #[test]
    fn the_mirrored_tail_of_ties_can_be_empty_and_the_two_sided_one_is_not() {
        // Six of the nine share the lowest rank: U is 17.5 in 6 of 126 ways, and never below 4.
        let tied = test(&[2.0, 1.0, 3.0, 5.0], &[1.0; 5]).unwrap();
        assert_eq!((tied.u, tied.less, tied.mirrored), (17.5, 1.0, 0.0));
        assert!((tied.greater - 6.0 / 126.0).abs() < 1e-12);
        assert!((tied.two_sided - 12.0 / 126.0).abs() < 1e-12);
    }

    #[test]
    fn counted_ties_and_orderings_agree_where_there_are_none() {
        let one = [1.0, 4.0, 6.0, 11.0, 12.0];
        let other = [2.0, 3.0, 5.0, 8.0, 9.0, 10.0, 15.0];
        let pool = RankedPool::of(
            &Sample::new(one.to_vec()).unwrap(),
            &Sample::new(other.to_vec()).unwrap(),
        );
        let chosen = pool.choices();
        let all: f64 = chosen.iter().sum();
        for (twice_u, share) in pool.shares().into_iter().enumerate() {
            let counted = chosen[twice_u + 5 * 6] / all;
            assert!((share - counted).abs() < 1e-12, "{twice_u}");
        }
    }

    #[test]
    fn the_exact_and_the_normal_answer_meet_at_the_seam() {
        let one: Vec<f64> = (0..50).map(|i| f64::from(i * 7 % 101)).collect();
        let other: Vec<f64> = (0..50).map(|i| f64::from(i * 11 % 103) + 9.5).collect();
        let pool = RankedPool::of(&Sample::new(one).unwrap(), &Sample::new(other).unwrap());
        let (exact, near) = (pool.exact(), pool.approximate());
        assert!((exact.less - near.less).abs() < 2e-3, "{exact:?} {near:?}");
        assert!((exact.two_sided - near.two_sided).abs() < 4e-3, "{exact:?} {near:?}");
    }
}
