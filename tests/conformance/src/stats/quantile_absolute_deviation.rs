//! Quantile absolute deviation.
//!
//! Definition: a quantile of the distances of the values from one of their own quantiles, with
//! interpolated quantiles (type 7). Two of them, round the median, have factors that make them
//! the standard deviation of a normal sample: the standard one at 0.682689, the mass within one
//! deviation (efficiency 54%, breakdown 32%), and the optimal one at 0.861679 (65%, 14%).
//!
//! Source: Akinshin, "Quantile absolute deviation", arXiv 2208.13459. Behaviour: between the
//! median absolute deviation, which is this at 1/2 without a factor, and the standard deviation:
//! more precise than the one, more robust than the other.

use super::QadFactors;
use perftest_core::model::Sample;
use perftest_core::stats::quantile;

const STANDARD: f64 = 0.682_689_492_137_086;
const OPTIMAL: f64 = 0.861_678_977_787_423;

/// The `share` of the values of `sample` that is nearest to its quantile `around` lies within
/// this distance of it; without a factor. Both are probabilities, clamped to 0..=1.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::quantile_absolute_deviation;
/// let sample = Sample::new(vec![1.0, 2.0, 3.0, 4.0, 100.0]).unwrap();
/// assert_eq!(quantile_absolute_deviation(&sample, 0.5, 0.5), 1.0);
/// assert_eq!(quantile_absolute_deviation(&sample, 0.0, 0.75), 3.0);
/// ```
pub fn quantile_absolute_deviation(sample: &Sample, around: f64, share: f64) -> f64 {
    let center = quantile(sample, around);
    let distances = sample.sorted().iter().map(|value| (value - center).abs()).collect();
    // Only values at the ends of the range of numbers have a distance that is no number.
    Sample::new(distances).map_or(f64::INFINITY, |distances| quantile(&distances, share))
}

/// The standard quantile absolute deviation: an estimate of the standard deviation.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::standard_absolute_deviation;
/// let sample = Sample::new(vec![10.0, 20.0]).unwrap();
/// assert!((standard_absolute_deviation(&sample) - 8.862).abs() < 1e-9);
/// ```
pub fn standard_absolute_deviation(sample: &Sample) -> f64 {
    scaled(sample, STANDARD, QadFactors::Standard)
}

/// The optimal quantile absolute deviation: an estimate of the standard deviation, the most
/// precise of its family.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::optimal_absolute_deviation;
/// let sample = Sample::new(vec![10.0, 20.0]).unwrap();
/// assert!((optimal_absolute_deviation(&sample) - 8.8645).abs() < 1e-9);
/// ```
pub fn optimal_absolute_deviation(sample: &Sample) -> f64 {
    scaled(sample, OPTIMAL, QadFactors::Optimal)
}

fn scaled(sample: &Sample, share: f64, factors: QadFactors) -> f64 {
    if sample.size() == 1 {
        return 0.0;
    }
    factors.factor(sample.size()) * quantile_absolute_deviation(sample, 0.5, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_sample_has_its_deviation() {
        let sample = Sample::new(normal_quantiles(2000, 3.0)).unwrap();
        for deviation in [standard_absolute_deviation(&sample), optimal_absolute_deviation(&sample)]
        {
            assert!((deviation - 3.0).abs() < 0.01, "{deviation}");
        }
    }

    #[test]
    fn one_value_deviates_by_nothing() {
        let one = Sample::new(vec![5.0]).unwrap();
        assert_eq!(standard_absolute_deviation(&one), 0.0);
        assert_eq!(optimal_absolute_deviation(&one), 0.0);
    }

    /// Evenly spaced quantiles, where the summed density reaches them.
    fn normal_quantiles(count: u32, deviation: f64) -> Vec<f64> {
        let step = 1e-4;
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let (mut x, mut mass) = (-6.0, 0.0);
        (0..count)
            .map(|i| {
                while mass < (f64::from(i) + 0.5) / f64::from(count) {
                    mass += step * density(x + step / 2.0);
                    x += step;
                }
                deviation * x
            })
            .collect()
    }
}
