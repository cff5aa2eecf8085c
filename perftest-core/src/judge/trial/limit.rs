//! The absolute limit of a test.

use super::conclusion::range;
use super::{Phase, Trial, pause_before_process};
use crate::judge::Confirmation;
use crate::judge::earlier_attempts::EarlierAttempts;
use crate::judge::processor_demand::lacked_processors;
use crate::judge::round::{DISTURBANCE, Round};
use crate::list::IntoList;
use crate::model::{Evidence, Measurement, Note, Observation, Reason, Sample};
use crate::stats::{RankStep, center_bounds};
use std::time::Duration;

/// The result of one process against the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitVote {
    /// The code itself takes longer.
    Over,
    /// The code is fast enough.
    Within,
    /// Neither is proven, because the process was disturbed too much.
    Nothing,
    /// Neither is proven, because other work took the processors that the threads needed.
    Contended,
}

/// The check of a test that seems to exceed its limit, by fresh processes.
#[derive(Debug, Clone)]
pub(super) struct OverLimit {
    /// The evidence of the trial if the limit is not exceeded.
    ended: Box<Evidence>,
    limit: f64,
    /// The fresh processes so far.
    fresh: Vec<Round>,
    /// Processes over the limit: fresh ones, and in a retry those of all attempts.
    over: u32,
    /// Processes within the limit.
    within: u32,
    /// Fresh processes without a result, for other reasons than missing processors.
    undecided: u32,
    /// Time of the fresh processes.
    spent: Duration,
}

impl OverLimit {
    fn new(ended: Box<Evidence>, limit: f64) -> Self {
        let spent = Duration::ZERO;
        Self { ended, limit, fresh: Vec::new(), over: 0, within: 0, undecided: 0, spent }
    }

    /// Continues after attempts that ended over the limit.
    fn continued(self, over: u32, within: u32, earlier: &EarlierAttempts) -> Self {
        let mut ended = self.ended;
        ended.measurements += earlier.measurements;
        ended.suspects += earlier.suspects;
        ended.processes += earlier.processes.len() as u32;
        Self { ended, over, within, ..self }
    }

    /// Number of fresh processes so far.
    fn asked(&self) -> u32 {
        self.fresh.len() as u32
    }

    /// Returns the number of the next fresh process, from 1.
    pub(super) fn next_process(&self) -> u32 {
        self.asked() + 1
    }

    fn asks(self) -> Phase {
        let pause = pause_before_process(self.next_process());
        Phase::HoldingToLimit(self).after(pause)
    }

    /// Ends with the evidence before the limit check, and notes why the limit did not change it.
    fn ended_within_limit(mut self, why: Vec<Note>) -> Phase {
        self.ended.notes.extend(why);
        Phase::Over(self.ended)
    }

    /// Ends with this reason, if it is graver, because a proof by the history does not cover the limit.
    fn open(mut self, reason: Reason, why: Note) -> Phase {
        if self.ended.reason.gravity() < reason.gravity() {
            self.ended.reason = reason;
        }
        self.ended.limit_is_open = true;
        self.ended.notes.push(why);
        Phase::Over(self.ended)
    }

    fn count(&mut self, word: LimitVote) {
        match word {
            LimitVote::Over => self.over += 1,
            LimitVote::Within => self.within += 1,
            LimitVote::Nothing => self.undecided += 1,
            LimitVote::Contended => {}
        }
    }

    fn convicted(mut self, notes: Vec<Note>) -> Phase {
        self.ended.reason = Reason::OverLimit;
        self.ended.notes = notes;
        Phase::Over(self.ended)
    }
}

impl Trial {
    /// Ends the trial, unless its test seems to exceed its limit or an earlier attempt did. A red fails
    /// anyway.
    pub(super) fn held_to_limit(&self, ended: Box<Evidence>) -> Phase {
        let limit = self.policy.limit.filter(|_| ended.reason != Reason::Red);
        match (limit, self.retry.of_limit()) {
            (Some(limit), Some(earlier)) => self.held_after(earlier, OverLimit::new(ended, limit)),
            (Some(limit), None) if self.seems_over(limit) => OverLimit::new(ended, limit).asks(),
            _ => Phase::Over(ended),
        }
    }

    /// Whether no round of this process and of the fresh ones so far is within the limit. One round within
    /// the limit suffices, because interference only makes code slower.
    pub(super) fn seems_over(&self, limit: f64) -> bool {
        let mut rounds = self.own.rounds.iter().chain(&self.fresh.rounds);
        let is_measured = rounds.clone().any(|round| !round.fair().is_empty());
        is_measured && !rounds.any(|round| is_within(round, limit))
    }

    pub(super) fn weigh_limit_confirmation(
        &self,
        mut over: OverLimit,
        confirmation: Confirmation,
    ) -> Phase {
        let (measured, others_cpus) = match confirmation {
            Confirmation::Measured { measurements, others_cpus, elapsed } => {
                over.spent += elapsed;
                (measurements, others_cpus)
            }
            Confirmation::NotAlone => {
                let (reason, why) = (Reason::NotAlone, Note::OverLimitNotAlone);
                return self.without_confirmation_of_limit(over, reason, why);
            }
            Confirmation::Unavailable(why) => {
                let (reason, why) = (Reason::Unclear, Note::OverLimitNotConfirmed { why });
                return self.without_confirmation_of_limit(over, reason, why);
            }
        };
        let conditions = self.conditions(&measured);
        let process = Round::of(&measured, &conditions);
        over.ended.measurements += measured.len() as u32;
        over.ended.processes += 1;
        let word = match self.limit_vote_of(&process, over.limit) {
            LimitVote::Within => LimitVote::Within,
            _ if lacked_processors(&measured, others_cpus, &self.policy) => {
                self.limit_vote_of_contended(&measured, over.limit)
            }
            word => word,
        };
        over.count(word);
        over.fresh.push(process);
        match self.retry.of_limit() {
            Some(earlier) => self.weighed_against(earlier, over),
            None => self.weighed(over),
        }
    }

