//! Mean and variance of values that arrive one by one.
//!
//! Definition: the [`mean`](super::mean), and the sum of squared distances from it over the count less one. Source: B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and
//! Products", Technometrics 4 (1962). Behaviour: nothing is lost where the mean is large beside the
//! variance, and equal values have the variance 0 exactly, which a sum over a count rounds away.

/// The moments of the values so far.
///
/// ```
/// use perftest_analysis::stats::Moments;
/// let mut moments = Moments::default();
/// [0.1; 10].into_iter().for_each(|value| moments.add(value));
/// assert_eq!((moments.mean(), moments.variance()), (Some(0.1), Some(0.0)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: usize,
    mean: f64,
    squared_error: f64,
}

impl Moments {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squared_error += distance * (value - self.mean);
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the mean; `None` without values, or if it is not finite.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0 && self.mean.is_finite()).then_some(self.mean)
    }

    /// Returns the variance; `None` with fewer than two values, or if it is not finite.
    pub fn variance(&self) -> Option<f64> {
        let freedom = self.count.checked_sub(2)? + 1;
        let variance = self.squared_error / freedom as f64;
        variance.is_finite().then_some(variance)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_variance_beside_a_large_mean_is_not_lost() {
        let moments: Moments = (0..1_000_u32).map(|it| 1e12 + f64::from(it % 2)).collect();
        let variance = moments.variance().unwrap();
        assert!((variance - 250.0 / 999.0).abs() < 1e-6, "{variance}");
    }

    #[test]
    fn what_is_no_number_makes_no_answer() {
        for value in [f64::NAN, f64::INFINITY] {
            let moments: Moments = [1.0, value, 2.0].into_iter().collect();
            assert_eq!((moments.mean(), moments.variance()), (None, None));
        }
        assert_eq!(Moments::default().mean(), None);
        assert_eq!([1.0].into_iter().collect::<Moments>().variance(), None);
    }
}
