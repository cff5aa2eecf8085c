//! Trimmed Harrell-Davis quantiles (THD-SQRT).
//!
//! Definition: the Harrell-Davis quantile with the beta distribution cut to its highest-density
//! interval of width 1 / sqrt(n) and scaled up to 1 again. With weights, n is the effective size.
//! Source: Akinshin, "Trimmed Harrell-Davis quantile estimator based on the highest density
//! interval of the given width", arXiv 2111.11776. Behaviour: about as precise as Harrell-Davis
//! for light tails and far more so for heavy ones, because the values beyond the interval have no
//! weight: the quantile to report and to compare with.

use perftest_core::model::Sample;
use perftest_core::stats::{BetaDistribution, RankedValues, WeightedSample, weighted_mean};

/// Halvings until the interval's end is exact to the last bit.
const HALVINGS: usize = 60;

/// The quantile of `sample` at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::trimmed_harrell_davis;
/// let sample = Sample::new(vec![10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.1, 9.9, 1000.0]).unwrap();
/// assert!((trimmed_harrell_davis(&sample, 0.5) - 10.0).abs() < 0.1);
/// ```
pub fn trimmed_harrell_davis(sample: &Sample, probability: f64) -> f64 {
    quantile(&RankedValues::from(sample), probability)
}

/// The quantile of values that do not count alike, at `probability`, which is clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::WeightedSample;
/// use perftest_analysis::stats::weighted_trimmed_harrell_davis;
/// let sample = Sample::new(vec![1.0, 2.0, 9.0]).unwrap();
/// let weighted = WeightedSample::new(&sample, &[1.0, 1.0, 0.0]).unwrap();
/// assert!((weighted_trimmed_harrell_davis(&weighted, 0.5) - 1.5).abs() < 1e-12);
/// ```
pub fn weighted_trimmed_harrell_davis(sample: &WeightedSample, probability: f64) -> f64 {
    quantile(&RankedValues::from(sample), probability)
}

fn quantile(ranked: &RankedValues<'_>, probability: f64) -> f64 {
    if probability <= 0.0 || probability >= 1.0 {
        return ranked.end(probability)[0];
    }
    let size = ranked.size;
    let (a, b) = ((size + 1.0) * probability, (size + 1.0) * (1.0 - probability));
    let (left, right) = highest_density_interval(a, b, (1.0 / size.sqrt()).min(1.0));
    let distribution = BetaDistribution::new(a, b);
    let (below, upto) = (distribution.below(left), distribution.below(right));
    let covered_upto = |share: f64| {
        if share <= left {
            0.0
        } else if share >= right {
            1.0
        } else {
            (distribution.below(share) - below) / (upto - below)
        }
    };
    let mut before = 0.0;
    let weight = |rank: usize| {
        let covered = covered_upto(ranked.share(rank));
        covered - std::mem::replace(&mut before, covered)
    };
    let ranks = ranked.between(left, right);
    let weights: Vec<f64> = ranks.clone().map(weight).collect();
    weighted_mean(&ranked.sorted[ranks], &weights)
}

/// The interval of this width (0..=1) inside 0..=1 in which the beta distribution with
/// parameters `a` and `b` has the most mass: its lower and upper end.
///
/// ```
/// use perftest_analysis::stats::highest_density_interval;
/// let (lower, upper) = highest_density_interval(5.0, 5.0, 0.5);
/// assert!((lower - 0.25).abs() < 1e-12 && (upper - 0.75).abs() < 1e-12);
/// assert_eq!(highest_density_interval(1.0, 9.0, 0.3), (0.0, 0.3));
/// ```
pub fn highest_density_interval(a: f64, b: f64, width: f64) -> (f64, f64) {
    let farthest = 1.0 - width;
    let left = match (a > 1.0, b > 1.0) {
        (false, false) => farthest / 2.0,
        (false, true) => 0.0,
        (true, false) => farthest,
        (true, true) => equal_densities(a, b, width).clamp(0.0, farthest.max(0.0)),
    };
    (left, left + width)
}

/// Where the density is the same at both ends of an interval of this width round the mode.
fn equal_densities(a: f64, b: f64, width: f64) -> f64 {
    let mode = (a - 1.0) / (a + b - 2.0);
    let (mut low, mut high) = ((mode - width).max(0.0), mode.min(1.0 - width));
    let log_density = |x: f64| (a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln();
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        // No number is left between both: further halvings end there, too.
        if middle == low || middle == high {
            return middle;
        }
        if log_density(middle) < log_density(middle + width) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_value_does_not_move_the_median() {
        let with = |far: f64| {
            let values = vec![10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.1, 9.9, far];
            trimmed_harrell_davis(&Sample::new(values).unwrap(), 0.5)
        };
        assert_eq!(with(11.0), with(1e9));
    }

    #[test]
    fn the_ends_and_a_single_value_are_themselves() {
        let sample = Sample::new(vec![7.0, 3.0, 4.0]).unwrap();
        assert_eq!(trimmed_harrell_davis(&sample, 0.0), 3.0);
        assert_eq!(trimmed_harrell_davis(&sample, 1.0), 7.0);
        assert_eq!(trimmed_harrell_davis(&Sample::new(vec![5.0]).unwrap(), 0.3), 5.0);
    }
}
