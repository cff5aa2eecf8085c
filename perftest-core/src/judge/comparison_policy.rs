//! The settings of one comparison side by side.

use super::{Floor, Policy};
use crate::list::IntoList;
use crate::model::Tolerance;
use crate::stats::RunSpread;

/// The settings of one comparison of two executables.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonPolicy {
    /// The smallest degradation the author cares about.
    pub tolerance: Tolerance,
    /// Measurements of each side in a pair of processes that count, at least 1.
    pub measurements: u32,
    /// The fewest pairs of a verdict.
    pub fewest_pairs: u32,
    /// Most pairs that count.
    pub most_pairs: u32,
    /// Time for all pairs, including the start of their processes.
    pub budget_ns: u64,
    /// Time for the fewest pairs, if that is more: without them there is no answer.
    pub fewest_budget_ns: u64,
    /// Probability that a green is given at a true degradation of the tolerance, over all looks.
    pub green_misrate: f64,
    /// Probability that a red is given at a true degradation of the tolerance, over all looks.
    pub red_misrate: f64,
    /// The smallest meaningful differences.
    pub floor: Floor,
    /// The usual distance between processes of the same code (logarithm): a prior that loses weight with
    /// more pairs.
    pub process_spread: f64,
    /// Seed of the order of the turns.
    pub seed: u64,
}

impl Default for ComparisonPolicy {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::default(),
            measurements: 15,
            fewest_pairs: Policy::FEWEST_PAIRS,
            most_pairs: 40,
            budget_ns: 30_000_000_000,
            fewest_budget_ns: 0,
            green_misrate: 0.01,
            red_misrate: 0.002,
            floor: Floor::WALL_NS,
            process_spread: RunSpread::OF_TIMES,
            seed: 1,
        }
    }
}

impl ComparisonPolicy {
    /// Returns the numbers of pairs after which the data are evaluated: from the fewest to the
    /// most, in steps of the root of 2. By default 5, 7, 10, 14, 20, 28 and 40.
    pub(super) fn looks(&self) -> Vec<u32> {
        let fewest = f64::from(self.fewest_pairs.max(2));
        let step = |step: i32| (fewest * 2.0_f64.powf(f64::from(step) / 2.0)).round() as u32;
        let mut looks: Vec<u32> =
            (0..).map(step).take_while(|it| *it < self.most_pairs).into_list();
        looks.push(self.most_pairs);
        looks
    }

    /// Returns a short text of the rule and its parameters, stored with each answer.
    ///
    /// ```
    /// use perftest_core::judge::ComparisonPolicy;
    /// let rule = ComparisonPolicy::default().rule();
    /// assert_eq!(rule, "pairs/1 tol=0.05 pairs=5..40 each=15 green=0.01 red=0.002");
    /// ```
    #[inline]
    pub fn rule(&self) -> String {
        format!(
            "pairs/1 tol={} pairs={}..{} each={} green={} red={}",
            self.tolerance.share(),
            self.fewest_pairs,
            self.most_pairs,
            self.measurements,
            self.green_misrate,
            self.red_misrate
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(fewest_pairs: u32, most_pairs: u32) -> Vec<u32> {
        ComparisonPolicy { fewest_pairs, most_pairs, ..ComparisonPolicy::default() }.looks()
    }

    #[test]
    fn looks_lie_further_and_further_apart_and_the_last_is_at_the_most_pairs() {
        assert_eq!(looks(5, 40), [5, 7, 10, 14, 20, 28, 40]);
        assert_eq!(looks(5, 12), [5, 7, 10, 12]);
        assert_eq!(looks(5, 5), [5]);
    }

    #[test]
    fn odd_settings_still_have_a_last_look() {
        assert_eq!(looks(0, 3), [2, 3]);
        assert_eq!(looks(9, 4), [4]);
    }
}
