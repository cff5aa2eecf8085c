//! The levels that together explain a stretch of a history that no single step explains.
//!
//! Definition: of all partitions into levels of a fewest size, the one with the least sum of squared
//! distances from the means of its levels plus a price for each step (optimal partitioning). The price is what a step
//! needs, in variances of the noise; the noise is half of the mean squared difference of neighbours at
//! first, and then what the partition so found leaves. Two conditions remain: all steps together have
//! as much support as so many steps need, and what is left depends little on its neighbour.
//!
//! Source: Jackson et al., "An algorithm for optimal partitioning of data on an interval" (2005), with the
//! pruning of Killick, Fearnhead and Eckley (2012); both conditions are our own. Behaviour: levels that go up and
//! down in turn, of which the middle of the history explains nothing, are found all at once. Drifts
//! and values that remember leave what depends on its neighbour, and have no levels.
//!
//! Cost: O(n) where neighbours differ as much as all values do, which is so where nothing changes; else up to O(n^2).

use super::stretch_sums::{StretchSums, fences};

/// The largest first autocorrelation of the residuals. A convention: more is a drift, or values that remember.
const MOST_MEMORY: f64 = 0.25;
/// The smallest share of the squared distances from the mean that levels must explain. A convention.
const LEAST_EXPLAINED: f64 = 0.2;
/// How often the noise is estimated again. A convention.
const PASSES: usize = 3;

/// Returns the first index of each level after the first one; empty if one level is enough.
///
/// `reach` sets the fences, no level has fewer than `fewest` values, and each step needs `price`
/// support.
pub(super) fn partition(values: &[f64], reach: f64, fewest: usize, price: f64) -> Vec<usize> {
    if values.len() < 3 * fewest {
        return Vec::new();
    }
    let [low, high] = fences(values, reach);
    let values: Vec<f64> = values.iter().map(|value| value.clamp(low, high)).collect();
    let search = PartitionSearch::new(&values, fewest);
    let mut noise = half_of_differences(&values);
    if noise > (1.0 - LEAST_EXPLAINED) * search.cost(0, values.len()) / values.len() as f64 {
        return Vec::new();
    }
    let mut steps = Vec::new();
    for _ in 0..PASSES {
        let found = search.best(price * noise);
        if found == steps {
            break;
        }
        noise = search.left(&found) / values.len() as f64;
        steps = found;
    }
    let explained = search.cost(0, values.len()) - search.left(&steps);
    let support = StretchSums::of(&values, f64::INFINITY).support(explained);
    let is_enough = support > price * steps.len() as f64 && search.memory(&steps) < MOST_MEMORY;
    if is_enough { steps } else { Vec::new() }
}

/// Half of the mean squared difference of neighbours: the variance of independent noise.
fn half_of_differences(values: &[f64]) -> f64 {
    let squares: f64 = values.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    squares / (2 * (values.len() - 1)) as f64
}

/// Sums over the values for the search.
struct PartitionSearch {
    /// The distances from the mean: subtracting it loses no relevant digit.
    distances: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    fewest: usize,
}

