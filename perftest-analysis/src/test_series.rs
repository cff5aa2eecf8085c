//! Series that the tests of several detectors and estimators share.

/// So many values at each level.
pub(crate) fn levels(levels: &[(usize, f64)]) -> impl Iterator<Item = f64> + '_ {
    levels.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count))
}

/// The levels with up to 1 added, in no order that matters.
pub(crate) fn noisy(steps: &[(usize, f64)]) -> Vec<f64> {
    levels(steps).enumerate().map(|(i, level)| level + (i * 37 % 11) as f64 / 10.0).collect()
}
