//! Rank bounds of the ratio between two samples.
//!
//! Definition: those of the shift between the logarithms. Source and behaviour: `shift_bounds.rs`.

use super::{RankStep, shift_bounds};
use crate::list::IntoList;
use crate::model::{Interval, Sample};

/// Estimate and bounds of `current / before`, each bound missing with `misrate_per_side`; `None`
/// when the samples are too small for that misrate or a value is not above 0.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_core::stats::{RankStep, ratio_bounds};
/// let before = Sample::new((100..130).map(f64::from).collect()).unwrap();
/// let current = Sample::new(vec![220.0, 221.0, 222.0]).unwrap();
/// let bounds = ratio_bounds(&current, &before, 0.001, RankStep::Conservative).unwrap();
/// assert!(bounds.lower > 1.6 && bounds.upper < 2.3);
/// ```
pub fn ratio_bounds(
    current: &Sample,
    before: &Sample,
    misrate_per_side: f64,
    step: RankStep,
) -> Option<Interval> {
    let (current, before) = (logarithms(current)?, logarithms(before)?);
    shift_bounds(&current, &before, misrate_per_side, step).map(|bounds| bounds.map(f64::exp))
}

fn logarithms(sample: &Sample) -> Option<Sample> {
    Sample::new(sample.values().iter().map(|value| value.ln()).into_list()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_above_zero_have_no_ratio() {
        let sample = |first: f64| Sample::new(vec![first, 1.0, 2.0, 3.0, 4.0]).unwrap();
        let bounds = |current, before| {
            ratio_bounds(&sample(current), &sample(before), 0.05, RankStep::Conservative)
        };
        assert!(bounds(0.5, 0.5).is_some());
        assert_eq!(bounds(0.0, 0.5), None);
        assert_eq!(bounds(0.5, -1.0), None);
    }
}
