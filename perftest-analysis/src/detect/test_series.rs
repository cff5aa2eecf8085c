//! Series that the tests of several detectors share.

/// So many values at each level.
pub(super) fn levels(levels: &[(usize, f64)]) -> impl Iterator<Item = f64> + '_ {
    levels.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count))
}

/// The levels with up to 1 added, in no order that matters.
pub(super) fn noisy(steps: &[(usize, f64)]) -> Vec<f64> {
    levels(steps).enumerate().map(|(i, level)| level + (i * 37 % 11) as f64 / 10.0).collect()
}
