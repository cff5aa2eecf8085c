//! Decides by the measurements of this process: the screen, and the rounds after it.

use super::pairing::Cause;
use super::{Phase, Trial};
use crate::judge::Policy;
use crate::judge::baseline_level::BaselineLevel;
use crate::judge::parallelism::runs_alike;
use crate::judge::round::Round;
use crate::model::{Note, Reason};
use std::time::Duration;

impl Trial {
    /// Returns the phase after the newest measurement.
    pub(super) fn after_measurement(&mut self, elapsed: Duration) -> Phase {
        let round = self.own.newest();
        let left_ns = match self.policy.max_measurements {
            Some(most) if self.tally.all() >= most => 0,
            _ => self.policy.budget_ns.saturating_sub(elapsed.as_nanos() as u64),
        };
        let over = round.is_full(self.own.round) || left_ns == 0;
        let due = round.ends_clean() && Policy::LOOKS.contains(&round.clean_size());
        let Some(level) = &self.level else {
            return self.after_learning(over, left_ns > 0);
        };
        let green = if due || over { level.proves_green(round) } else { None };
        match green {
            Some(Reason::Unstable) => self.settle(Reason::Unstable, None),
            Some(proven) => self.after_proof(proven, round),
            None if over || due && self.needs_no_longer_round() => {
                self.after_round(elapsed, left_ns)
            }
            None => self.at_point_of_curve(),
        }
    }

    /// Continues after a round that proved a green or an improvement.
    fn after_proof(&self, proven: Reason, round: &Round) -> Phase {
        match (proven, &self.unchanged) {
            (Reason::Improved, Some(note)) => self.over(Reason::SameCode, Some(note.clone())),
            (_, None) => match self.doubt_about(proven, round) {
                Some(cause) => self.pair_up(cause),
                None => self.over(proven, None),
            },
            _ => self.over(proven, None),
        }
    }

    /// Returns why pairs decide on what a round proved; `None` if it is proven without them.
    fn doubt_about(&self, proven: Reason, round: &Round) -> Option<Cause> {
        let speed_behind = self.level.as_ref().and_then(|it| it.speed_behind(proven, round));
        if let Some(share) = speed_behind {
            return Some(Cause::Doubt(Reason::Unclear, Some(Note::MachineFaster { share })));
        }
        let of_threads =
            self.own.works_in_threads.then(|| self.doubt_about_threads(proven, round)).flatten();
        let lacks_level = proven == Reason::Green && self.is_accepted_without_level(round);
        of_threads.or(lacks_level.then_some(Cause::AcceptedLevel))
    }

    /// Returns why what a round proved does not hold where no pair can confirm it; `None` if it holds.
    pub(super) fn doubt_without_pairs(&self, proven: Reason, round: &Round) -> Option<Note> {
        match self.doubt_about(proven, round)? {
            Cause::Doubt(_, note) => note,
            Cause::OtherParallelism(_) if self.has_neighbours => None,
            Cause::OtherParallelism(_) => Some(Note::OtherParallelism),
            Cause::Suspicion | Cause::AcceptedLevel | Cause::Retry(_) => None,
        }
    }

    /// Whether the code passes only by an acceptance, and pairs have to show the level that the accepted runs are to
    /// become. Without one the bound of the acceptance would hold for ever.
    fn is_accepted_without_level(&self, round: &Round) -> bool {
        let is_beyond_tolerance = |level: &BaselineLevel| {
            level.rise_of(round).is_some_and(|rise| rise > level.tolerance())
        };
        self.pairs_accepted_code
            && self.baseline.accepted_ratio.is_some()
            && self.level.as_ref().is_some_and(is_beyond_tolerance)
    }

    /// Returns a doubt unless the proof also holds against the runs of the same parallelism: other work may have
    /// made a body with threads fast, because its threads disturb each other less then.
    fn doubt_about_threads(&self, proven: Reason, round: &Round) -> Option<Cause> {
        let is_improved = proven == Reason::Improved;
        let Some(alike) = runs_alike(&self.baseline, round) else {
            return is_improved.then_some(Cause::OtherParallelism(proven));
        };
        if !alike.contains(&false) {
            // The proof is against these runs. A new level is worth some pairs all the same.
            return is_improved.then_some(Cause::Doubt(proven, None));
        }
        let level = BaselineLevel::new(&self.baseline.only(&alike), self.direction, &self.policy);
        let holds = level.is_some_and(|level| level.proves_green(round) == Some(proven));
        (!holds).then_some(Cause::OtherParallelism(proven))
    }

