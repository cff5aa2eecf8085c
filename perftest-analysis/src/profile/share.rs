//! Shares of a profile, and how sure their difference is.
//!
//! Definition: a sample is in a function or not, so a share p of n samples has the variance p (1 - p) / n.
//! Interval of a share: Wilson (1927). Interval of a difference: Newcombe (1998), method 10, from the intervals
//! of both shares. z: the difference divided by its standard deviation where both profiles have the same true
//! share p, that of both together: sqrt(p (1 - p) (1 / n_base + 1 / n_new)), for equal n sqrt(2 p (1 - p) / n).
//! Properties: exact for independent samples. Samples of one long block depend on each other and differ more.

use perftest_core::model::Interval;
use perftest_core::stats::normal_quantile;

/// Intervals miss the true value with this probability.
const MISRATE: f64 = 0.05;

/// A share of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledShare {
    /// From 0 to 1.
    pub share: f64,
    /// Samples of the whole profile.
    pub samples: u64,
}

impl SampledShare {
    /// The share of a weight in the whole; 0 of nothing.
    pub fn new(weight: u64, whole: u64, samples: u64) -> Self {
        let share = if whole == 0 { 0.0 } else { weight as f64 / whole as f64 };
        Self { share, samples }
    }
}

/// Returns the share with bounds that miss the true one with a probability of 5%.
///
/// ```
/// use perftest_analysis::profile::{SampledShare, share_interval};
/// let share = share_interval(SampledShare::new(81, 263, 263));
/// assert!((share.lower - 0.2553).abs() < 5e-5 && (share.upper - 0.3662).abs() < 5e-5);
/// ```
pub fn share_interval(SampledShare { share, samples }: SampledShare) -> Interval {
    if samples == 0 {
        return Interval { estimate: share, lower: 0.0, upper: 1.0 };
    }
    let (n, z) = (samples as f64, normal_quantile(1.0 - MISRATE / 2.0));
    let middle = share + z * z / (2.0 * n);
    let distance = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    Interval {
        estimate: share,
        lower: ((middle - distance) / whole).clamp(0.0, share),
        upper: ((middle + distance) / whole).clamp(share, 1.0),
    }
}

/// The shares of one function in two profiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareChange {
    /// In the base profile.
    pub base: Interval,
    /// In the new one.
    pub new: Interval,
    /// New minus base.
    pub change: Interval,
    /// The change in standard deviations: beyond 2 in one of 20 functions that did not change.
    pub z: f64,
}

impl ShareChange {
    /// Compares two shares.
    ///
    /// ```
    /// use perftest_analysis::profile::{SampledShare, ShareChange};
    /// let [base, new] = [56, 48].map(|weight| SampledShare::new(weight, 70, 70));
    /// let ShareChange { change, .. } = ShareChange::of(base, SampledShare::new(48, 80, 80));
    /// assert!((change.lower + 0.3339).abs() < 5e-5 && (change.upper + 0.0524).abs() < 5e-5);
    /// assert!(ShareChange::of(base, new).z < 0.0);
    /// ```
    pub fn of(base: SampledShare, new: SampledShare) -> Self {
        let [old, now] = [base, new].map(share_interval);
        let change = now.estimate - old.estimate;
        let lower = (now.estimate - now.lower).hypot(old.upper - old.estimate);
        let upper = (now.upper - now.estimate).hypot(old.estimate - old.lower);
        let [old_n, new_n] = [base.samples as f64, new.samples as f64];
        let pooled = (base.share * old_n + new.share * new_n) / (old_n + new_n).max(1.0);
        let deviation = (pooled * (1.0 - pooled) * (1.0 / old_n + 1.0 / new_n)).sqrt();
        let is_known = deviation.is_finite() && deviation > 0.0;
        Self {
            base: old,
            new: now,
            change: Interval { estimate: change, lower: change - lower, upper: change + upper },
            z: if is_known { change / deviation } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_profiles_have_the_deviation_of_the_specification() {
        let share = |weight| SampledShare::new(weight, 1_000, 1_000);
        let ShareChange { z, change, .. } = ShareChange::of(share(190), share(210));
        assert!((z - 0.02 / (2.0 * 0.2 * 0.8 / 1_000.0_f64).sqrt()).abs() < 1e-9, "{z}");
        assert!(change.lower < 0.0 && change.upper > 0.0);
    }

    #[test]
    fn nothing_is_known_without_samples_and_of_the_whole() {
        let none = SampledShare::new(0, 0, 0);
        assert_eq!(ShareChange::of(none, none).z, 0.0);
        let whole = SampledShare::new(5, 5, 5);
        assert_eq!(ShareChange::of(whole, whole).z, 0.0);
        assert_eq!(ShareChange::of(none, whole).z, 0.0);
        assert_eq!(share_interval(none).upper, 1.0);
    }
}
