//! The values of one trace in 32-bit arithmetic, some of them missing.
//!
//! Definition: a missing value is [`MISSING`]; every function skips it. Sums run from the first value
//! to the last in 32 bits, so that a step on the edge of a threshold falls on the same side as
//! where it was first computed. Source: Skia's `vec32` (state of August 2026), in own words.
//! Behaviour: 32 bits hold seven digits; a trace around 10^7 with a spread below 1 is all
//! rounding. Cost: one or two passes; a sort where there is a median.

/// Stands for a value that is missing.
pub const MISSING: f32 = 1e32;

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
        let normal: Vec<f32> = present(&normalised(&holes, 0.1)).collect();
        assert_eq!(normalised(&whole, 0.1), normal);
    }

    #[test]
    fn nothing_and_all_missing_have_an_answer_everywhere() {
        for trace in [&[][..], &[MISSING, MISSING]] {
            assert_eq!((mean(trace), median(trace)), (0.0, 0.0));
            assert_eq!(normalised(trace, 0.1), trace);
        }
    }
}
