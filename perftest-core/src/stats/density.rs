//! Quantile-respectful density (QRDE-HD).
//!
//! Definition: a histogram whose k bins lie between the Harrell-Davis quantiles at i / k and
//! (i + 1) / k, so that all have the same mass: the height is 1 / k by the width. Bins narrower
//! than 1e-9 of the sample's range, which ties make, are left out.
//!
//! Source: Akinshin, "Quantile-respectful density estimation based on the Harrell-Davis quantile
//! estimator", arXiv 2404.03835; there a bin is left out below an absolute 1e-9, which would
//! depend on the unit. Behaviour: no bandwidth to choose; fine where values are dense and coarse
//! where they are rare; at both ends of the range it rises, whatever the distribution. Cost: that
//! of the quantiles, 0.2 ms for 100 bins of 300 values.

use super::QuantileGrid;
use crate::list::IntoList;
use crate::model::Sample;

/// The narrowest bin, as a share of the sample's width. Source: that of the paper, which is absolute.
const NARROWEST: f64 = 1e-9;

/// A part of the range between two neighbouring quantiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Where it begins.
    pub lower: f64,
    /// Where it ends, above `lower`.
    pub upper: f64,
    /// The density inside: the share of the mass by the width.
    pub height: f64,
}

impl Bin {
    /// The middle between both ends.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.lower, self.upper)
    }
}

/// The density of `sample` in at most `count` bins of the same mass, in ascending order: none
/// where all values agree or `count` is 0.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::density;
/// let bins = density(&Sample::new(vec![3.0, 4.0, 7.0]).unwrap(), 10);
/// assert_eq!(bins.len(), 10);
/// assert!(bins[0].height > 7.0 * bins[6].height);
/// ```
pub fn density(sample: &Sample, count: usize) -> Vec<Bin> {
    if range(sample) == 0.0 {
        return Vec::new();
    }
    density_on_grid(sample, &QuantileGrid::new(sample.size(), count))
}

/// The same with known weights, in as many bins as the grid has steps.
///
/// # Panics
/// When the grid is of samples of another size.
pub fn density_on_grid(sample: &Sample, grid: &QuantileGrid) -> Vec<Bin> {
    let (least, range) = (sample.sorted()[0], range(sample));
    if grid.steps() == 0 || range == 0.0 {
        return Vec::new();
    }
    // Of distances from the smallest value: a large level would swallow the narrow bins.
    let distances: Vec<f64> = sample.sorted().iter().map(|value| value - least).into_list();
    bins_between(least, &grid.of_sorted(&distances), range)
}

fn range(sample: &Sample) -> f64 {
    let sorted = sample.sorted();
    sorted[sorted.len() - 1] - sorted[0]
}

/// Bins of the same mass between neighbouring `quantiles`, which are distances from `origin`. Bins narrower than 1e-9
/// of `width`, that of the sample, are left out.
///
/// # Panics
/// Without any quantile.
pub fn bins_between(origin: f64, quantiles: &[f64], width: f64) -> Vec<Bin> {
    let narrowest = NARROWEST * width;
    let mass = 1.0 / (quantiles.len() - 1) as f64;
    let wide = quantiles.windows(2).filter(|ends| ends[1] - ends[0] >= narrowest);
    wide.map(|ends| Bin {
        lower: origin + ends[0],
        upper: origin + ends[1],
        height: mass / (ends[1] - ends[0]),
    })
    .into_list()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_density_does_not_depend_on_the_unit() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 61)).collect();
        let whole = density(&Sample::new(values.clone()).unwrap(), 100);
        // The same values in seconds instead of nanoseconds.
        let scaled = values.iter().map(|value| value * 1e-9).collect();
        let scaled = density(&Sample::new(scaled).unwrap(), 100);
        assert_eq!(whole.len(), scaled.len());
        for (whole, scaled) in whole.iter().zip(&scaled) {
            assert!((whole.height - scaled.height * 1e-9).abs() < 1e-6 * whole.height);
        }
    }

    #[test]
    fn values_that_agree_have_no_density() {
        let same = Sample::new(vec![2.0; 5]).unwrap();
        assert_eq!(density(&same, 100), []);
    }
}
