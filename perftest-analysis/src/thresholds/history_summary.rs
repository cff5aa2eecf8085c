//! The figures of a history that the tests of a threshold need.

use super::{Compat, Quartiles};
use crate::stats::Moments;

/// Figures of a history; `None` for those that it lacks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HistorySummary {
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation; none without spread.
    pub deviation: Option<f64>,
    /// Number of values.
    pub size: Option<usize>,
    /// Quartiles of the values.
    pub quartiles: Option<Quartiles>,
    /// Quartiles of the changes between neighbours.
    pub change_quartiles: Option<Quartiles>,
    /// Mean and deviation of the logarithms.
    pub log: Option<LogSummary>,
}

/// Mean and standard deviation of the logarithms of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSummary {
    /// The mean.
    pub location: f64,
    /// The standard deviation, above 0.
    pub scale: f64,
}

impl LogSummary {
    /// Computes the figures of these values; `None` if one is not above 0, or without spread.
    pub fn of(values: &[f64], compat: Compat) -> Option<Self> {
        Self::from_moments(&values.iter().map(|value| value.ln()).collect(), compat)
    }

    /// Computes the figures from the moments of the logarithms.
    pub(super) fn from_moments(of_logarithms: &Moments, compat: Compat) -> Option<Self> {
        let location = of_logarithms.mean()?;
        Some(Self { location, scale: deviation(of_logarithms, compat)? })
    }
}

/// Returns the standard deviation; `None` with fewer than two values or without spread.
pub(super) fn deviation(moments: &Moments, compat: Compat) -> Option<f64> {
    let variance = moments.variance()?;
    let count = moments.count();
    let variance = match compat {
        Compat::Present => variance,
        Compat::Bencher062 => variance * (count - 1) as f64 / count as f64,
    };
    (variance > 0.0).then(|| variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thresholds::{Boundaries, ThresholdTest};

    impl HistorySummary {
        /// All figures at once, to compare with those of [`ThresholdTest::summary_of`] and the running ones.
        pub(in crate::thresholds) fn of(newest_first: &[f64], compat: Compat) -> Self {
            let moments: Moments = newest_first.iter().copied().collect();
            Self {
                mean: moments.mean(),
                deviation: deviation(&moments, compat),
                size: Some(newest_first.len()),
                quartiles: Quartiles::of(newest_first),
                change_quartiles: Quartiles::of_changes(newest_first),
                log: LogSummary::of(newest_first, compat),
            }
        }
    }

    #[test]
    fn values_that_agree_have_a_mean_and_no_deviation() {
        let flat = HistorySummary::of(&[2.0; 5], Compat::Present);
        assert_eq!((flat.mean, flat.deviation, flat.log), (Some(2.0), None, None));
        assert_eq!(flat.quartiles.map(|it| it.range()), Some(0.0));
    }

    #[test]
    fn the_former_deviation_was_divided_by_the_count() {
        let values = [5.0, 4.0, 3.0, 2.0, 1.0];
        let present = HistorySummary::of(&values, Compat::Present);
        assert_eq!((present.mean, present.deviation), (Some(3.0), Some(2.5_f64.sqrt())));
        let former = HistorySummary::of(&values, Compat::Bencher062);
        assert_eq!(former.deviation, Some(2.0_f64.sqrt()));
    }

    #[test]
    fn a_test_is_reported_all_that_its_limits_need() {
        let boundaries = Boundaries { lower: Some(0.9), upper: Some(0.9) };
        for values in [&[5.0, 4.0, 3.0, 2.0, 1.5][..], &[2.0, 2.0], &[1.0], &[]] {
            for test in ThresholdTest::ALL {
                for compat in [Compat::Present, Compat::Bencher062] {
                    let of = |it: HistorySummary| test.limits(boundaries, &it, compat);
                    let needed = test.summary_of(values, compat);
                    assert_eq!(of(needed), of(HistorySummary::of(values, compat)), "{test:?}");
                }
            }
        }
    }

    #[test]
    fn equal_values_have_no_deviation_whatever_they_are() {
        for value in [0.1, 1e-9, 66.3, 1e300] {
            for size in 2..40 {
                let flat = HistorySummary::of(&vec![value; size], Compat::Present);
                assert_eq!((flat.mean, flat.deviation), (Some(value), None), "{size} of {value}");
            }
        }
    }

    #[test]
    fn what_is_not_above_zero_has_no_logarithm() {
        assert_eq!(LogSummary::of(&[1.0, 0.0, 2.0], Compat::Present), None);
        assert_eq!(LogSummary::of(&[1.0, -1.0, 2.0], Compat::Present), None);
    }
}
