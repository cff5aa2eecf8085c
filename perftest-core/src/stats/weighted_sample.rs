//! Values that do not all count alike.
//!
//! Definition: sorted values with non-negative weights. The effective size is Kish's,
//! (sum w)^2 / sum w^2: as many equal weights would give a mean of the same precision. Source:
//! Kish, "Survey Sampling" (1965).

use crate::list::IntoList;
use crate::model::Sample;
use crate::order::sort_by;

/// A [`Sample`] whose values have weights, in ascending order. Values of weight 0 are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedSample {
    sorted: Vec<f64>,
    cumulative: Vec<f64>,
    size: f64,
}

impl WeightedSample {
    /// Gives the values of `sample`, in order of measurement, these weights. `None` when the weights are not as many as
    /// the values, one is negative or no number, or their sum is not above 0 and finite.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_core::stats::WeightedSample;
    /// let sample = Sample::new(vec![3.0, 1.0, 2.0]).unwrap();
    /// let weighted = WeightedSample::new(&sample, &[1.0, 0.0, 1.0]).unwrap();
    /// assert_eq!(weighted.sorted(), [2.0, 3.0]);
    /// assert_eq!(weighted.effective_size(), 2.0);
    /// ```
    pub fn new(sample: &Sample, weights: &[f64]) -> Option<Self> {
        let are_weights = weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
        let total: f64 = weights.iter().sum();
        if weights.len() != sample.size() || !are_weights || total == 0.0 || !total.is_finite() {
            return None;
        }
        let mut pairs: Vec<(f64, f64)> =
            sample.values().iter().copied().zip(weights.iter().map(|it| it / total)).into_list();
        pairs.retain(|(_, share)| *share > 0.0);
        sort_by(&mut pairs, &|a, b| a.0.total_cmp(&b.0));
        let size = 1.0 / pairs.iter().map(|(_, share)| share * share).sum::<f64>();
        let mut cumulative: Vec<f64> = pairs
            .iter()
            .scan(0.0, |sum, (_, share)| {
                *sum += share;
                Some(*sum)
            })
            .into_list();
        // Whatever the rounding of the sum, all values together are the whole.
        if let Some(whole) = cumulative.last_mut() {
            *whole = 1.0;
        }
        Some(Self {
            sorted: pairs.into_iter().map(|(value, _)| value).into_list(),
            cumulative,
            size,
        })
    }

    /// The values in ascending order, at least one.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// For each value in ascending order the share of the weights up to and including it; the
    /// last is 1.
    pub fn cumulative_shares(&self) -> &[f64] {
        &self.cumulative
    }

    /// Kish's effective size: the number of values when all weights are equal, less otherwise.
    pub fn effective_size(&self) -> f64 {
        self.size
    }
}

/// Values in ascending order with their shares of the weights, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct RankedValues<'a> {
    /// At least one.
    pub sorted: &'a [f64],
    /// `None` where all count alike.
    cumulative: Option<&'a [f64]>,
    /// The effective size.
    pub size: f64,
}

impl<'a> From<&'a WeightedSample> for RankedValues<'a> {
    fn from(sample: &'a WeightedSample) -> Self {
        Self { sorted: &sample.sorted, cumulative: Some(&sample.cumulative), size: sample.size }
    }
}

impl<'a> From<&'a Sample> for RankedValues<'a> {
    fn from(sample: &'a Sample) -> Self {
        Self { sorted: sample.sorted(), cumulative: None, size: sample.size() as f64 }
    }
}

impl<'a> RankedValues<'a> {
    /// The share of the weights up to and including the value of this rank, counted from 0.
    pub fn share(&self, rank: usize) -> f64 {
        match self.cumulative {
            Some(cumulative) => cumulative[rank],
            None => (rank + 1) as f64 / self.size,
        }
    }

    /// The share of the weights that the values of these ranks have together.
    pub(super) fn share_of(&self, ranks: std::ops::Range<usize>) -> f64 {
        let upto = |end: usize| end.checked_sub(1).map_or(0.0, |last| self.share(last));
        match self.cumulative {
            Some(_) => upto(ranks.end) - upto(ranks.start),
            None => ranks.len() as f64 / self.size,
        }
    }

    /// The ranks whose parts of the shares lie between these two, partly at least: at least one.
    pub fn between(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let last = self.sorted.len() - 1;
        self.first_from(from).min(last)..self.first_from(to).min(last) + 1
    }

    /// The value at the end that a probability of 0 or 1 means.
    pub fn end(&self, probability: f64) -> &'a [f64] {
        match probability <= 0.0 {
            true => &self.sorted[..1],
            false => &self.sorted[self.sorted.len() - 1..],
        }
    }

    /// The first rank whose share reaches this.
    fn first_from(&self, share: f64) -> usize {
        let (mut low, mut high) = (0, self.sorted.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.share(middle) < share {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl From<&Sample> for WeightedSample {
    /// All values count alike.
    fn from(sample: &Sample) -> Self {
        let size = sample.size() as f64;
        Self {
            sorted: sample.sorted().to_vec(),
            cumulative: (1..=sample.size()).map(|rank| rank as f64 / size).into_list(),
            size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_weight_is_refused() {
        let sample = Sample::new(vec![1.0, 2.0]).unwrap();
        let refused: [&[f64]; 4] = [&[1.0], &[1.0, -1.0], &[0.0, 0.0], &[f64::MAX, f64::MAX]];
        for weights in refused {
            assert_eq!(WeightedSample::new(&sample, weights), None);
        }
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let sample = Sample::new(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(WeightedSample::new(&sample, &[0.5; 4]), Some(WeightedSample::from(&sample)));
    }
}