    /// Decides: one process within the limit suffices. After an undecided process another one follows, behind the
    /// fewest only while there is time.
    fn weighed(&self, over: OverLimit) -> Phase {
        if over.within > 0 {
            over.ended_within_limit(vec![Note::OverLimitOnlyAtFirst])
        } else if over.over >= self.policy.confirmations {
            over.convicted(Vec::new())
        } else if over.asked() < self.policy.confirmations
            || over.asked() < self.policy.max_confirmations && !self.is_out_of_time(over.spent)
        {
            over.asks()
        } else if over.undecided > 0 {
            over.open(Reason::Unclear, Note::OverLimitDisturbed)
        } else {
            over.open(Reason::Unclear, Note::OverLimitWithoutProcessors)
        }
    }

    /// Starts the check of a retry, which counts the processes of the earlier attempts and this one.
    /// Processes of those attempts that were not within the limit count as over it.
    fn held_after(&self, earlier: &EarlierAttempts, over: OverLimit) -> Phase {
        let within = |it: &&Round| is_within(it, over.limit);
        let acquitting = earlier.processes.iter().count_where(within);
        let seems_over = self.seems_over(over.limit);
        let within = acquitting as u32 + u32::from(!seems_over);
        let exceeding = (earlier.processes.len() - acquitting) as u32 + u32::from(seems_over);
        let over = over.continued(exceeding, within, earlier);
        self.weighed_against(earlier, over)
    }

    /// Decides a retry: the test is within the limit when at least as many processes of all attempts are
    /// within it as over it. Processes are started while that is still possible.
    fn weighed_against(&self, earlier: &EarlierAttempts, over: OverLimit) -> Phase {
        let left = earlier.outweighed_by().saturating_sub(over.asked());
        if over.within >= over.over {
            over.ended_within_limit(earlier.noted(vec![Note::MostWithinLimit]))
        } else if over.within + left >= over.over {
            over.asks()
        } else {
            self.convicted_again(earlier, over)
        }
    }

    /// Ends a retry over the limit with the processes of all attempts: this one alone may be within the limit.
    fn convicted_again(&self, earlier: &EarlierAttempts, mut over: OverLimit) -> Phase {
        let processes = self.own_round().into_iter().chain(&earlier.processes).chain(&over.fresh);
        let centers = processes.filter_map(|process| Observation::center(&process.fair()));
        over.ended.now = range(&centers.into_list());
        over.convicted(earlier.noted(Vec::new()))
    }

    /// Ends without a fresh process. The result of an earlier attempt stands.
    fn without_confirmation_of_limit(&self, over: OverLimit, reason: Reason, why: Note) -> Phase {
        match self.retry.of_limit() {
            Some(earlier) => self.convicted_again(earlier, over),
            None => over.open(reason, why),
        }
    }

    fn limit_vote_of(&self, process: &Round, limit: f64) -> LimitVote {
        if is_within(process, limit) {
            LimitVote::Within
        } else if self.exceeds(process, limit) {
            LimitVote::Over
        } else {
            LimitVote::Nothing
        }
    }

    /// Evaluates threads that lacked processors by their work alone: each measurement must exceed the limit by
    /// its work minus the largest cost of a disturbance. Busy waiting for a delayed thread looks like
    /// work, but not in every measurement.
    fn limit_vote_of_contended(&self, measured: &[Measurement], limit: f64) -> LimitVote {
        let processors = self.policy.processors;
        let work = measured.iter().map(|it| work_at_least(it, processors) / DISTURBANCE);
        if work.fold(f64::INFINITY, f64::min) > limit {
            LimitVote::Over
        } else {
            LimitVote::Contended
        }
    }

    /// Whether a process exceeds the limit beyond chance, by its undisturbed measurements or by the lower
    /// bounds of all. Where there are too few for rank bounds, each measurement must exceed it.
    fn exceeds(&self, process: &Round, limit: f64) -> bool {
        let at_least = |logs: Sample| {
            // All processes must agree, so the misrate is not split over them.
            let bounds = center_bounds(&logs, self.policy.red_misrate, RankStep::Conservative);
            let all = || self.policy.is_short_of_room().then(|| logs.sorted()[0]);
            bounds.map(|bounds| bounds.lower).or_else(all)
        };
        let exceeds = |values: Vec<f64>| {
            // A body that only waited has a lower bound of 0.
            let logs = values.into_iter().map(|value| value.max(f64::MIN_POSITIVE).ln());
            let logs = Sample::new(logs.into_list()).ok();
            logs.and_then(at_least).is_some_and(|at_least| at_least > limit.ln())
        };
        let clean = || process.clean().iter().map(|it| it.value).into_list();
        !process.is_disturbed() && exceeds(clean()) || exceeds(process.own_time())
    }
}

/// Whether the median of the measurements that can prove a green is within the limit.
fn is_within(round: &Round, limit: f64) -> bool {
    Observation::center(&round.fair()).is_some_and(|center| center.value <= limit)
}

/// Returns the least time of an iteration's work on this many processors.
fn work_at_least(measurement: &Measurement, processors: f64) -> f64 {
    let own_ns = measurement.thread_cpu_ns.unwrap_or(0) as f64;
    let shared_ns = measurement.process_cpu_ns.unwrap_or(0) as f64 / processors;
    measurement.value * own_ns.max(shared_ns) / measurement.wall_ns.max(1.0)
}
