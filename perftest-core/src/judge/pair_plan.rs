//! The plan of one pair of fresh processes.
//!
//! Sources. A tenth of jitter and two turns are choices, checked by the campaign `side-by-side.sh` on
//! executables beside themselves.

use super::Side;
use crate::list::IntoList;
use crate::stats::Random;
use std::time::Duration;

/// Iterations of a turn differ from the tuned number by up to this share, so that turns do not synchronise with
/// periodic work. A convention, which the campaign `side-by-side.sh` checks on executables beside themselves.
const JITTER: f64 = 0.1;

/// The plan of one pair of fresh processes: one measurement of each side a turn.
///
/// Neither side has an advantage: the side whose process starts first alternates from pair to pair,
/// each side begins half of the turns, and the [first turns](Self::WARM_UP_TURNS) do not count.
#[derive(Debug, Clone, PartialEq)]
pub struct PairPlan {
    /// The side whose process starts first, and so waits for the other one.
    pub starts: Side,
    /// The side that begins each turn, one entry a turn.
    pub turns: Vec<Side>,
    /// Factor on the tuned iterations of each turn, around 1.
    pub jitter: Vec<f64>,
    /// The longest time of the pair: no further turn begins after it, once each side began one. The
    /// budget must suffice for the fewest pairs.
    pub longest: Duration,
}

impl PairPlan {
    /// Turns at the start of a pair that are ignored if enough others follow: the process that started first has
    /// waited since its warm-up. A convention, which the campaign `side-by-side.sh` checks.
    pub const WARM_UP_TURNS: usize = 2;

    /// Creates the plan of pair `number`, from 0, in which this many turns count.
    pub(super) fn new(number: u32, counting: u32, seed: u64, longest: Duration) -> Self {
        let count = Self::WARM_UP_TURNS + counting.max(1) as usize;
        let mut random = Random::new(seed.wrapping_add(u64::from(number) << 32));
        let mut turns = Vec::new();
        while turns.len() < count {
            // Each side begins one of two turns, so a steady drift cancels out.
            let first = Side::BOTH[random.below(2)];
            turns.extend([first, first.other()]);
        }
        turns.truncate(count);
        let jitter = turns.iter().map(|_| random.between(1.0 - JITTER, 1.0 + JITTER)).into_list();
        let starts = Side::BOTH[(u64::from(number).wrapping_add(seed) % 2) as usize];
        Self { starts, turns, jitter, longest }
    }

    /// Returns the batches in their order: in each turn one of the side that begins it and one of
    /// the other, both with the same iterations. `tuned` iterations make a batch of the usual
    /// length. `is_late` returns whether the pair's time has passed. It is called where the pair
    /// may end: after an even number of turns, of which each side began half.
    ///
    /// ```
    /// use perftest_core::judge::{PairPlan, Side};
    /// use std::time::Duration;
    /// let plan = PairPlan {
    ///     starts: Side::Base,
    ///     turns: vec![Side::Head, Side::Base],
    ///     jitter: vec![1.0, 0.9],
    ///     longest: Duration::from_secs(1),
    /// };
    /// let batches: Vec<_> = plan.batches(10, || true).collect();
    /// let expected = [(Side::Head, 10), (Side::Base, 10), (Side::Base, 9), (Side::Head, 9)];
    /// assert_eq!(batches, expected);
    /// ```
    pub fn batches(
        &self,
        tuned: u64,
        mut is_late: impl FnMut() -> bool,
    ) -> impl Iterator<Item = (Side, u64)> {
        let may_end = |turn: usize| turn >= 2 && turn.is_multiple_of(2);
        let turns = self.turns.iter().zip(&self.jitter).enumerate();
        let turns = turns.take_while(move |(turn, _)| !(may_end(*turn) && is_late()));
        turns.flat_map(move |(_, (first, factor))| {
            let iterations = ((tuned as f64 * factor).round() as u64).max(1);
            [(*first, iterations), (first.other(), iterations)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(number: u32, seed: u64) -> PairPlan {
        PairPlan::new(number, 15, seed, Duration::from_secs(1))
    }

    #[test]
    fn the_side_that_starts_first_alternates_from_pair_to_pair_whatever_the_seed() {
        for seed in [0, 1, u64::MAX] {
            let starts: Vec<Side> = (0..4).map(|number| plan(number, seed).starts).collect();
            assert_eq!(
                [starts[1], starts[2], starts[3]],
                [starts[0].other(), starts[0], starts[1]]
            );
        }
        assert_ne!(plan(0, 1).starts, plan(0, 2).starts);
    }

    #[test]
    fn of_two_turns_each_side_begins_one_and_those_that_warm_up_come_on_top() {
        let PairPlan { turns, jitter, .. } = plan(3, 7);
        assert_eq!((turns.len(), jitter.len()), (17, 17));
        assert!(turns.chunks_exact(2).all(|two| two[0] != two[1]), "{turns:?}");
    }

    #[test]
    fn a_pair_that_is_late_ends_after_both_sides_began_a_turn() {
        let batches = |late| plan(0, 1).batches(8, move || late).count();
        assert_eq!((batches(true), batches(false)), (4, 34));
    }
}
