//! How far apart the medians of two samples lie when chance alone labels the values.
//!
//! Definition: all values are pooled, as many as before are labelled as one sample and the rest as
//! the other, in every possible way; the distance of the two medians is taken each time. A median
//! here is the [element at floor(n/2)](upper_median) of the sorted n values. The threshold is the smallest of
//! these distances that is exceeded by at most the share `1 - probability` of the ways.
//!
//! The ways are counted and not drawn: with i values of the pool below the one median and j below
//! the other, how many of them carry which label is fixed, and the ways to choose them are a
//! product of three binomial coefficients. Cost O(n^2) for n values in all.
//!
//! Source: Fisher's randomization; used with 10,000 random labels by ClickHouse's comparison of
//! performance. Behaviour: exact for every size and with ties. A true shift is in the pool too and
//! raises the threshold; with 7 and 7 values there are only about 16 different distances.

use perftest_core::model::Sample;

/// The distance of medians, in the samples' unit, that random labels exceed with at most
/// `1 - probability`.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::randomization_threshold;
/// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// // Six ways to label 1, 2, 4, 8 by two: the upper ones of each pair lie 6 apart in four of
/// // them, and 4 in the other two.
/// let (one, other) = (sample(&[1.0, 4.0]), sample(&[2.0, 8.0]));
/// assert_eq!(randomization_threshold(&one, &other, 0.99), 6.0);
/// assert_eq!(randomization_threshold(&one, &other, 0.3), 4.0);
/// ```
pub fn randomization_threshold(one: &Sample, other: &Sample, probability: f64) -> f64 {
    let distances = median_distances(one, other);
    let mut below = 0.0;
    let reaches = distances.iter().find(|(_, share)| {
        below += share;
        // One part in 10^9 for the rounding of the sum.
        below >= probability - 1e-9
    });
    reaches.or(distances.last()).map_or(0.0, |(distance, _)| *distance)
}

/// All distances of the medians that random labels make, in ascending order, each with the share of
/// the ways that lead to it; a distance may be there more than once.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::median_distances;
/// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// let (one, other) = (sample(&[1.0, 4.0]), sample(&[2.0, 8.0]));
/// let distances: Vec<f64> = median_distances(&one, &other).iter().map(|it| it.0).collect();
/// assert_eq!(distances, [4.0, 6.0]);
/// ```
pub fn median_distances(one: &Sample, other: &Sample) -> Vec<(f64, f64)> {
    let mut pool: Vec<f64> = one.values().iter().chain(other.values()).copied().collect();
    pool.sort_unstable_by(f64::total_cmp);
    let mut distances = distances(&pool, one.size(), other.size());
    distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    distances
}

/// The median that the labels are about: the element at floor(n/2).
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::upper_median;
/// assert_eq!(upper_median(&Sample::new(vec![4.0, 1.0]).unwrap()), 4.0);
/// ```
pub fn upper_median(sample: &Sample) -> f64 {
    sample.sorted()[sample.size() / 2]
}

/// The possible distances, each with the share of the ways that lead to it.
fn distances(pool: &[f64], one: usize, other: usize) -> Vec<(f64, f64)> {
    let ways = Ways::among(pool.len());
    let mut distances = Vec::new();
    for low in 0..pool.len() {
        for high in low + 1..pool.len() {
            let one_is_low = ways.share(low, high, one, other);
            let share = one_is_low + ways.share(low, high, other, one);
            if share > 0.0 {
                distances.push((pool[high] - pool[low], share));
            }
        }
    }
    distances
}

/// Logarithms of factorials, up to that of the size of the pool.
struct Ways {
    log_factorials: Vec<f64>,
}

impl Ways {
    fn among(size: usize) -> Self {
        let mut log = 0.0;
        let next = |number: usize| {
            log += (number.max(1) as f64).ln();
            log
        };
        Self { log_factorials: (0..=size).map(next).collect() }
    }

    /// The share of the ways in which the median of the sample of size `lower` is the value of
    /// the pool at `low`, and that of the sample of size `upper` the one at `high`, above it.
    fn share(&self, low: usize, high: usize, lower: usize, upper: usize) -> f64 {
        let (lower_rank, upper_rank) = (lower / 2, upper / 2);
        let (between, above) = (high - low - 1, lower + upper - high - 1);
        let log = || {
            // Of the upper sample: below the low median, and between the medians.
            let upper_below = low.checked_sub(lower_rank)?;
            let upper_between = upper_rank.checked_sub(upper_below)?;
            let upper_above = upper - upper_rank - 1;
            Some(
                self.log_choose(low, upper_below)?
                    + self.log_choose(between, upper_between)?
                    + self.log_choose(above, upper_above)?
                    - self.log_choose(lower + upper, lower)?,
            )
        };
        log().map_or(0.0, f64::exp)
    }

    fn log_choose(&self, from: usize, chosen: usize) -> Option<f64> {
        let rest = from.checked_sub(chosen)?;
        let log = &self.log_factorials;
        Some(log[from] - log[chosen] - log[rest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distances of all ways, one by one.
    fn enumerated(pool: &[f64], one: usize) -> Vec<f64> {
        let label = |labels: u32, which: u32| -> Vec<f64> {
            let has = |index: usize| (labels >> index) & 1 == which;
            (0..pool.len()).filter(|index| has(*index)).map(|index| pool[index]).collect()
        };
        let ways = (0..1_u32 << pool.len()).filter(|labels| labels.count_ones() as usize == one);
        let distance = |labels| {
            let (a, b) = (label(labels, 1), label(labels, 0));
            (a[a.len() / 2] - b[b.len() / 2]).abs()
        };
        let mut distances: Vec<f64> = ways.map(distance).collect();
        distances.sort_unstable_by(f64::total_cmp);
        distances
    }

    #[test]
    fn counted_ways_are_the_enumerated_ones() {
        for (one, other) in [(1, 1), (2, 2), (3, 3), (5, 5), (4, 6), (7, 2), (1, 6)] {
            // With ties.
            let value = |index: usize| ((index * index) % 7 + index / 3) as f64;
            let mut pool: Vec<f64> = (0..one + other).map(value).collect();
            pool.sort_unstable_by(f64::total_cmp);
            let all = enumerated(&pool, one);
            let shares = distances(&pool, one, other);
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{one} {other}: {sum}");
            for distance in &all {
                let expected = all.iter().filter(|it| it <= &distance).count() as f64;
                let counted = shares.iter().filter(|(it, _)| it <= distance);
                let counted: f64 = counted.map(|(_, share)| share).sum();
                assert!((counted - expected / all.len() as f64).abs() < 1e-9, "{one} {other}");
            }
        }
    }

    #[test]
    fn hundreds_of_values_are_no_trouble() {
        let sample = |from: u32| Sample::new((from..from + 300).map(f64::from).collect()).unwrap();
        let threshold = randomization_threshold(&sample(0), &sample(300), 0.99);
        assert!((40.0..80.0).contains(&threshold), "{threshold}");
    }
}
