//! Student's tests of one mean.
//!
//! Definition: t is the difference of the mean from the expected one over its standard error, with n - 1
//! degrees of freedom. Paired: the mean of the differences of two samples. Source: Student (1908).
//! Behaviour: as the tests of [`TTest`], which compare two means.

use super::variance_about;
use perftest_analysis::stats::{TTest, mean};
use perftest_core::model::Sample;
use perftest_core::stats::student_upper_tail;

/// Of one sample against a mean. `None` with fewer than two values or no spread.
pub fn mean_t_test(sample: &Sample, mean: f64) -> Option<TTest> {
    of_values(sample.values(), mean)
}

/// Of values that belong together in pairs, against a mean difference. `None` where there are not
/// as many in both, fewer than two, or no spread of the differences.
pub fn paired_t_test(one: &Sample, other: &Sample, difference: f64) -> Option<TTest> {
    let pairs = one.values().iter().zip(other.values());
    let differences: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
    let is_paired = one.size() == other.size();
    is_paired.then(|| of_values(&differences, difference)).flatten()
}

fn of_values(values: &[f64], expected: f64) -> Option<TTest> {
    let mean = mean(values)?;
    let squared_error = variance_about(mean, values)? / values.len() as f64;
    let t = (mean - expected) / squared_error.sqrt();
    let freedom = values.len() as f64 - 1.0;
    (squared_error > 0.0 && t.is_finite()).then_some(TTest { t, freedom })
}

/// Probability of a t as large where the means agree.
pub fn greater(test: &TTest) -> f64 {
    let beyond = student_upper_tail(test.freedom, test.t.abs());
    if test.t < 0.0 { 1.0 - beyond } else { beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn without_spread_there_is_no_answer() {
        let pair = sample(&[1.0, 2.0]);
        assert_eq!(paired_t_test(&pair, &sample(&[2.0, 3.0]), 0.0), None);
        assert_eq!(paired_t_test(&pair, &sample(&[3.0, 3.0, 3.0]), 0.0), None);
        assert_eq!(mean_t_test(&sample(&[3.0]), 0.0), None);
    }
}
