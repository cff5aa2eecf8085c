//! The quantile-respectful density as published.
//!
//! Definition: that of [`density`](perftest_core::stats::density), with each quantile by its definition, and
//! without the bins that are narrower than an absolute width. Source: Akinshin, arXiv 2404.03835.
//! Behaviour: slow for many values, and the absolute width depends on the unit.

use perftest_core::model::Sample;
use perftest_core::stats::{Bin, harrell_davis};

/// The density of `sample` in at most `count` bins, without those narrower than `narrowest` in the
/// sample's unit.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_conformance::stats::published_density;
/// let bins = published_density(&Sample::new(vec![3.0, 4.0, 7.0]).unwrap(), 10, 0.5);
/// assert_eq!(bins.len(), 4);
/// ```
pub fn published_density(sample: &Sample, count: usize, narrowest: f64) -> Vec<Bin> {
    let least = sample.sorted()[0];
    // A large level would swallow the narrow bins.
    let distances = Sample::new(sample.sorted().iter().map(|value| value - least).collect());
    let Some(distances) = distances.ok().filter(|_| count > 0) else { return Vec::new() };
    let quantiles: Vec<f64> =
        (0..=count).map(|step| harrell_davis(&distances, step as f64 / count as f64)).collect();
    let narrowest = narrowest.max(f64::MIN_POSITIVE);
    let wide = quantiles.windows(2).filter(|ends| ends[1] - ends[0] >= narrowest);
    let bin = |ends: &[f64]| Bin {
        lower: least + ends[0],
        upper: least + ends[1],
        height: 1.0 / count as f64 / (ends[1] - ends[0]),
    };
    wide.map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::density;

    #[test]
    fn the_quick_density_is_the_published_one() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 61)).collect();
        let sample = Sample::new(values).unwrap();
        let (quick, exact) = (density(&sample, 100), published_density(&sample, 100, 1e-9));
        assert_eq!(quick.len(), exact.len());
        for (quick, exact) in quick.iter().zip(&exact) {
            assert!((quick.height / exact.height - 1.0).abs() < 1e-5, "{quick:?} {exact:?}");
        }
    }

    #[test]
    fn values_that_agree_have_no_density() {
        let same = Sample::new(vec![2.0; 5]).unwrap();
        assert_eq!(published_density(&same, 100, 0.0), []);
        assert_eq!(published_density(&same, 0, 1e-9), []);
    }
}
