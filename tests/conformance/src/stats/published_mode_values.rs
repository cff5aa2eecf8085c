//! The values of each mode with the outliers of Perfolizer.
//!
//! Definition: as [`mode_values`](perftest_analysis::stats::mode_values), by the double median absolute
//! deviation of interpolated quantiles. Behaviour: if half of the values of a mode agree, every other one
//! is an outlier.

use super::Fences;
use perftest_analysis::stats::{ModeValues, by_mode};
use perftest_core::model::Sample;
use perftest_core::stats::{MedianAbsoluteDeviation, Mode};

/// Splits the values of `sample` by its `modes`; omits a mode without values.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::mode_values;
/// use perftest_conformance::stats::published_mode_values;
/// use perftest_core::stats::modes;
/// let sample = Sample::new([[0.0; 9].as_slice(), &[1.0]].concat()).unwrap();
/// let modes = modes(&sample);
/// assert!(mode_values(&sample, &modes)[0].above.is_empty());
/// assert_eq!(published_mode_values(&sample, &modes)[0].above, [1.0]);
/// ```
pub fn published_mode_values<'a>(sample: &'a Sample, modes: &[Mode]) -> Vec<ModeValues<'a>> {
    let parts = by_mode(sample, modes).into_iter();
    parts.filter_map(|(mode, values)| parted(mode, values)).collect()
}

fn parted(mode: Mode, values: &[f64]) -> Option<ModeValues<'_>> {
    let sample = Sample::new(values.to_vec()).ok()?;
    let fences = Fences::double_mad(&sample, MedianAbsoluteDeviation::INTERPOLATED);
    let (below, rest) = values.split_at(values.partition_point(|value| *value < fences.lower));
    let (inside, above) = rest.split_at(rest.partition_point(|value| *value <= fences.upper));
    Some(ModeValues { mode, below, inside, above })
}
