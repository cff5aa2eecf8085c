//! The noise floor of a machine: results of comparisons of an executable with itself.
//!
//! Source. 5% is the convention for an interval without a decision.

use super::Comparison;
use super::comparison_result::InterimAnalysis;
use super::process_pair::PairEvidence;
use crate::list::IntoList;
use crate::model::{Interval, Reason};
use crate::stats::binomial_interval;

/// Misrate of the intervals of the ratio and of a rate. A convention: bounds at 95%.
const MISRATE: f64 = 0.05;

/// Results of comparisons of an executable with itself. Nothing changed, so every red is false.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseFloor {
    /// Comparisons that ended green.
    pub green: u64,
    /// Comparisons that ended red: false reds.
    pub red: u64,
    /// Comparisons that ended improved, as false as a red.
    pub improved: u64,
    /// Comparisons that ended unclear or unstable.
    pub undecided: u64,
    /// Pairs of processes that count, of all comparisons.
    pub pairs: u32,
    /// Degradation from an executable to itself over all pairs, with bounds at 95%. The truth is 1.
    pub ratio: Interval,
    /// Standard deviation from process to process, as a share.
    pub process_spread: f64,
    /// The smallest degradation that the most pairs of a comparison would find with 99%, as a
    /// share: 0.08 is +8%.
    pub smallest_detectable: f64,
}

impl NoiseFloor {
    /// Creates the noise floor from finished comparisons of one test with the same policy; `None`
    /// if none of them measured a pair.
    #[inline]
    pub fn of(comparisons: &[Comparison]) -> Option<Self> {
        let first = comparisons.first()?;
        let pairs: Vec<PairEvidence> =
            comparisons.iter().flat_map(Comparison::shown).cloned().into_list();
        let look = InterimAnalysis::at(&pairs, &first.policy, first.looks.len())?;
        let reasons = comparisons.iter().filter_map(Comparison::reason);
        let count = |wanted: &[Reason]| {
            reasons.clone().count_where(|reason| wanted.contains(reason)) as u64
        };
        Some(Self {
            green: count(&[Reason::Green]),
            red: count(&[Reason::Red]),
            improved: count(&[Reason::Improved]),
            undecided: count(&[Reason::Unclear, Reason::Unstable]),
            pairs: pairs.len() as u32,
            ratio: look.ratio_at(MISRATE / 2.0),
            process_spread: look.process_spread(),
            smallest_detectable: look.smallest_detectable(first.policy.most_pairs),
        })
    }

    /// Returns the number of finished comparisons.
    pub fn comparisons(&self) -> u64 {
        self.green + self.red + self.improved + self.undecided
    }

    /// Returns the share of false alarms, reds and improvements, among all comparisons of several
    /// tests, with exact bounds at 95%.
    pub fn false_alarm_rate<'a>(floors: impl IntoIterator<Item = &'a Self>) -> Interval {
        let counts = floors.into_iter().map(|it| (it.red + it.improved, it.comparisons()));
        let (alarms, all) = counts.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        binomial_interval(alarms, all, MISRATE)
    }
}
