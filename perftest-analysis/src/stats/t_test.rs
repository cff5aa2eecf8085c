//! Student's tests of means.
//!
//! Definition: t is the difference of the means over its standard error. Pooled: one variance for both
//! samples, n + m - 2 degrees of freedom. Welch: a variance for each, freedom by Satterthwaite.
//!
//! Source: Student (1908), Welch (1947). Behaviour: exact for normal values, and nearly so for means of
//! many; one slow outlier inflates the error so that true changes go unseen. Without any spread there
//! is no error to measure by, and no answer.

use super::Moments;
use perftest_core::model::Sample;
use perftest_core::stats::student_upper_tail;

/// The result of a t test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// The statistic; negative where the first mean is smaller.
    pub t: f64,
    /// Degrees of freedom, a fraction in Welch's test.
    pub freedom: f64,
}

/// What the tests know of one sample.
struct SampleMoments {
    size: f64,
    mean: f64,
    variance: f64,
}

impl SampleMoments {
    fn of(values: &[f64]) -> Option<Self> {
        // A sum over a count gives equal values a variance that is not quite 0.
        let moments: Moments = values.iter().copied().collect();
        let (mean, variance) = (moments.mean()?, moments.variance()?);
        Some(Self { size: values.len() as f64, mean, variance })
    }

    /// Of the mean.
    fn squared_error(&self) -> f64 {
        self.variance / self.size
    }
}

impl TTest {
    /// Of samples that vary alike. `None` with fewer than two values in one, or no spread in both.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_analysis::stats::TTest;
    /// let one = Sample::new(vec![2.0, 1.0, 3.0, 4.0]).unwrap();
    /// let other = Sample::new(vec![6.0, 5.0, 7.0, 9.0]).unwrap();
    /// let test = TTest::pooled(&one, &other).unwrap();
    /// assert_eq!(test.freedom, 6.0);
    /// assert!((test.two_sided() - 0.007_364_059_2).abs() < 1e-10);
    /// ```
    pub fn pooled(one: &Sample, other: &Sample) -> Option<Self> {
        let (one, other) = (SampleMoments::of(one.values())?, SampleMoments::of(other.values())?);
        let freedom = one.size + other.size - 2.0;
        let squares = (one.size - 1.0) * one.variance + (other.size - 1.0) * other.variance;
        let error = squares / freedom * (1.0 / one.size + 1.0 / other.size);
        Self::of_difference(one.mean - other.mean, error, freedom)
    }

    /// Of samples that may vary differently. `None` as for [`pooled`](Self::pooled).
    pub fn welch(one: &Sample, other: &Sample) -> Option<Self> {
        let (one, other) = (SampleMoments::of(one.values())?, SampleMoments::of(other.values())?);
        let error = one.squared_error() + other.squared_error();
        let share = |it: &SampleMoments| (it.squared_error() / error).powi(2) / (it.size - 1.0);
        let freedom = 1.0 / (share(&one) + share(&other));
        Self::of_difference(one.mean - other.mean, error, freedom)
    }

    fn of_difference(difference: f64, squared_error: f64, freedom: f64) -> Option<Self> {
        let t = difference / squared_error.sqrt();
        (squared_error > 0.0 && t.is_finite()).then_some(Self { t, freedom })
    }

    /// Probability of a t as far from 0 where the means agree.
    pub fn two_sided(&self) -> f64 {
        2.0 * student_upper_tail(self.freedom, self.t.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn without_spread_there_is_no_answer() {
        let (flat, single) = (sample(&[3.0, 3.0, 3.0]), sample(&[3.0]));
        for test in [TTest::pooled, TTest::welch] {
            assert_eq!(test(&flat, &flat), None);
            assert_eq!(test(&flat, &single), None);
            for value in [0.1, 66.3] {
                let [long, short] = [30, 2].map(|size| sample(&vec![value; size]));
                assert_eq!(test(&long, &short), None);
            }
        }
    }

    #[test]
    fn spread_in_one_sample_is_enough() {
        let test = TTest::welch(&sample(&[3.0, 3.0, 3.0]), &sample(&[4.0, 5.0, 6.0])).unwrap();
        assert!((test.freedom - 2.0).abs() < 1e-12);
        assert!(test.t < 0.0 && test.two_sided() < 0.1);
    }

    #[test]
    fn values_too_large_to_square_are_no_answer() {
        let huge = sample(&[1e300, -1e300, 2e300]);
        assert_eq!(TTest::pooled(&huge, &huge), None);
    }
}
