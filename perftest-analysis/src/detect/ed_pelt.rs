//! ED-PELT: changes of any distribution, by its values at a few quantiles.
//!
//! Definition: K = ceil(4 ln n) quantiles t of the whole series, crowded into its tails (the odds of
//! their probabilities are evenly spread on a logarithmic scale from 1 / (2n - 1) to 2n - 1). A
//! segment of m values costs 2 ln(2n - 1) / K times the sum over them of -m (F ln F + (1-F) ln(1-F)),
//! F the share of its values below t, equal ones counting half: the entropy that the empirical
//! distribution leaves. A change costs 3 ln n. The segmentation is that of [`pelt`](super::pelt).
//!
//! Source: Haynes, Fearnhead and Eckley, "A computationally efficient nonparametric approach for
//! changepoint detection" (2017); Akinshin's choice of K; the answers are those of Perfolizer.
//!
//! Behaviour: finds changes of level, spread or shape; of many it misses some (two or three of nine
//! between bimodal segments), and in thousands of unchanged values it may report one or two.
//! It reports autocorrelation and drift as changes. It has no smallest effect. More than 20,000
//! values are searched in windows of that length.
//!
//! Cost: without a change the published search takes K n^2 / 2 logarithms. Here a candidate
//! is skipped while it provably cannot win ([`pelt`](super::pelt)). The proof: m times the entropy is
//! concave in the two counts, so every value to come adds at least the gradient at the far corner of
//! the box of counts that the segment can reach within the horizon; these gradients are summed along
//! the following values and compared with the winner's own cost. The slack of the bound grows with the
//! square of the horizon over m, so horizons are about the square root of m: O(K n^1.5) in all. Two
//! sums of costs nearer than 1e-6 are compared by the published formula.

use super::pelt::{self, Candidate, CostForecast, NEAR, SegmentCost};
use super::windows;
use perftest_core::model::Sample;
use std::cmp::Ordering;

/// Indices of the first values after each change, ascending; changes lie at least `min_distance`
/// values from each other and from both ends. A series of fewer than two such distances, or of two
/// values, has none.
///
/// ```
/// use perftest_analysis::detect::ed_pelt;
/// use perftest_core::model::Sample;
/// let level = |level: f64| (0..30).map(move |n| level + f64::from(n * 7 % 11));
/// let series = Sample::new(level(0.0).chain(level(50.0)).collect()).unwrap();
/// assert_eq!(ed_pelt(&series, 20), [30]);
/// ```
pub fn ed_pelt(series: &Sample, min_distance: usize) -> Vec<usize> {
    windows::changes(series, |series| {
        pelt::changes(series.size(), min_distance.max(1), penalty(series), &mut Entropy::of(series))
    })
}

/// The penalty of the modified Bayesian information criterion.
fn penalty(series: &Sample) -> f64 {
    3.0 * (series.size() as f64).ln()
}

/// The cost of segments, from counts of values below each quantile.
struct Entropy {
    /// For each of the K quantiles, which of the distinct ones it is.
    quantiles: Vec<usize>,
    /// ln(2n - 1) / K for each of the K quantiles that a distinct one is.
    weights: Vec<f64>,
    /// By number of values and distinct quantile: twice the number below it, equal ones counting
    /// once.
    counts: Vec<u32>,
    /// By index of a value: twice the number of distinct quantiles below it, and one more where it
    /// equals one.
    places: Vec<usize>,
    /// x ln x of the integers.
    entropies: Vec<f64>,
    /// ln x of the integers.
    logs: Vec<f64>,
    /// ln(2n - 1).
    log_odds: f64,
    /// Room for the least cost of one more value, by its place.
    least: Vec<f64>,
}

impl Entropy {
    fn of(series: &Sample) -> Self {
        let size = series.size();
        let all = quantiles(series);
        let mut distinct = all.clone();
        distinct.dedup_by(|a, b| a == b);
        let below = |value: f64| distinct.partition_point(|quantile| *quantile < value);
        let place = |value: &f64| {
            let below = below(*value);
            2 * below + usize::from(distinct.get(below).is_some_and(|quantile| quantile == value))
        };
        let log_odds = ((2 * size - 1) as f64).ln();
        let mut weights = vec![0.0; distinct.len()];
        let quantiles: Vec<usize> = all.iter().map(|value| below(*value)).collect();
        quantiles.iter().for_each(|it| weights[*it] += log_odds / all.len() as f64);
        let places: Vec<usize> = series.values().iter().map(place).collect();
        let counts = counts(&places, distinct.len());
        // That of 0 is never used but in a product with 0.
        let logs: Vec<f64> = (0..=2 * size).map(|x| (x.max(1) as f64).ln()).collect();
        let entropies = logs.iter().enumerate().map(|(x, log)| x as f64 * log).collect();
        let least = vec![0.0; 2 * distinct.len() + 1];
        Self { quantiles, weights, counts, places, entropies, logs, log_odds, least }
    }

