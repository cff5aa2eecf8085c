//! Time per iteration, from samples and from the time that an iteration takes without them.
//!
//! Definition: with T = time of all sampled threads per iteration and p = share of the samples in a function, the
//! function takes T p per iteration. Its variance is T^2 p (1 - p) / n + p^2 var(T): of the samples, and of T
//! itself. Without the second term every function with a large share would seem to change between two equal
//! profiles. A share of none or of all samples has no variance of its own, so p of the first term is
//! (n p + 1) / (n + 2), as Laplace estimates it. A change is beyond chance by z, the change divided by its standard
//! deviation.

use perftest_core::model::{Interval, Sample};
use perftest_core::stats::normal_quantile;
use std::f64::consts::FRAC_PI_2;

/// Intervals miss the true value with this probability.
const MISRATE: f64 = 0.05;
/// Makes a median absolute deviation a standard deviation of normal values: 1 / the quantile of 0.75.
const DEVIATION_OF_NORMAL: f64 = 1.4826;

/// How long an iteration takes without samples, with its set-up and drops, and for how long it was sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationTime {
    /// Median.
    pub ns: f64,
    /// Standard error of the median.
    pub error_ns: f64,
    /// Time with samples.
    pub sampled_ns: f64,
}

impl IterationTime {
    /// From the times of an iteration in several blocks; `None` without any.
    ///
    /// ```
    /// use perftest_analysis::profile::IterationTime;
    /// let time = IterationTime::of_blocks(&[100.0, 101.0, 99.0, 100.0, 400.0], 1e9).unwrap();
    /// assert_eq!(time.ns, 100.0);
    /// assert!(time.error_ns < 1.0);
    /// assert_eq!(IterationTime::of_blocks(&[], 1e9), None);
    /// ```
    pub fn of_blocks(blocks_ns: &[f64], sampled_ns: f64) -> Option<Self> {
        let ns = Sample::median_of(blocks_ns)?;
        let distances: Vec<f64> = blocks_ns.iter().map(|block| (block - ns).abs()).collect();
        let deviation = DEVIATION_OF_NORMAL * Sample::median_of(&distances)?;
        // Of normal values, the median has the error of the mean times the root of pi / 2.
        let error_ns = deviation * (FRAC_PI_2 / blocks_ns.len() as f64).sqrt();
        Self { ns, error_ns, sampled_ns }.checked()
    }

    /// The same, if time can be divided by it.
    pub(super) fn checked(self) -> Option<Self> {
        let Self { ns, error_ns, sampled_ns } = self;
        let is_positive = |number: f64| number.is_finite() && number > 0.0;
        let is_usable = is_positive(ns) && is_positive(sampled_ns) && error_ns.is_finite();
        (is_usable && error_ns >= 0.0).then_some(self)
    }

    /// The time per iteration of a weight in nanoseconds, of a profile with this weight and so many samples.
    pub fn of_weight(&self, weight: u64, whole: u64, samples: u64) -> SampledTime {
        let all = self.ns * whole as f64 / self.sampled_ns;
        let share = if whole == 0 { 0.0 } else { weight as f64 / whole as f64 };
        let n = samples.max(1) as f64;
        let likely = (share * n + 1.0) / (n + 2.0);
        let by_samples = all.powi(2) * likely * (1.0 - likely) / n;
        let by_time = (share * all * self.error_ns / self.ns).powi(2);
        SampledTime { ns: share * all, variance: by_samples + by_time }
    }
}

/// Time per iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledTime {
    /// The estimate.
    pub ns: f64,
    /// Its variance.
    pub variance: f64,
}

/// The time per iteration of one function in two profiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeChange {
    /// In the base profile, nanoseconds.
    pub base: f64,
    /// In the new one.
    pub new: f64,
    /// New minus base, with bounds that miss the true change with a probability of 5%.
    pub change: Interval,
    /// The change in standard deviations.
    pub z: f64,
}

impl TimeChange {
    /// Compares two times.
    pub fn of(base: SampledTime, new: SampledTime) -> Self {
        let change = new.ns - base.ns;
        let deviation = (base.variance + new.variance).sqrt();
        let distance = normal_quantile(1.0 - MISRATE / 2.0) * deviation;
        let z = if deviation > 0.0 { change / deviation } else { 0.0 };
        let change =
            Interval { estimate: change, lower: change - distance, upper: change + distance };
        Self { base: base.ns, new: new.ns, change, z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_share_has_the_uncertainty_of_the_time_itself() {
        let time = IterationTime { ns: 1e6, error_ns: 1e4, sampled_ns: 1e9 };
        let most = time.of_weight(960_000_000, 1_000_000_000, 100_000_000);
        assert!((most.ns - 960_000.0).abs() < 1e-6);
        // 1% of the time, and next to nothing of the samples.
        assert!((most.variance.sqrt() - 9_600.0).abs() < 10.0, "{}", most.variance.sqrt());
        let few = time.of_weight(500_000_000, 1_000_000_000, 100);
        assert!((few.variance.sqrt() - 1e6 * 0.05).abs() < 300.0, "{}", few.variance.sqrt());
    }

    #[test]
    fn two_threads_take_twice_the_time_of_an_iteration() {
        let time = IterationTime { ns: 1e6, error_ns: 0.0, sampled_ns: 1e9 };
        let both = time.of_weight(2_000_000_000, 2_000_000_000, 4_000);
        assert!((both.ns - 2e6).abs() < 1e-6);
    }

    #[test]
    fn a_function_without_a_sample_may_have_some_time() {
        let time = IterationTime { ns: 1e6, error_ns: 0.0, sampled_ns: 1e9 };
        let of = |weight| time.of_weight(weight, 1_000_000, 1_000);
        let new = TimeChange::of(of(0), of(2_000));
        assert!(new.change.lower < 0.0 && new.z < 2.0, "{new:?}");
        assert!(TimeChange::of(of(0), of(20_000)).z > 3.0);
    }
}
