//! The k-th smallest value of any stretch of a series, without sorting the stretch.
//!
//! Definition: the values are replaced by their ranks among the distinct values, and the bits of the
//! ranks are kept level by level, the highest first, each level in the order in which the one above
//! left the values: those with a 0 first, then those with a 1, both in their old order (a wavelet
//! matrix). The stretch stays a stretch on every level, and the number of its values with a 0 gives
//! the side of the k-th smallest. Source: Claude and Navarro, "The wavelet matrix" (2012); the
//! queries are those of Gagie, Puglisi and Turpin (2009), under the name of Perfolizer's reference
//! cases.
//!
//! Behaviour: exact, an answer is one of the values. Building takes O(n log n) time and 4 n bytes for
//! each of the log2(distinct values) levels; a query two look-ups a level.

use perftest_core::model::Sample;
use std::ops::Range;

/// A series, ready for questions about its stretches.
#[derive(Debug, Clone)]
pub struct RangeQuantiles {
    /// The distinct values in ascending order; a rank is an index into them.
    distinct: Vec<f64>,
    levels: Vec<RankBit>,
    size: usize,
}

impl RangeQuantiles {
    /// Prepares the values of a series, in their order of measurement.
    pub fn new(series: &Sample) -> Self {
        let mut distinct = series.sorted().to_vec();
        // Minus zero is zero.
        distinct.dedup_by(|a, b| a == b);
        let rank = |value: &f64| distinct.partition_point(|known| known < value) as u32;
        let mut ranks: Vec<u32> = series.values().iter().map(rank).collect();
        let bits = usize::BITS - (distinct.len() - 1).leading_zeros();
        let levels = (0..bits).rev().map(|bit| RankBit::parted(&mut ranks, bit)).collect();
        Self { distinct, levels, size: series.size() }
    }

    /// The value with `k` values of the stretch before it in ascending order; `None` where the
    /// stretch has no more than `k` values or does not lie in the series.
    ///
    /// ```
    /// use perftest_analysis::detect::RangeQuantiles;
    /// use perftest_core::model::Sample;
    /// let series = Sample::new(vec![6.0, 2.0, 0.0, 7.0, 9.0, 3.0, 1.0]).unwrap();
    /// let quantiles = RangeQuantiles::new(&series);
    /// assert_eq!(quantiles.select(1..5, 0), Some(0.0));
    /// assert_eq!(quantiles.select(1..5, 3), Some(9.0));
    /// assert_eq!(quantiles.select(1..5, 4), None);
    /// ```
    pub fn select(&self, stretch: Range<usize>, k: usize) -> Option<f64> {
        let is_inside = stretch.end <= self.size && stretch.start < stretch.end;
        (is_inside && k < stretch.end - stretch.start).then(|| self.selected(stretch, k))
    }

    /// As [`select`](Self::select), for a stretch that is inside and has more than `k` values.
    pub(super) fn selected(&self, stretch: Range<usize>, k: usize) -> f64 {
        let (mut from, mut to, mut k, mut rank) = (stretch.start, stretch.end, k, 0);
        for level in &self.levels {
            let (ones_from, ones_to) = (level.ones_before(from), level.ones_before(to));
            let zeros = (to - from) - (ones_to - ones_from);
            rank *= 2;
            if k < zeros {
                (from, to) = (from - ones_from, to - ones_to);
            } else {
                (from, to) = (level.zeros + ones_from, level.zeros + ones_to);
                k -= zeros;
                rank += 1;
            }
        }
        self.distinct[rank]
    }

    /// How many distinct values are below `value`.
    pub(super) fn distinct_below(&self, value: f64) -> usize {
        self.distinct.partition_point(|known| *known < value)
    }

    /// How many distinct values are at most `value`.
    pub(super) fn distinct_upto(&self, value: f64) -> usize {
        self.distinct.partition_point(|known| *known <= value)
    }

