//! ClickHouse's decision table for two samples: changed, unchanged or unstable.
//!
//! Definition: D is the difference of the medians over the median before, T the
//! [`randomization_threshold`] at 99% over the same; both are cut to three decimals, and a median
//! is the element at floor(n/2). Changed: |D| above the changed floor and at least T. Else
//! unstable: T above the unstable floor. Else unchanged.
//!
//! Source: the published description of 2021 and the comparison scripts since. They draw 10,000
//! random labels; this code counts all of them. Behaviour: two-sided, and no interval. T grows with
//! the true difference, so with 7 runs a true change of 10% is mostly called unstable.

use crate::stats::{randomization_threshold, upper_median};
use perftest_core::model::Sample;

/// Source: the published description of 2021.
const PROBABILITY: f64 = 0.99;

/// The floors of the rule, as shares.
///
/// ```
/// use perftest_analysis::thresholds::{ClickHouse, ClickHouseDecision};
/// use perftest_core::model::Sample;
/// let runs = |level: f64| Sample::new((0..7).map(|i| level + f64::from(i)).collect()).unwrap();
/// let answer = ClickHouse::BLOG_2021.judge(&runs(1_000.0), &runs(1_200.0)).unwrap();
/// assert_eq!((answer.difference, answer.decision), (0.199, ClickHouseDecision::Changed));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClickHouse {
    /// Smaller differences are no change.
    pub changed_floor: f64,
    /// Smaller thresholds are no instability.
    pub unstable_floor: f64,
}

/// The answer of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClickHouseDecision {
    /// The medians differ, in either direction.
    Changed,
    /// They do not.
    Unchanged,
    /// Chance alone makes such medians differ too much for an answer.
    Unstable,
}

/// The answer of the rule with its figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClickHouseAnswer {
    /// The answer.
    pub decision: ClickHouseDecision,
    /// D: the difference of the medians as a share of the one before.
    pub difference: f64,
    /// T: the difference that random labels reach.
    pub threshold: f64,
}

impl ClickHouse {
    /// The floors published in 2021.
    pub const BLOG_2021: Self = Self { changed_floor: 0.05, unstable_floor: 0.10 };
    /// The floors in the scripts until June 2026.
    pub const SCRIPTS_2025: Self = Self { changed_floor: 0.10, unstable_floor: 0.20 };
    /// The floors in the scripts since.
    pub const SCRIPTS_2026: Self = Self { changed_floor: 0.15, unstable_floor: 0.25 };

    /// Compares the values of `head` with those of `base`; `None` if the median of `base` is not
    /// above 0.
    pub fn judge(&self, base: &Sample, head: &Sample) -> Option<ClickHouseAnswer> {
        self.judge_at(base, head, PROBABILITY)
    }

    /// Compares with T at another `probability`.
    pub fn judge_at(
        &self,
        base: &Sample,
        head: &Sample,
        probability: f64,
    ) -> Option<ClickHouseAnswer> {
        let before = upper_median(base);
        if before <= 0.0 {
            return None;
        }
        let difference = cut((upper_median(head) - before) / before);
        let threshold = cut(randomization_threshold(base, head, probability) / before);
        let is_changed = difference.abs() > self.changed_floor && difference.abs() >= threshold;
        let decision = if is_changed {
            ClickHouseDecision::Changed
        } else if threshold > self.unstable_floor {
            ClickHouseDecision::Unstable
        } else {
            ClickHouseDecision::Unchanged
        };
        Some(ClickHouseAnswer { decision, difference, threshold })
    }
}

/// Rounds down to three decimals.
fn cut(share: f64) -> f64 {
    (share * 1e3).floor() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_of_zero_before_is_no_level() {
        let sample = |value: f64| Sample::new(vec![value; 5]).unwrap();
        assert_eq!(ClickHouse::BLOG_2021.judge(&sample(0.0), &sample(1.0)), None);
    }

    #[test]
    fn values_that_agree_are_unchanged() {
        let same = Sample::new(vec![3.0; 7]).unwrap();
        let answer = ClickHouse::BLOG_2021.judge(&same, &same).unwrap();
        assert_eq!(answer.decision, ClickHouseDecision::Unchanged);
        assert_eq!((answer.difference, answer.threshold), (0.0, 0.0));
    }
}
