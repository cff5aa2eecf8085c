//! What all bounds by ranks share: the conservative step and the interval it leaves.
//!
//! Definition: a count of values beyond the truth has a known distribution on 0, 1, 2, .. The
//! margin is the last count whose cumulated probability is at or below the asked one: as many
//! candidates may be left out on one side. `pragmastat` takes the first count at or above it and
//! misses up to twice as often as asked in small samples: [`RankStep`] chooses between both.

use crate::model::Interval;
use crate::order::sort_numbers;

/// One part in 10^12, for the rounding of sums.
const ROUNDING: f64 = 1e-12;

/// Which of the two counts around the asked probability a rank bound steps to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RankStep {
    /// The last count at or below it: bounds never miss more often than asked.
    #[default]
    Conservative,
    /// The count that `pragmastat` steps to: the first at or above the probability where the
    /// distribution is exact. Bounds are narrower and miss more often, up to twice in small samples.
    Published,
}

impl RankStep {
    /// The count, from the cumulated shares of 0, 1, 2, ..; `None` if even 0 is too frequent.
    pub(super) fn of(self, cumulated: &[f64], misrate: f64) -> Option<usize> {
        let upto = |bound: f64| cumulated.partition_point(|share| *share <= bound);
        let last = upto(misrate * (1.0 + ROUNDING)).checked_sub(1)?;
        match self {
            Self::Conservative => Some(last),
            Self::Published => {
                let below = upto(misrate * (1.0 - ROUNDING));
                Some(below.min(cumulated.len() - 1))
            }
        }
    }
}

/// Makes shares of 0, 1, 2, .. the cumulated ones.
pub(super) fn cumulate(shares: &mut [f64]) {
    let mut sum = 0.0;
    for share in shares {
        sum += *share;
        *share = sum;
    }
}

/// The last count whose cumulated share is at most `misrate`, from the shares of 0, 1, 2, ..;
/// `None` if even 0 is too frequent.
pub fn conservative_step(shares: impl Iterator<Item = f64>, misrate: f64) -> Option<usize> {
    let mut cumulated = 0.0;
    let within = shares.take_while(|share| {
        cumulated += share;
        cumulated <= misrate * (1.0 + ROUNDING)
    });
    within.count().checked_sub(1)
}

/// The median of the `candidates`, at least one, and the interval that leaves out `margin` of
/// them on each side; both ends meet in the middle but never cross.
#[inline]
pub fn rank_interval(mut candidates: Vec<f64>, margin: usize) -> Interval {
    sort_numbers(&mut candidates);
    let last = candidates.len() - 1;
    let margin = margin.min(last / 2);
    Interval {
        estimate: f64::midpoint(candidates[last / 2], candidates[last - last / 2]),
        lower: candidates[margin],
        upper: candidates[last - margin],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_stays_at_or_below_the_misrate() {
        let fair = [0.25, 0.25, 0.25, 0.25];
        assert_eq!(conservative_step(fair.into_iter(), 0.2), None);
        assert_eq!(conservative_step(fair.into_iter(), 0.25), Some(0));
        assert_eq!(conservative_step(fair.into_iter(), 0.6), Some(1));
        assert_eq!(conservative_step(fair.into_iter(), 2.0), Some(3));
    }

    #[test]
    fn the_published_step_is_one_further_unless_a_count_has_just_the_misrate() {
        let fair = [0.25, 0.5, 0.75, 1.0];
        let steps = |misrate| {
            [RankStep::Conservative, RankStep::Published].map(|step| step.of(&fair, misrate))
        };
        assert_eq!(steps(0.2), [None, None]);
        assert_eq!(steps(0.25), [Some(0), Some(0)]);
        assert_eq!(steps(0.6), [Some(1), Some(2)]);
        assert_eq!(steps(2.0), [Some(3), Some(3)]);
    }

    #[test]
    fn the_ends_meet_in_the_middle() {
        let interval = rank_interval(vec![4.0, 1.0, 2.0, 3.0], 9);
        assert_eq!((interval.lower, interval.estimate, interval.upper), (2.0, 2.5, 3.0));
    }
}
