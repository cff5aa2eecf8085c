//! The variance about a given centre.
//!
//! Definition: the sum of squared distances from the centre over the count less one.

use perftest_analysis::stats::squared_error_about;

/// The variance about a centre; `None` with fewer than two values, or where it is not finite.
///
/// ```
/// use perftest_conformance::stats::variance_about;
/// assert_eq!(variance_about(1.5, &[1.0, 2.0]), Some(0.5));
/// assert_eq!(variance_about(1.0, &[1.0]), None);
/// ```
pub fn variance_about(center: f64, values: &[f64]) -> Option<f64> {
    let freedom = values.len().checked_sub(2)? + 1;
    let variance = squared_error_about(center, values) / freedom as f64;
    variance.is_finite().then_some(variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overflows_is_no_answer_and_values_on_their_centre_do_not_vary() {
        assert_eq!(variance_about(0.0, &[f64::MAX, 0.0]), None);
        assert_eq!(variance_about(3.0, &[3.0, 3.0, 3.0]), Some(0.0));
    }
}
