//! The values of each mode, with its outliers apart.
//!
//! Definition: a value belongs to the mode whose part of the range it lies in; inside a mode, those
//! beyond the fences of the double median absolute deviation are outliers. Source: Akinshin,
//! "Intermodal outliers" (2020). Behaviour: finds outliers between two modes, which no fence round
//! the whole sample does; of a mode of which half of the values agree only multiples of these are some.

use super::outliers::Fences;
use perftest_core::model::Sample;
use perftest_core::stats::Mode;

/// The values of one mode, each group in ascending order; `inside` is never empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeValues<'a> {
    /// The mode.
    pub mode: Mode,
    /// Its outliers below.
    pub below: &'a [f64],
    /// Its values.
    pub inside: &'a [f64],
    /// Its outliers above.
    pub above: &'a [f64],
}

impl<'a> ModeValues<'a> {
    fn of(mode: Mode, values: &'a [f64]) -> Option<Self> {
        let fences = Fences::of(&Sample::new(values.to_vec()).ok()?);
        let (below, rest) = values.split_at(values.partition_point(|it| fences.is_below(*it)));
        let (inside, above) = rest.split_at(rest.partition_point(|it| !fences.is_above(*it)));
        Some(Self { mode, below, inside, above })
    }
}

/// Splits the values of `sample` by its `modes`; omits a mode without values.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::mode_values;
/// use perftest_core::stats::modes;
/// let hump = (0..21).map(|i| 100.0 + f64::from(i % 7) + f64::from(i % 3));
/// let sample = Sample::new(hump.chain([150.0]).collect()).unwrap();
/// let parts = mode_values(&sample, &modes(&sample));
/// assert_eq!((parts[0].inside.len(), parts[0].above), (21, [150.0].as_slice()));
/// ```
pub fn mode_values<'a>(sample: &'a Sample, modes: &[Mode]) -> Vec<ModeValues<'a>> {
    let parts = by_mode(sample, modes).into_iter();
    parts.filter_map(|(mode, values)| ModeValues::of(mode, values)).collect()
}

/// Splits the values of `sample` by its `modes`, in ascending order, with outliers.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::by_mode;
/// use perftest_core::stats::modes;
/// let sample = Sample::new((0..21).map(f64::from).collect()).unwrap();
/// assert_eq!(by_mode(&sample, &modes(&sample))[0].1, sample.sorted());
/// ```
pub fn by_mode<'a>(sample: &'a Sample, modes: &[Mode]) -> Vec<(Mode, &'a [f64])> {
    let mut rest = sample.sorted();
    let mut parts = Vec::new();
    for (index, mode) in (1..).zip(modes) {
        let upto = match index == modes.len() {
            true => rest.len(),
            false => rest.partition_point(|value| *value <= mode.upper),
        };
        let (values, above) = rest.split_at(upto);
        parts.push((*mode, values));
        rest = above;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::modes;

    #[test]
    fn a_value_between_two_modes_is_an_outlier() {
        let hump = |level: f64| (-12_i32..=12).map(move |i| level + f64::from(i) / 3.0);
        let values = hump(0.0).chain(hump(100.0)).chain([40.0]);
        let sample = Sample::new(values.collect()).unwrap();
        let parts = mode_values(&sample, &modes(&sample));
        assert_eq!(parts.len(), 2, "{parts:?}");
        let between = [parts[0].above, parts[1].below].concat();
        assert_eq!(between, [40.0]);
        let all: usize =
            parts.iter().map(|it| it.below.len() + it.inside.len() + it.above.len()).sum();
        assert_eq!(all, sample.size());
    }
}
