//! Many Harrell-Davis quantiles of one sample, quickly.
//!
//! Definition: [`harrell_davis`](super::harrell_davis) at i / steps for i from 0 to steps.
//!
//! Algorithm: a weight is the beta distribution's mass between (i - 1) / n and i / n, by
//! Gauss-Legendre quadrature with four nodes; the logarithms of the nodes are the same for all
//! quantiles. Weights below about 1e-14 are left out (Bernstein's bound of the beta distribution:
//! Skorski, "Bernstein-type bounds for beta distribution", 2023), and the weights of 1 - p are
//! those of p in reverse. Where the density has less than about three values in a standard
//! deviation, near both ends and in small samples, the incomplete beta function takes over.
//! Accuracy: 1e-10 of the sample's range. Cost of 101 quantiles, optimised, on a processor of
//! 4 GHz: 0.3 ms for 30 values, 0.2 ms for 100 to 300, 0.3 ms for 1000; ten times as much
//! unoptimised.

use super::BetaDistribution;
use crate::list::IntoList;
use crate::model::Sample;

/// Below this many values in a variance the quadrature is too coarse.
const FEWEST_IN_VARIANCE: f64 = 8.0;
/// Logarithm of the mass that is left out.
const LEFT_OUT: f64 = 32.0;
/// Nodes of Legendre's polynomial of degree 4 between 0 and 1, with their weights.
const NODES: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// The weights of all samples of one size for their quantiles at i / steps, i from 0 to steps. They are nearly all
/// of the cost, and can be kept for the next sample.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{QuantileGrid, harrell_davis};
/// let sample = Sample::new(vec![1.0, 2.0, 4.0, 9.0]).unwrap();
/// let quantiles = QuantileGrid::new(4, 10).quantiles(&sample);
/// assert_eq!((quantiles.len(), quantiles[0], quantiles[10]), (11, 1.0, 9.0));
/// assert!((quantiles[3] - harrell_davis(&sample, 0.3)).abs() < 1e-9);
/// ```
#[derive(Debug, Clone)]
pub struct QuantileGrid {
    size: usize,
    steps: usize,
    /// Of the steps up to the middle, without the first: those behind it have the same in reverse.
    weights: Vec<GridWeights>,
}

