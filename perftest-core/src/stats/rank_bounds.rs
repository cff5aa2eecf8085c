//! What all bounds by ranks share: the conservative step and the interval it leaves.
//!
//! Definition: a count of values beyond the truth has a known distribution on 0, 1, 2, .. The
//! margin is the last count whose cumulated probability is at or below the asked one: as many
//! candidates may be left out on one side. `pragmastat` takes the first count at or above it and
//! misses up to twice as often as asked in small samples.

use crate::model::Interval;

/// The last count whose cumulated share is at most `misrate`, from the shares of 0, 1, 2, ..;
/// `None` if even 0 is too frequent.
pub(super) fn conservative_step(shares: &[f64], misrate: f64) -> Option<usize> {
    let mut cumulated = 0.0;
    let within = shares.iter().take_while(|share| {
        cumulated += **share;
        // One part in 10^12 for the rounding of the sum.
        cumulated <= misrate * (1.0 + 1e-12)
    });
    within.count().checked_sub(1)
}

/// The median of the `candidates`, at least one, and the interval that leaves out `margin` of
/// them on each side; both ends meet in the middle but never cross.
pub(super) fn rank_interval(mut candidates: Vec<f64>, margin: usize) -> Interval {
    candidates.sort_unstable_by(f64::total_cmp);
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
        assert_eq!(conservative_step(&fair, 0.2), None);
        assert_eq!(conservative_step(&fair, 0.25), Some(0));
        assert_eq!(conservative_step(&fair, 0.6), Some(1));
        assert_eq!(conservative_step(&fair, 2.0), Some(3));
    }

    #[test]
    fn the_ends_meet_in_the_middle() {
        let interval = rank_interval(vec![4.0, 1.0, 2.0, 3.0], 9);
        assert_eq!((interval.lower, interval.estimate, interval.upper), (2.0, 2.5, 3.0));
    }
}
