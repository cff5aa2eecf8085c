//! Noise for tests.

use perftest_core::stats::Random;

/// A nearly normal number of deviation 1: the sum of twelve even ones.
pub(crate) fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.between(-0.5, 0.5)).sum()
}