impl QuantileGrid {
    /// The weights of samples of this size.
    pub fn new(size: usize, steps: usize) -> Self {
        let logs = log_nodes(size);
        let weights = |step: usize| GridWeights::at(step as f64 / steps as f64, &logs);
        Self { size, steps, weights: (1..=steps / 2).map(weights).into_list() }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The quantiles of a sample; none without a step.
    ///
    /// # Panics
    /// When the sample has another size.
    pub fn quantiles(&self, sample: &Sample) -> Vec<f64> {
        self.of_sorted(sample.sorted())
    }

    /// The same of values in ascending order.
    pub(super) fn of_sorted(&self, sorted: &[f64]) -> Vec<f64> {
        let (size, steps) = (self.size, self.steps);
        assert_eq!(sorted.len(), size, "the weights are those of samples of another size");
        if steps == 0 {
            return Vec::new();
        }
        let (first, last) = (sorted[0], sorted[size - 1]);
        let mut quantiles = vec![first; steps + 1];
        quantiles[steps] = last;
        for (step, weights) in (1..).zip(&self.weights) {
            let (from, upto) = (weights.from, weights.from + weights.values.len());
            // Deviations from the ends, so that small distances survive beside large values.
            let up: f64 = sorted[from..upto]
                .iter()
                .zip(&weights.values)
                .map(|(value, weight)| (value - first) * weight)
                .sum();
            let down: f64 = sorted[size - upto..size - from]
                .iter()
                .rev()
                .zip(&weights.values)
                .map(|(value, weight)| (last - value) * weight)
                .sum();
            quantiles[steps - step] = last - down;
            quantiles[step] = first + up;
        }
        quantiles
    }
}

/// How far from `probability`, as a share of the values, a value still counts in a sample of this
/// effective size.
pub(super) fn reach(size: f64, probability: f64) -> f64 {
    let variance = probability * (1.0 - probability) / (size + 2.0);
    let scale = 2.0 / (size + 3.0) * LEFT_OUT / 3.0;
    scale + (scale * scale + 2.0 * variance * LEFT_OUT).sqrt()
}

/// The weights of the values from `from` on; all others have none.
#[derive(Debug, Clone)]
struct GridWeights {
    from: usize,
    values: Vec<f64>,
}

impl GridWeights {
    /// The weights for a `probability` inside 0..=1/2.
    fn at(probability: f64, logs: &[[f64; 4]]) -> Self {
        let size = logs.len() as f64;
        let (a, b) = ((size + 1.0) * probability, (size + 1.0) * (1.0 - probability));
        let reach = reach(size, probability);
        let from = ((probability - reach) * size).floor().max(0.0) as usize;
        let upto = ((probability + reach) * size).ceil().min(size) as usize;
        let mut values = if size * probability * (1.0 - probability) < FEWEST_IN_VARIANCE {
            exact(a, b, from..upto, size)
        } else {
            quadrature(a, b, from..upto, logs)
        };
        let total: f64 = values.iter().sum();
        values.iter_mut().for_each(|value| *value /= total);
        Self { from, values }
    }
}

fn exact(a: f64, b: f64, ranks: std::ops::Range<usize>, size: f64) -> Vec<f64> {
    let distribution = BetaDistribution::new(a, b);
    let mut below = distribution.below(ranks.start as f64 / size);
    ranks
        .map(|rank| {
            let upto = distribution.below((rank + 1) as f64 / size);
            upto - std::mem::replace(&mut below, upto)
        })
        .into_list()
}

fn quadrature(a: f64, b: f64, ranks: std::ops::Range<usize>, logs: &[[f64; 4]]) -> Vec<f64> {
    let (a, b) = (a - 1.0, b - 1.0);
    let mode = a / (a + b);
    let highest = a * mode.ln() + b * (1.0 - mode).ln();
    let mass = |rank: usize| -> f64 {
        // The nodes lie in mirror image: ln(1 - x) is ln x of the mirrored interval.
        let (near, far) = (&logs[rank], &logs[logs.len() - 1 - rank]);
        (0..4).map(|i| NODES[i].1 * (a * near[i] + b * far[3 - i] - highest).exp()).sum()
    };
    ranks.map(mass).into_list()
}

/// Logarithms of the nodes in each of `size` equal parts of 0..=1.
fn log_nodes(size: usize) -> Vec<[f64; 4]> {
    (0..size)
        .map(|rank| NODES.map(|(node, _)| ((rank as f64 + node) / size as f64).ln()))
        .into_list()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Sample;
    use crate::stats::harrell_davis;

    fn quantiles(sample: &Sample, steps: usize) -> Vec<f64> {
        QuantileGrid::new(sample.size(), steps).quantiles(sample)
    }

    #[test]
    fn the_quick_quantiles_are_those_of_the_definition() {
        for size in [1, 2, 7, 33, 40, 100, 301, 900] {
            // Skewed, with ties and a far value.
            let values =
                (0..size).map(|i| (f64::from(i * 37 % size) / 3.0).floor().powi(2)).collect();
            let sample = Sample::new(values).unwrap();
            let range = sample.sorted()[sample.size() - 1] - sample.sorted()[0];
            for (step, quick) in quantiles(&sample, 100).into_iter().enumerate() {
                let exact = harrell_davis(&sample, step as f64 / 100.0);
                let difference = (quick - exact).abs();
                assert!(difference <= 1e-10 * range, "{size} at {step}: {quick} is not {exact}");
            }
        }
    }

    #[test]
    fn an_odd_number_of_steps_has_no_middle() {
        let sample = Sample::new(vec![1.0, 2.0, 4.0, 8.0]).unwrap();
        let quantiles = quantiles(&sample, 3);
        assert_eq!(quantiles.len(), 4);
        assert!((quantiles[2] - harrell_davis(&sample, 2.0 / 3.0)).abs() < 1e-12);
    }
}
