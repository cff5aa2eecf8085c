//! E-divisive as MongoDB runs it: the best cut of all, while shuffling does not do as well.
//!
//! Definition: of all cuts of all segments the one with the largest energy statistic t of its two
//! sides (the first of equals) is the candidate. All segments are then shuffled inside themselves
//! `permutations` times; p = shuffles whose best cut has at least the candidate's t /
//! (permutations + 1). While p is at most `max_pvalue` the candidate is a change, and the search goes
//! on.
//!
//! Source: Matteson and James, arXiv 1306.4933, in the form of MongoDB's
//! signal-processing-algorithms (2025), in own words. Behaviour: detects changes of shape as well as of
//! level; takes values for independent, so a slow drift or a correlated series is cut again and again;
//! one far value can carry a cut; two changes that cancel each other hide. With a given seed the answer
//! is always the same; a p near the limit is another with another seed.
//! Cost: distances are summed through ranks (Fenwick), so that a shuffle costs n log n and not n^2;
//! [`EDivisive::MOST_SHUFFLED`] holds a candidate below a second or so, and all of them some ten.

use super::too_long::Budget;
use super::{EnergyStatistics, TooLong};
use perftest_core::stats::Random;

/// The limit of p and the number of shuffles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EDivisive {
    /// The largest p of a change: 0.05.
    pub max_pvalue: f64,
    /// Shuffles for each candidate: 100.
    pub permutations: usize,
}

impl Default for EDivisive {
    fn default() -> Self {
        Self { max_pvalue: 0.05, permutations: 100 }
    }
}

impl EDivisive {
    /// At most so many points times shuffles for one candidate.
    pub const MOST_SHUFFLED: usize = 2_000_000;
    /// And for all.
    const MOST_SHUFFLED_IN_ALL: usize = 100_000_000;

    /// Indices of the first point after each change, ascending, of finite values.
    ///
    /// # Errors
    ///
    /// Points times shuffles are more than [`Self::MOST_SHUFFLED`], or there are so many changes that
    /// they are fifty times that.
    ///
    /// ```
    /// use perftest_conformance::detect::EDivisive;
    /// use perftest_core::stats::Random;
    /// let series: Vec<f64> = [50.0; 15].into_iter().chain([100.0; 15]).collect();
    /// let changes = EDivisive::default().change_points(&series, &mut Random::new(1));
    /// assert_eq!(changes, Ok(vec![15]));
    /// ```
    pub fn change_points(
        &self,
        series: &[f64],
        random: &mut Random,
    ) -> Result<Vec<usize>, TooLong> {
        let most = Self::MOST_SHUFFLED / self.permutations.max(1);
        TooLong::check("E-divisive with that many permutations", series.len(), most)?;
        let mut budget = Budget::new("E-divisive", series.len(), Self::MOST_SHUFFLED_IN_ALL);
        let round = series.len() * self.permutations.max(1);
        let mut segments = Vec::from([Segment::of(0, series)]);
        while let Some(widest) = self.significant(&segments, random) {
            budget.spend(round)?;
            let Segment { start, best: (cut, _), .. } = segments[widest];
            let end = segments.get(widest + 1).map_or(series.len(), |next| next.start);
            let parts = [start..start + cut, start + cut..end];
            let parts = parts.map(|part| Segment::of(part.start, &series[part]));
            segments.splice(widest..=widest, parts);
        }
        Ok(segments.iter().skip(1).map(|segment| segment.start).collect())
    }

    /// The segment with the best cut, if shuffling hardly ever does as well.
    fn significant(&self, segments: &[Segment], random: &mut Random) -> Option<usize> {
        let best = segments.iter().map(|segment| segment.best.1).fold(0.0, f64::max);
        let widest = segments.iter().position(|segment| segment.best.1 == best)?;
        if segments[widest].best.0 == 0 {
            return None;
        }
        let mut orders: Vec<Vec<usize>> =
            segments.iter().map(|segment| (0..segment.ranks.len()).collect()).collect();
        let mut as_good = 0;
        for _ in 0..self.permutations {
            let mut shuffled = std::iter::zip(segments, &mut orders).map(|(segment, order)| {
                random.shuffle(order);
                segment.best_cut(order).1
            });
            as_good += usize::from(shuffled.any(|t| t >= best));
            if as_good as f64 / (self.permutations + 1) as f64 > self.max_pvalue {
                return None;
            }
        }
        Some(widest)
    }
}

/// A part of a series without a change inside.
struct Segment {
    /// Index of its first point.
    start: usize,
    /// The values, less one of them: sums of distances do not need their level.
    values: Vec<f64>,
    /// Rank of each value, from 0; equal values share the lowest.
    ranks: Vec<usize>,
    /// The summed distances of each value to all others.
    distances: Vec<f64>,
    /// The first point after its best cut, counted from its start, and the t of the cut.
    best: (usize, f64),
}

