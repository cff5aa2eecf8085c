//! Series with random noise, for the tests of several detectors.

use super::test_series::levels;
use perftest_core::stats::Random;

/// The levels with up to `noise` added or taken off by lot.
pub(super) fn scattered(steps: &[(usize, f64)], noise: f64, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    levels(steps).map(|level| level + random.between(-noise, noise)).collect()
}
