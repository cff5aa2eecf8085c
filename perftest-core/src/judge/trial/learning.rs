//! Learns where there is no baseline: only undisturbed measurements count for one.

use super::screening::gap_after_round;
use super::{Phase, Trial};
use crate::judge::round::Round;
use crate::model::Reason;

impl Trial {
    /// Returns the phase after the newest measurement of a test without a baseline. A neighbour comes and goes: without
    /// the patience of a verdict, a machine that is disturbed most of the time would hardly ever learn.
    pub(super) fn after_learning(&self, is_round_over: bool, has_time: bool) -> Phase {
        if self.by_pairs_alone {
            return match is_round_over {
                true => self.settle(Reason::NoBaseline, None),
                false => Phase::Measuring,
            };
        }
        let rounds = self.own.rounds.len() as u32;
        let may_wait = has_time && rounds < self.policy.rounds;
        let wait_for_quiet = || Phase::Measuring.after(gap_after_round(rounds));
        // What is disturbed from its first place on is not worth a whole round.
        match (is_round_over, may_wait) {
            (false, true) if self.own.newest().is_hopeless() => wait_for_quiet(),
            (false, _) => Phase::Measuring,
            (true, true) if Round::together(&self.own.rounds).leaves_no_level() => wait_for_quiet(),
            (true, _) => self.over(Reason::NoBaseline, None),
        }
    }
}
