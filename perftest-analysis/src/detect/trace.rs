//! The values of one trace in 32-bit arithmetic, some of them missing.
//!
//! Definition: a missing value is [`MISSING`]; every function skips it. Sums run from the first value
//! to the last in 32 bits, so that a step on the edge of a threshold falls on the same side as
//! where it was first computed. Source: Skia's `vec32` (state of August 2026), in own words.
//! Behaviour: 32 bits hold seven digits; a trace around 10^7 with a spread below 1 is all
//! rounding. Cost: one or two passes; a sort where there is a median.

use perftest_core::model::Sample;
use perftest_core::stats::HyndmanFan;

/// Stands for a value that is missing.
pub const MISSING: f32 = 1e32;

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

/// Those values that are not missing, in their order.
pub fn present(trace: &[f32]) -> impl Iterator<Item = f32> + Clone + '_ {
    trace.iter().copied().filter(|value| *value != MISSING)
}

/// The mean; 0 where all are missing.
///
/// ```
/// use perftest_analysis::detect::trace::{MISSING, mean};
/// assert_eq!(mean(&[1.0, MISSING, 2.0]), 1.5);
/// assert_eq!(mean(&[MISSING]), 0.0);
/// ```
pub fn mean(trace: &[f32]) -> f32 {
    known_mean(trace).unwrap_or(0.0)
}

fn known_mean(trace: &[f32]) -> Option<f32> {
    let count = present(trace).count();
    (count > 0).then(|| present(trace).sum::<f32>() / count as f32)
}

/// The sum of the squared distances from `base`.
pub fn squared_error(trace: &[f32], base: f32) -> f32 {
    present(trace).map(|value| (value - base) * (value - base)).sum()
}

/// The sample deviation about `base` (divisor: one less than the values); 0 for fewer than two.
///
/// The root is not narrowed to 32 bits.
///
/// ```
/// use perftest_analysis::detect::trace::deviation_about;
/// assert_eq!(deviation_about(&[1.0, 1.0], 0.0), 2_f64.sqrt());
/// ```
pub fn deviation_about(trace: &[f32], base: f32) -> f64 {
    match present(trace).count() {
        0 | 1 => 0.0,
        count => f64::from(squared_error(trace, base) / (count - 1) as f32).sqrt(),
    }
}

/// The trace less its mean, and divided by its deviation (divisor: all values) if that is above
/// `min_deviation`.
///
/// ```
/// use perftest_analysis::detect::trace::{MISSING, normalised};
/// assert_eq!(normalised(&[MISSING, 5.0, 1.0], 0.1), [MISSING, 1.0, -1.0]);
/// ```
pub fn normalised(trace: &[f32], min_deviation: f32) -> Vec<f32> {
    let Some(mean) = known_mean(trace) else {
        return trace.to_vec();
    };
    let variance = squared_error(trace, mean) / present(trace).count() as f32;
    let deviation = f64::from(variance).sqrt() as f32;
    let unit = if deviation > min_deviation { deviation } else { 1.0 };
    let moved = |value: f32| if value == MISSING { value } else { (value - mean) / unit };
    trace.iter().map(|value| moved(*value)).collect()
}

/// The median; 0 where all are missing.
pub fn median(trace: &[f32]) -> f32 {
    middle(&sorted(trace)).unwrap_or(0.0)
}

fn sorted(trace: &[f32]) -> Vec<f32> {
    let mut sorted: Vec<f32> = present(trace).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    sorted
}

fn middle(sorted: &[f32]) -> Option<f32> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[half - 1] + upper) / 2.0 })
}

/// The median with the sample deviation of each half about it; `None` below four values. With an
/// odd number the middle value belongs to the upper half.
///
/// ```
/// use perftest_analysis::detect::trace::two_sided_deviation;
/// let about = two_sided_deviation(&[1.0, 2.0, 1.0, 1.0]).unwrap();
/// assert_eq!((about.median, about.lower, about.upper), (1.0, 0.0, 1.0));
/// ```
pub fn two_sided_deviation(trace: &[f32]) -> Option<TwoSided> {
    let sorted = sorted(trace);
    let median = middle(&sorted).filter(|_| sorted.len() >= FEWEST_TWO_SIDED)?;
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
/// use perftest_analysis::detect::trace::last_in_deviations;
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
/// use perftest_analysis::detect::trace::{MISSING, step_ratio};
/// assert_eq!(step_ratio(&[3.0, 5.0, 2.0, 2.0, 2.0]), 2.0);
/// assert_eq!(step_ratio(&[1.0]), MISSING);
/// ```
pub fn step_ratio(trace: &[f32]) -> f32 {
    let (first, second) = trace.split_at(trace.len() / 2);
    let ratio = known_mean(first).zip(known_mean(second)).map(|(first, second)| first / second);
    ratio.filter(|ratio| ratio.is_finite()).unwrap_or(MISSING)
}

/// The trace with its outliers missing: what lies more than 1.5 times the quartiles' distance
/// outside of them (quartiles of type 8).
///
/// ```
/// use perftest_analysis::detect::trace::{MISSING, without_outliers};
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
/// use perftest_analysis::detect::trace::{MISSING, filled};
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
        assert_eq!(mean(&whole), mean(&holes));
        assert_eq!(median(&whole), median(&holes));
        assert_eq!(squared_error(&whole, 1.0), squared_error(&holes, 1.0));
        assert_eq!(deviation_about(&whole, 4.0), deviation_about(&holes, 4.0));
        assert_eq!(two_sided_deviation(&whole), two_sided_deviation(&holes));
        let normal: Vec<f32> = present(&normalised(&holes, 0.1)).collect();
        assert_eq!(normalised(&whole, 0.1), normal);
    }

    #[test]
    fn nothing_and_all_missing_have_an_answer_everywhere() {
        for trace in [&[][..], &[MISSING, MISSING]] {
            assert_eq!((mean(trace), median(trace), step_ratio(trace)), (0.0, 0.0, MISSING));
            assert_eq!(normalised(trace, 0.1), trace);
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
