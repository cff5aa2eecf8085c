//! Density and modes of values that do not count alike.
//!
//! Definition: those of `perftest_core::stats`, with weighted quantiles.

use super::weighted_harrell_davis::{distance_from, weighted_harrell_davis};
use perftest_core::stats::{
    Bin, Lowland, Mode, RankedValues, WeightedSample, bins_between, modes_among,
};

/// The density in at most `count` bins of the same mass between weighted quantiles, in ascending order.
///
/// ```
/// use perftest_conformance::stats::weighted_density;
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{WeightedSample, density};
/// let sample = Sample::new(vec![3.0, 4.0, 7.0, 900.0]).unwrap();
/// let weighted = WeightedSample::new(&sample, &[1.0, 1.0, 1.0, 0.0]).unwrap();
/// let alone = Sample::new(vec![3.0, 4.0, 7.0]).unwrap();
/// assert_eq!(weighted_density(&weighted, 10).len(), density(&alone, 10).len());
/// ```
pub fn weighted_density(sample: &WeightedSample, count: usize) -> Vec<Bin> {
    let sorted = sample.sorted();
    let whole = sorted[sorted.len() - 1] - sorted[0];
    if count == 0 || whole == 0.0 {
        return Vec::new();
    }
    // Values with hardly any weight affect neither the center nor the width.
    let middle = weighted_harrell_davis(sample, 0.5);
    let quantile = |probability: f64| distance_from(middle, sample, probability);
    let bulk = quantile(0.75) - quantile(0.25);
    let width = if bulk > 0.0 { bulk } else { whole };
    let quantiles: Vec<f64> =
        (0..=count).map(|step| quantile(step as f64 / count as f64)).collect();
    bins_between(middle, &quantiles, width)
}

/// The modes at this fineness and sensitivity, at least one: values that hardly count make none.
///
/// ```
/// use perftest_conformance::stats::weighted_modes_at;
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{Lowland, WeightedSample};
/// let hump = |level: f64| (0..50).map(move |i| level + f64::from(i % 7) + f64::from(i % 5));
/// let sample = Sample::new(hump(100.0).chain(hump(200.0)).collect()).unwrap();
/// let modes = |weight: f64| {
///     let weights: Vec<f64> = [[weight; 50], [1.0; 50]].concat();
///     weighted_modes_at(&WeightedSample::new(&sample, &weights).unwrap(), Lowland::default())
/// };
/// assert_eq!((modes(1.0).len(), modes(1e-9).len()), (2, 1));
/// assert!((modes(0.5)[0].share - 1.0 / 3.0).abs() < 1e-9);
/// ```
pub fn weighted_modes_at(sample: &WeightedSample, lowland: Lowland) -> Vec<Mode> {
    modes_among(&RankedValues::from(sample), &weighted_density(sample, lowland.bins), lowland)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Sample;
    use perftest_core::stats::modes;

    /// A symmetric hump of 25 values without ties.
    fn hump(level: f64) -> impl Iterator<Item = f64> {
        (-12_i32..=12).map(move |i| level + f64::from(i * i * i.signum()) / 30.0)
    }

    #[test]
    fn equal_weights_change_nothing_and_a_mode_that_hardly_counts_is_none() {
        let values: Vec<f64> = hump(0.0).chain(hump(100.0)).chain(hump(250.0)).collect();
        let sample = Sample::new(values).unwrap();
        let weighted = |weights: &[f64]| {
            let sample = WeightedSample::new(&sample, weights).unwrap();
            weighted_modes_at(&sample, Lowland::default())
        };
        let plain = modes(&sample);
        let same = weighted(&[2.0; 75]);
        assert_eq!((plain.len(), same.len()), (3, 3));
        for (plain, same) in plain.iter().zip(&same) {
            assert!((plain.location - same.location).abs() < 1e-6, "{plain:?} {same:?}");
            assert!((plain.share - same.share).abs() < 1e-12, "{plain:?} {same:?}");
        }
        for weight in [0.0, 1e-12, 1e-6] {
            let without = weighted(&[[1.0; 25], [weight; 25], [1.0; 25]].concat());
            assert_eq!(without.len(), 2, "{weight}: {without:?}");
            assert!((without[0].share - 0.5).abs() < 1e-4, "{weight}: {without:?}");
        }
    }
}