    /// Checks within a round whether the curve has a point here, and whether it is reached.
    fn at_point_of_curve(&mut self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is judged");
        let (taken, most) = (self.tally.all(), self.policy.most_measurements());
        let rounds = self.own.judged_rounds(self.policy.round);
        if self.policy.curve.has_point_at(taken) && level.suspects(rounds, taken, most) {
            return self.suspect();
        }
        Phase::Measuring
    }

    /// Starts fresh processes for a candidate red, unless the machine code is unchanged.
    fn suspect(&mut self) -> Phase {
        self.own.suspected = true;
        self.ask_fresh_processes()
    }

    /// Starts fresh processes, unless the machine code is unchanged: they would only show how busy the machine is.
    fn ask_fresh_processes(&self) -> Phase {
        match &self.unchanged {
            Some(note) => self.over(Reason::SameCode, Some(note.clone())),
            None => self.pair_up(Cause::Suspicion),
        }
    }

    /// Whether further rounds, and the pauses before them, could only show when the machine is quiet again: unchanged
    /// machine code has no red. They follow where other work took the processor, which leaves a run without trust, and
    /// above a limit, which holds for unchanged code too.
    fn needs_no_further_round(&self) -> bool {
        let seems_over = |limit| self.seems_over(limit);
        self.unchanged.is_some()
            && self.own.newest().kept_processor()
            && !self.policy.limit.is_some_and(seems_over)
    }

    /// Whether this round has enough undisturbed measurements of unchanged code for the history. Where they do not look
    /// as fast as the level, the whole round shows whether they are slow: then the run is of no level.
    fn needs_no_longer_round(&self) -> bool {
        let newest = self.own.newest();
        let is_at_level = |level: &BaselineLevel| {
            level.rise_of(newest).is_some_and(|rise| rise <= level.tolerance() / 2.0)
        };
        self.policy.enough_unchanged.is_some_and(|enough| newest.clean_size() >= enough)
            && self.tally.all() >= self.policy.curve.reach()
            && self.needs_no_further_round()
            && self.level.as_ref().is_some_and(is_at_level)
    }

    /// Continues after a round that proved no green.
    fn after_round(&mut self, elapsed: Duration, left_ns: u64) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is judged");
        // At the end of the time no more measurements follow.
        let is_last =
            left_ns == 0 || self.policy.is_short_of_room() || self.needs_no_further_round();
        let (taken, most) = (self.tally.all(), self.policy.most_measurements());
        let most = if is_last { taken.min(most) } else { most };
        if level.suspects(self.own.judged_rounds(self.policy.round), taken, most) {
            return self.suspect();
        }
        let is_short_of_curve = taken < self.policy.curve.reach();
        if is_last && is_short_of_curve {
            return self.settle(level.undecided(), Some(Note::EndedBeforeCurve));
        }
        if is_last && self.policy.is_short_of_room() {
            return self.settle(level.undecided(), Some(Note::BudgetTooSmall));
        }
        // More measurements would not make an unstable test more stable.
        if is_last || level.is_unstable() && !is_short_of_curve {
            return self.settle(level.undecided(), None);
        }
        let rounds = self.own.rounds.len() as u32;
        if rounds < self.policy.rounds {
            return Phase::Measuring.after(gap_after_round(rounds));
        }
        if self.own.rounds.iter().all(Round::is_disturbed) {
            // Other work disturbed this process throughout; a later one may be undisturbed.
            return self.ask_fresh_processes();
        }
        let needed = level.measurements_to_settle(&self.own.rounds);
        let each_ns = elapsed.as_nanos() as u64 / u64::from(taken.max(1));
        match needed.filter(|needed| u64::from(*needed) * each_ns <= left_ns) {
            Some(needed) if rounds == self.policy.rounds => {
                self.own.round = needed.max(self.policy.round);
                Phase::Measuring.after(gap_after_round(rounds))
            }
            _ => self.settle(level.undecided(), None),
        }
    }
}

/// Returns 20, 80, 320 ms, and 320 again: most bursts of interference last milliseconds, some a
/// large part of a second.
pub(super) fn gap_after_round(round: u32) -> Duration {
    Duration::from_millis(5 << (2 * round.min(3)))
}