impl Segment {
    fn of(start: usize, series: &[f64]) -> Self {
        let level = series.first().copied().unwrap_or(0.0);
        let values: Vec<f64> = series.iter().map(|value| value - level).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let rank = |value: &f64| sorted.partition_point(|it| it.total_cmp(value).is_lt());
        let ranks: Vec<usize> = values.iter().map(rank).collect();
        let mut all = Ranks::of(values.len());
        std::iter::zip(&ranks, &values).for_each(|(rank, value)| all.add(*rank, *value));
        let distances = std::iter::zip(&ranks, &values);
        let distances = distances.map(|(rank, value)| all.distances(*rank, *value)).collect();
        let mut segment = Self { start, values, ranks, distances, best: (0, 0.0) };
        let order: Vec<usize> = (0..series.len()).collect();
        segment.best = segment.best_cut(&order);
        segment
    }

    /// The best cut, and its t, of the values in this order; (0, 0) where no cut parts anything.
    fn best_cut(&self, order: &[usize]) -> (usize, f64) {
        let count = order.len();
        let (mut within_left, mut across) = (0.0, 0.0);
        let mut within_right = self.distances.iter().sum::<f64>() / 2.0;
        let mut left = Ranks::of(count);
        let mut best = (0, 0.0);
        for (before, &moved) in order.iter().enumerate() {
            if before > 0 {
                let sums = [within_left, within_right, across];
                let t = EnergyStatistics::from_sums(sums, before, count - before).t;
                if t > best.1 {
                    best = (before, t);
                }
            }
            // The value goes from the right side to the left one.
            let to_left = left.distances(self.ranks[moved], self.values[moved]);
            let to_right = self.distances[moved] - to_left;
            within_left += to_left;
            within_right -= to_right;
            across += to_right - to_left;
            left.add(self.ranks[moved], self.values[moved]);
        }
        best
    }
}

/// How many values of each rank and below there are, and their sums (two Fenwick trees).
struct Ranks {
    tree: Vec<(f64, f64)>,
    all: (f64, f64),
}

impl Ranks {
    fn of(ranks: usize) -> Self {
        Self { tree: vec![(0.0, 0.0); ranks + 1], all: (0.0, 0.0) }
    }

    fn add(&mut self, rank: usize, value: f64) {
        self.all = (self.all.0 + 1.0, self.all.1 + value);
        let mut node = rank + 1;
        while node < self.tree.len() {
            self.tree[node].0 += 1.0;
            self.tree[node].1 += value;
            node += node & node.wrapping_neg();
        }
    }

    /// The summed distances of `value` to all that were added.
    fn distances(&self, rank: usize, value: f64) -> f64 {
        let (mut count, mut sum) = (0.0, 0.0);
        let mut node = rank + 1;
        while node > 0 {
            count += self.tree[node].0;
            sum += self.tree[node].1;
            node -= node & node.wrapping_neg();
        }
        let above = (self.all.0 - count, self.all.1 - sum);
        (value * count - sum) + (above.1 - value * above.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::scattered::scattered;

    fn changes(series: &[f64], seed: u64) -> Vec<usize> {
        let strict = EDivisive { max_pvalue: 0.01, permutations: 100 };
        strict.change_points(series, &mut Random::new(seed)).unwrap()
    }

    fn levels(levels: &[(usize, f64)], noise: f64) -> Vec<f64> {
        scattered(levels, noise, 5)
    }

    #[test]
    fn the_cut_is_that_of_all_pairs() {
        let series = levels(&[(9, 1.0), (8, 1.3), (3, 2.0)], 0.4);
        let t = |cut: usize| EnergyStatistics::of(&series[..cut], &series[cut..]).unwrap().t;
        let best = (1..series.len()).max_by(|a, b| t(*a).total_cmp(&t(*b))).unwrap();
        let (cut, found) = Segment::of(0, &series).best;
        assert_eq!(cut, best);
        assert!((found - t(best)).abs() < 1e-12);
    }

    #[test]
    fn clear_steps_are_found_whatever_the_seed() {
        let series = levels(&[(30, 10.0), (40, 11.0), (25, 10.3)], 0.2);
        for seed in 0..5 {
            assert_eq!(changes(&series, seed), [30, 70]);
        }
    }

    #[test]
    fn noise_is_rarely_cut() {
        let mut random = Random::new(9);
        let alarms = (0..60).filter(|seed| {
            let noise: Vec<f64> = (0..60).map(|_| random.between(0.0, 1.0)).collect();
            !changes(&noise, *seed).is_empty()
        });
        assert!(alarms.count() <= 4);
    }

    #[test]
    fn nothing_one_point_and_constants_have_no_change() {
        for series in [vec![], vec![4.0], vec![4.0; 50]] {
            assert!(changes(&series, 1).is_empty());
        }
    }

    #[test]
    fn a_series_that_is_too_long_is_refused() {
        let refused = EDivisive::default().change_points(&vec![0.0; 20_001], &mut Random::new(1));
        assert!(refused.unwrap_err().to_string().contains("at most 20000 points"));
    }

    #[test]
    fn a_limit_that_lets_everything_pass_ends_all_the_same() {
        let all = EDivisive { max_pvalue: 1.0, permutations: 1 };
        let series = levels(&[(60, 1.0)], 1.0);
        assert!(all.change_points(&series, &mut Random::new(1)).unwrap().len() > 30);
    }
}