    /// Twice the numbers of values below each distinct quantile among the first `end` values.
    fn counts(&self, end: usize) -> &[u32] {
        &self.counts[end * self.weights.len()..][..self.weights.len()]
    }

    /// For every place, the least that a value there adds to the cost of (start, end] on its way to
    /// (start, far].
    fn fill_least(&mut self, start: usize, end: usize, far: usize) {
        let mut least = std::mem::take(&mut self.least);
        let (from, to, beyond) = (self.counts(start), self.counts(end), self.counts(far));
        let mut all_below = 0.0;
        let mut halves_above = 0.0;
        for (index, weight) in self.weights.iter().enumerate() {
            let below = (to[index] - from[index]) as usize;
            let above = 2 * (end - start) - below;
            let far_below = (beyond[index] - from[index]) as usize;
            let far_above = 2 * (far - start) - far_below;
            // What half a value adds at the far corner, where all values to come are on its side, and
            // none on the other.
            let of_below = weight * (self.logs[far_below + above] - self.logs[far_below]);
            let of_above = weight * (self.logs[below + far_above] - self.logs[far_above]);
            // First only the values above and below the first quantiles.
            least[2 * index] = halves_above - all_below;
            least[2 * index + 1] = halves_above - all_below + of_above - of_below;
            halves_above += 2.0 * of_above;
            all_below += 2.0 * of_below;
        }
        least[2 * self.weights.len()] = halves_above - all_below;
        // A value below every quantile adds all of these.
        least.iter_mut().for_each(|sum| *sum += all_below);
        self.least = least;
    }
}

impl SegmentCost for Entropy {
    fn cost(&mut self, _: usize, start: usize, end: usize) -> f64 {
        let (from, to, size) = (self.counts(start), self.counts(end), (end - start) as f64);
        let mut sum = 0.0;
        for quantile in &self.quantiles {
            let twice = f64::from(to[*quantile] - from[*quantile]);
            let share = twice * 0.5 / size;
            if share > 0.0 && share < 1.0 {
                sum += size * (share * share.ln() + (1.0 - share) * (1.0 - share).ln());
            }
        }
        2.0 * -self.log_odds / self.quantiles.len() as f64 * sum
    }

    fn about(&mut self, _: usize, start: usize, end: usize) -> f64 {
        let (from, to, twice) = (self.counts(start), self.counts(end), 2 * (end - start));
        let whole = self.entropies[twice];
        let of = |((from, to), weight): ((&u32, &u32), &f64)| {
            let below = (to - from) as usize;
            weight * (whole - self.entropies[below] - self.entropies[twice - below])
        };
        from.iter().zip(to).zip(&self.weights).map(of).sum()
    }

    fn stays_above(&mut self, candidate: &Candidate, forecast: &mut CostForecast) -> usize {
        let end = forecast.end;
        let lead = candidate.total - forecast.at(end, self);
        let horizon = (lead * (end - candidate.start) as f64 / 2.0).sqrt();
        let far = forecast.reach().min(end + horizon as usize);
        if far < end + FEWEST {
            return end;
        }
        self.fill_least(candidate.start, end, far);
        let mut least = candidate.total;
        for next in end + 1..=far {
            least += self.least[self.places[next - 1]];
            if least <= forecast.at(next, self) + 3.0 * NEAR {
                return next - 1;
            }
        }
        far
    }
}

/// Below this horizon a proof costs more than it spares.
const FEWEST: usize = 3;

/// The K quantiles, ascending; some may be equal.
fn quantiles(series: &Sample) -> Vec<f64> {
    let size = series.size();
    let count = size.min((4.0 * (size as f64).ln()).ceil() as usize);
    let quantile = |index: usize| {
        let z = -1.0 + (2.0 * index as f64 + 1.0) / count as f64;
        let p = 1.0 / (1.0 + ((2 * size - 1) as f64).powf(-z));
        series.sorted()[((size - 1) as f64 * p) as usize]
    };
    (0..count).map(quantile).collect()
}

fn counts(places: &[usize], quantiles: usize) -> Vec<u32> {
    let mut counts = vec![0; (places.len() + 1) * quantiles];
    for (index, place) in places.iter().enumerate() {
        let (before, row) = counts[index * quantiles..].split_at_mut(quantiles);
        for (quantile, (count, before)) in row.iter_mut().zip(before).enumerate() {
            let twice = match (2 * quantile + 1).cmp(place) {
                Ordering::Greater => 2,
                Ordering::Equal => 1,
                Ordering::Less => 0,
            };
            *count = *before + twice;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::pelt_tests::{published_changes, series_of_every_kind};

    #[test]
    fn the_answers_are_those_of_the_published_search() {
        for (size, min_distance) in [(9, 1), (60, 1), (150, 5), (500, 20), (700, 3)] {
            for (name, series) in series_of_every_kind(size, size as u64) {
                let penalty = penalty(&series);
                let cost = &mut Entropy::of(&series);
                let published = published_changes(size, min_distance, penalty, cost);
                assert_eq!(ed_pelt(&series, min_distance), published, "{name}");
            }
        }
    }
}