impl PartitionSearch {
    fn new(values: &[f64], fewest: usize) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let distances: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        for (index, distance) in distances.iter().enumerate() {
            sums.push(sums[index] + distance);
            squares.push(squares[index] + distance * distance);
        }
        Self { distances, sums, squares, fewest }
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.sums[to] - self.sums[from]) / (to - from) as f64
    }

    /// Squared distances from the mean of a level.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let sum = self.sums[to] - self.sums[from];
        (self.squares[to] - self.squares[from] - sum * sum / (to - from) as f64).max(0.0)
    }

    /// Returns the steps of the partition with the least cost, if each step costs `price`.
    fn best(&self, price: f64) -> Vec<usize> {
        let size = self.distances.len();
        let mut least = vec![f64::INFINITY; size + 1];
        let mut begin = vec![0; size + 1];
        least[0] = -price;
        let mut open: Vec<usize> = vec![0];
        for end in self.fewest..=size {
            if end >= 2 * self.fewest {
                // A level can now begin there: a worse candidate stays worse, even without the
                // price of that step.
                let step = end - self.fewest;
                open.retain(|from| {
                    step < from + self.fewest
                        || least[*from] + self.cost(*from, step) <= least[step]
                });
                open.push(step);
            }
            for &from in &open {
                let total = least[from] + self.cost(from, end) + price;
                if total < least[end] {
                    (least[end], begin[end]) = (total, from);
                }
            }
        }
        let mut steps = Vec::new();
        let mut end = begin[size];
        while end > 0 {
            steps.push(end);
            end = begin[end];
        }
        steps.reverse();
        steps
    }

    fn levels(&self, steps: &[usize]) -> Vec<(usize, usize)> {
        let starts = [&[0], steps].concat();
        let ends = [steps, &[self.distances.len()]].concat();
        starts.into_iter().zip(ends).collect()
    }

    /// Returns the squared distances from the means of the levels.
    fn left(&self, steps: &[usize]) -> f64 {
        self.levels(steps).iter().map(|(from, to)| self.cost(*from, *to)).sum()
    }

    /// Returns the first autocorrelation of the residuals.
    fn memory(&self, steps: &[usize]) -> f64 {
        let mut along = 0.0;
        for (from, to) in self.levels(steps) {
            let mean = self.mean(from, to);
            let pairs = self.distances[from..to].windows(2);
            along += pairs.map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>();
        }
        let left = self.left(steps);
        if left > 0.0 { along / left } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::normal;
    use perftest_core::stats::Random;

    /// Returns independent noise of deviation 1.
    fn noise(size: usize) -> Vec<f64> {
        let mut random = Random::new(size as u64);
        (0..size).map(|_| normal(&mut random)).collect()
    }

    fn found(values: &[f64]) -> Vec<usize> {
        partition(values, 1.5, 10, 9.0 * (values.len() as f64).ln())
    }

    /// Returns the best partition, by trying every last level.
    fn tried(search: &PartitionSearch, price: f64) -> Vec<usize> {
        let size = search.distances.len();
        let mut best: Vec<Option<(f64, Vec<usize>)>> = vec![Some((-price, Vec::new()))];
        for end in 1..=size {
            let last = (0..(end + 1).saturating_sub(search.fewest)).filter_map(|from| {
                let (cost, steps) = best[from].as_ref()?;
                let begin = if from > 0 { vec![from] } else { Vec::new() };
                let steps = [steps.as_slice(), &begin].concat();
                Some((cost + search.cost(from, end) + price, steps))
            });
            let least = last.min_by(|a, b| a.0.total_cmp(&b.0));
            best.push(least);
        }
        best.pop().flatten().map_or_else(Vec::new, |(_, steps)| steps)
    }

    #[test]
    fn nothing_is_lost_by_leaving_candidates_alone() {
        for (size, length) in [(60, 13), (150, 11), (240, 37)] {
            let level = |index: usize| [0.0, 3.0, 1.0][index / length % 3];
            let values: Vec<f64> =
                noise(size).iter().enumerate().map(|(at, it)| it + level(at)).collect();
            let search = PartitionSearch::new(&values, 10);
            for price in [0.5, 3.0, 20.0] {
                assert_eq!(search.best(price), tried(&search, price), "{size} at {price}");
            }
        }
    }

    #[test]
    fn noise_drifts_and_values_that_remember_have_no_levels() {
        let flat = noise(400);
        let drift = flat.iter().enumerate().map(|(at, it)| it + at as f64 / 10.0);
        let wave = flat.iter().enumerate().map(|(at, it)| it + 8.0 * (at as f64 / 15.0).sin());
        let mut state = 0.0;
        let remembers = flat.iter().map(|it| {
            state = 0.9 * state + it;
            state
        });
        for values in [drift.collect(), wave.collect(), remembers.collect(), flat.clone()] {
            assert_eq!(found(&values), [0; 0]);
        }
    }

    #[test]
    fn values_that_agree_or_are_few_have_no_levels() {
        for values in [vec![3.0; 90], vec![1.0, 9.0], vec![f64::MAX / 4.0; 40]] {
            assert_eq!(found(&values), [0; 0]);
        }
    }
}
