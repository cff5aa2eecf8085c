//! Functions of Skia's `vec32` that its steps do without.
//!
//! Definition: those of [`trace`](perftest_analysis::detect::trace), in 32 bits, with missing values skipped.
//! Source: Skia's `vec32` (state of August 2026), in own words.

use crate::stats::HyndmanFan;
use perftest_analysis::detect::trace::{MISSING, mean, median, present, squared_error};
use perftest_core::model::Sample;

/// Fewer values have no deviation on either side of their median.
const FEWEST_TWO_SIDED: usize = 4;
/// Of the quartiles' distance, beyond which a value is an outlier.
const OUTLIER_REACH: f64 = 1.5;

/// The middle of a trace and how far it scatters to each side of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoSided {
    /// The median.
    pub median: f32,
    /// Deviation of the lower half from the median.
    pub lower: f32,
    /// Deviation of the upper half from the median.
    pub upper: f32,
}

/// The median with the sample deviation of each half about it; `None` below four values. With an
/// odd number the middle value belongs to the upper half.
///
/// ```
/// use perftest_conformance::detect::vec32::two_sided_deviation;
/// let about = two_sided_deviation(&[1.0, 2.0, 1.0, 1.0]).unwrap();
/// assert_eq!((about.median, about.lower, about.upper), (1.0, 0.0, 1.0));
/// ```
pub fn two_sided_deviation(trace: &[f32]) -> Option<TwoSided> {
    let mut sorted: Vec<f32> = present(trace).collect();
    if sorted.len() < FEWEST_TWO_SIDED {
        return None;
    }
    sorted.sort_unstable_by(f32::total_cmp);
    let median = median(trace);
    let (lower, upper) = sorted.split_at(sorted.len() / 2);
    let deviation = |half: &[f32]| {
        let variance = f64::from(squared_error(half, median)) / (half.len() - 1) as f64;
        variance.sqrt() as f32
    };
    Some(TwoSided { median, lower: deviation(lower), upper: deviation(upper) })
}

/// How many deviations (of its own side, at most `most`) the last value lies from the median of
/// those before it, and what it is compared with. `None` where the last value is missing, fewer
/// than four come before it, or it lies on the median of values that do not scatter.
///
/// ```
/// use perftest_conformance::detect::vec32::last_in_deviations;
/// let (deviations, about) = last_in_deviations(&[1.0, 1.0, 1.0, 1.0, 1.1], 1000.0).unwrap();
/// assert_eq!((deviations, about.median), (1000.0, 1.0));
/// ```
pub fn last_in_deviations(trace: &[f32], most: f32) -> Option<(f32, TwoSided)> {
    let (&last, earlier) = trace.split_last()?;
    let about = two_sided_deviation(earlier).filter(|_| last != MISSING)?;
    let side = if last < about.median { about.lower } else { about.upper };
    let deviations = (last - about.median) / side;
    (!deviations.is_nan()).then(|| (deviations.min(most).max(-most), about))
}

/// The mean of the first half divided by that of the second; [`MISSING`] where that is no number.
///
/// ```
/// use perftest_analysis::detect::trace::MISSING;
/// use perftest_conformance::detect::vec32::step_ratio;
/// assert_eq!(step_ratio(&[3.0, 5.0, 2.0, 2.0, 2.0]), 2.0);
/// assert_eq!(step_ratio(&[1.0]), MISSING);
/// ```
pub fn step_ratio(trace: &[f32]) -> f32 {
    let (first, second) = trace.split_at(trace.len() / 2);
    let is_known = [first, second].iter().all(|half| present(half).next().is_some());
    let ratio = mean(first) / mean(second);
    if is_known && ratio.is_finite() { ratio } else { MISSING }
}

/// The trace with its outliers missing: what lies more than 1.5 times the quartiles' distance
/// outside of them (quartiles of type 8).
///
/// ```
/// use perftest_analysis::detect::trace::MISSING;
/// use perftest_conformance::detect::vec32::without_outliers;
/// assert_eq!(without_outliers(&[1.0, 2.0, 90.0, 1.0, 2.0])[2], MISSING);
/// ```
pub fn without_outliers(trace: &[f32]) -> Vec<f32> {
    let Ok(sample) = Sample::new(present(trace).map(f64::from).collect()) else {
        return trace.to_vec();
    };
    let quartile = |probability| HyndmanFan::Type8.quantile(&sample, probability);
    let (first, third) = (quartile(0.25), quartile(0.75));
    let reach = OUTLIER_REACH * (third - first);
    let inside = first - reach..=third + reach;
    let kept = |value: f32| if inside.contains(&f64::from(value)) { value } else { MISSING };
    trace.iter().map(|value| kept(*value)).collect()
}

/// The trace with each missing value replaced by the next one that is known, at the end by the last
/// known; all 0 where none is.
///
/// ```
/// use perftest_analysis::detect::trace::MISSING;
/// use perftest_conformance::detect::vec32::filled;
/// assert_eq!(filled(&[3.0, MISSING, 5.0, MISSING]), [3.0, 5.0, 5.0, 5.0]);
/// ```
pub fn filled(trace: &[f32]) -> Vec<f32> {
    let mut next = present(trace).last().unwrap_or(0.0);
    let mut filled = trace.to_vec();
    for value in filled.iter_mut().rev() {
        if *value == MISSING {
            *value = next;
        }
        next = *value;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_changes_nothing() {
        let (whole, holes) = ([1.0, 4.0, 2.0, 9.0], [1.0, MISSING, 4.0, 2.0, MISSING, 9.0]);
        assert_eq!(two_sided_deviation(&whole), two_sided_deviation(&holes));
    }

    #[test]
    fn nothing_and_all_missing_have_an_answer_everywhere() {
        for trace in [&[][..], &[MISSING, MISSING]] {
            assert_eq!(step_ratio(trace), MISSING);
            assert_eq!(without_outliers(trace), trace);
            assert_eq!(filled(trace), vec![0.0; trace.len()]);
            assert_eq!(two_sided_deviation(trace), None);
            assert_eq!(last_in_deviations(trace, 10.0), None);
        }
    }

    #[test]
    fn the_last_value_is_measured_by_the_scatter_of_its_own_side() {
        let earlier = [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0];
        let of = |last: f32| {
            let trace: Vec<f32> = earlier.into_iter().chain([last]).collect();
            last_in_deviations(&trace, 1000.0).unwrap().0
        };
        assert!((of(20.0) - 6.0 / 2.160_246_8).abs() < 1e-6);
        assert!((of(8.0) + 6.0 / 2.645_751_2).abs() < 1e-6);
    }
}
