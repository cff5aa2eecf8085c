//! The pairs with the last good build that a decision has time for.
//!
//! Sources. The times are those of the harness (`perftest/src/measure/tuning.rs`): a process warms up for at most
//! 0.1 s while the processor wakes up, and runs a batch of up to 20 ms once more before it is measured.

use super::pair_spread::PairSpread;
use super::{ComparisonPolicy, PairPlan, Policy};

/// Time in which both processes of a pair start and warm up.
const STARTS_NS: f64 = 200e6;
/// A batch up to this long is run once more before it is measured.
const LONGEST_REWARM_NS: f64 = 20e6;

/// The pairs that decide on slower code.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedPairs {
    /// Their number.
    count: u32,
    /// Misrate of one bound of a red at one look.
    misrate: f64,
    process_spread: f64,
}

impl ExpectedPairs {
    /// Creates the pairs for which the budgets of a decision have room, where a measurement takes so long. Never fewer
    /// than a verdict needs: those may take longer.
    pub(super) fn within(policy: &Policy, measurement_ns: f64) -> Self {
        let usual = ComparisonPolicy::default();
        let fewest_pairs = policy.fewest_pairs();
        let rewarms = if measurement_ns <= LONGEST_REWARM_NS { 2.0 } else { 1.0 };
        // Each turn has a measurement of both sides.
        let batches = 2.0 * f64::from(usual.measurements + PairPlan::WARM_UP_TURNS as u32);
        let pair_ns = STARTS_NS + rewarms * batches * measurement_ns;
        let room = f64::from(Policy::BUDGETS) * policy.budget_ns as f64 / pair_ns;
        let comparison = ComparisonPolicy { fewest_pairs, ..usual };
        Self {
            count: (room as u32).clamp(fewest_pairs, comparison.most_pairs),
            misrate: policy.red_misrate / comparison.looks().len() as f64,
            process_spread: policy.process_spread,
        }
    }

    /// Returns how far beyond the tolerance code must be that they prove red in 99 of 100 cases (logarithm), where
    /// processes have this standard deviation.
    pub(super) fn detectable(&self, process_deviation: f64) -> f64 {
        let own = process_deviation * std::f64::consts::SQRT_2;
        let pairs = self.count as usize;
        PairSpread::of(own, pairs, self.process_spread).detectable(pairs, self.misrate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_body_has_fewer_pairs_and_never_fewer_than_a_verdict_needs() {
        let count = |measurement_ns: f64| {
            let policy = Policy::default().with_room_for(measurement_ns);
            ExpectedPairs::within(&policy, measurement_ns).count
        };
        assert_eq!([5e5, 2e6, 10e6, 20e6, 100e6].map(count), [25, 17, 6, 5, 5]);
        assert_eq!([250e6, 10e9].map(count), [3, 3]);
    }

    #[test]
    fn a_larger_budget_has_room_for_more_pairs() {
        let policy = Policy { budget_ns: 3_600_000_000_000, ..Policy::default() };
        assert_eq!(ExpectedPairs::within(&policy, 100e6).count, 40);
    }
}
