//! Validated values: the input of every statistic.

use super::Interval;
use crate::order::sort_numbers;
use std::fmt;

/// At least one finite value. Estimators need no further check.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

/// Why values are no [`Sample`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleError {
    /// There is no value at all.
    Empty,
    /// The value at this index is NaN or infinite.
    NotFinite {
        /// Index of the first such value.
        index: usize,
        /// The value.
        value: f64,
    },
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a sample needs at least one value"),
            Self::NotFinite { index, value } => {
                write!(
                    f,
                    "value {index} of the sample is {value}, which is not a number to compare"
                )
            }
        }
    }
}

impl std::error::Error for SampleError {}

impl Sample {
    /// Validates `values`, kept in their order of measurement.
    ///
    /// # Errors
    /// [`SampleError`] when there is no value or one is NaN or infinite.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// assert_eq!(Sample::new(vec![3.0, 1.0, 2.0]).unwrap().median(), 2.0);
    /// assert!(Sample::new(vec![f64::NAN]).is_err());
    /// ```
    pub fn new(values: Vec<f64>) -> Result<Self, SampleError> {
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(SampleError::NotFinite { index, value: values[index] });
        }
        let mut sorted = values.clone();
        sort_numbers(&mut sorted);
        Ok(Self { values, sorted })
    }

    /// The values in order of measurement.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Number of values, at least 1.
    pub fn size(&self) -> usize {
        self.values.len()
    }

    /// The middle value, or the mean of the two middle values.
    pub fn median(&self) -> f64 {
        middle(&self.sorted)
    }

    /// Median, smallest and largest value.
    ///
    /// ```
    /// use perftest_core::model::{Interval, Sample};
    /// let range = Sample::new(vec![3.0, 1.0, 2.0]).unwrap().range();
    /// assert_eq!(range, Interval { estimate: 2.0, lower: 1.0, upper: 3.0 });
    /// ```
    pub fn range(&self) -> Interval {
        let (lower, upper) = (self.sorted[0], self.sorted[self.sorted.len() - 1]);
        Interval { estimate: self.median(), lower, upper }
    }

    /// The median of `values`; `None` where they are no sample.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// assert_eq!(Sample::median_of(&[4.0, 1.0]), Some(2.5));
    /// assert_eq!(Sample::median_of(&[]), None);
    /// ```
    pub fn median_of(values: &[f64]) -> Option<f64> {
        Self::median_of_list(values.to_vec())
    }

    /// The same, of values that need not be copied to be sorted.
    pub(super) fn median_of_list(mut values: Vec<f64>) -> Option<f64> {
        if !values.iter().all(|value| value.is_finite()) {
            return None;
        }
        sort_numbers(&mut values);
        Self::median_of_sorted(&values)
    }

    /// The median of finite values in ascending order; `None` without any.
    pub(crate) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
        (!sorted.is_empty()).then(|| middle(sorted))
    }
}

/// The middle of values in ascending order, at least one.
fn middle(sorted: &[f64]) -> f64 {
    let size = sorted.len();
    let (lower, upper) = (sorted[(size - 1) / 2], sorted[size / 2]);
    if size.is_multiple_of(2) { lower + 0.5 * (upper - lower) } else { lower }
}