    /// How many values of a stretch that is inside are among the first `distinct` distinct ones.
    pub(super) fn count(&self, stretch: Range<usize>, distinct: usize) -> usize {
        if distinct == self.distinct.len() {
            return stretch.end - stretch.start;
        }
        let (mut from, mut to, mut below) = (stretch.start, stretch.end, 0);
        for (index, level) in self.levels.iter().enumerate() {
            if from == to {
                break;
            }
            let (ones_from, ones_to) = (level.ones_before(from), level.ones_before(to));
            let is_one = distinct >> (self.levels.len() - 1 - index) & 1 == 1;
            if is_one {
                below += (to - from) - (ones_to - ones_from);
                (from, to) = (level.zeros + ones_from, level.zeros + ones_to);
            } else {
                (from, to) = (from - ones_from, to - ones_to);
            }
        }
        below
    }
}

/// One bit of every rank.
#[derive(Debug, Clone)]
struct RankBit {
    /// By index: the number of ones among all bits before; one more entry than there are bits.
    /// Counts of whole words would need less room and an instruction not every processor has.
    ones_before: Vec<u32>,
    /// Number of values whose bit is 0.
    zeros: usize,
}

impl RankBit {
    /// The level of a bit; leaves the ranks in the order of the next level.
    fn parted(ranks: &mut [u32], bit: u32) -> Self {
        let is_one = |rank: &u32| rank >> bit & 1 == 1;
        let mut ones_before = Vec::with_capacity(ranks.len() + 1);
        let mut ones = 0;
        ones_before.push(ones);
        for rank in &*ranks {
            ones += u32::from(is_one(rank));
            ones_before.push(ones);
        }
        // Stable: equal bits stay in their order.
        ranks.sort_by_key(is_one);
        Self { ones_before, zeros: ranks.len() - ones as usize }
    }

    fn ones_before(&self, index: usize) -> usize {
        self.ones_before[index] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::Random;

    fn assert_every_stretch(values: Vec<f64>) {
        let series = Sample::new(values).unwrap();
        let quantiles = RangeQuantiles::new(&series);
        for from in 0..series.size() {
            for to in from + 1..=series.size() {
                let mut sorted = series.values()[from..to].to_vec();
                sorted.sort_unstable_by(f64::total_cmp);
                for (k, value) in sorted.iter().enumerate() {
                    assert_eq!(quantiles.select(from..to, k), Some(*value), "{from}..{to}, {k}");
                    let below = sorted.partition_point(|other| other < value);
                    assert_eq!(quantiles.count(from..to, quantiles.distinct_below(*value)), below);
                    let upto = sorted.partition_point(|other| other <= value);
                    assert_eq!(quantiles.count(from..to, quantiles.distinct_upto(*value)), upto);
                }
                assert_eq!(quantiles.select(from..to, to - from), None);
            }
        }
    }

    #[test]
    fn every_stretch_is_answered_as_if_it_were_sorted() {
        let mut random = Random::new(1);
        for distinct in [1, 2, 3, 8, 1_000] {
            assert_every_stretch((0..70).map(|_| random.below(distinct) as f64 - 3.0).collect());
        }
    }

    #[test]
    fn the_last_value_counts_whatever_the_length() {
        assert_every_stretch((0..64).map(f64::from).collect());
        assert_every_stretch((0..65).rev().map(f64::from).collect());
    }

    #[test]
    fn a_stretch_outside_the_series_has_no_value() {
        let quantiles = RangeQuantiles::new(&Sample::new(vec![1.0, 2.0]).unwrap());
        for stretch in [0..3, 2..2, Range { start: 2, end: 1 }, 3..4] {
            assert_eq!(quantiles.select(stretch, 0), None);
        }
    }

    #[test]
    fn both_zeros_are_one_value() {
        let quantiles = RangeQuantiles::new(&Sample::new(vec![0.0, -0.0, 1.0]).unwrap());
        assert_eq!((quantiles.distinct_below(0.0), quantiles.distinct_upto(-0.0)), (0, 1));
        assert_eq!(quantiles.count(0..3, 1), 2);
    }
}
