//! Confirmation by fresh processes without a last good build.

use super::{Phase, Trial};
use crate::judge::baseline_level::BaselineLevel;
use crate::judge::parallelism::is_serialised;
use crate::judge::processor_demand::is_contended;
use crate::judge::round::Round;
use crate::judge::{Confirmation, Policy, Tally};
use crate::list::IntoList;
use crate::model::{Measurement, Note, Reason};
use std::time::Duration;

impl Trial {
    pub(super) fn after_confirmation(&mut self, confirmation: Confirmation) -> Phase {
        let (measured, others_cpus) = match confirmation {
            Confirmation::Measured { measurements, others_cpus, elapsed } => {
                self.fresh.spent += elapsed;
                (measurements, others_cpus)
            }
            Confirmation::NotAlone => return self.without_confirmation(Reason::NotAlone, None),
            Confirmation::Unavailable(why) => {
                return self
                    .without_confirmation(Reason::Unclear, Some(Note::NotConfirmed { why }));
            }
        };
        let contended = is_contended(&measured, others_cpus, &self.policy);
        let green = self.weigh_confirmation(&measured, contended);
        if self.retry.of_red().is_some() {
            return self.after_fresh_process_of_retry();
        }
        if let Some(reason) = green {
            let was_slow = self.own.suspected;
            let note = if was_slow { Note::SlowOnlyAtFirst } else { Note::DisturbedOnlyAtFirst };
            return self.over(reason, Some(note));
        }
        let explained = others_cpus.filter(|_| contended);
        if let Some(reason) = explained.and_then(|cpus| self.green_by_processor_time(cpus)) {
            return self.over(reason, Some(Note::ThreadsOnProcessorTime));
        }
        self.after_fresh_process()
    }

    /// Adds the measurements of a fresh process. Returns the reason if they prove a green that needs no pairs.
    fn weigh_confirmation(&mut self, measured: &[Measurement], contended: bool) -> Option<Reason> {
        let conditions = self.conditions(measured);
        let level = self.level.as_ref().expect("only a test with a baseline confirms");
        let rounds = Round::all_of(measured, &conditions, self.own.round as usize);
        let judged = level.fastest_round(&rounds).unwrap_or_default();
        let proven = level.proves_green(&judged);
        let doubt = proven.and_then(|reason| self.doubt_without_pairs(reason, &judged));
        let green = proven.filter(|_| doubt.is_none());
        let stands = level.proves_slower(&judged) && !contended;
        self.tally.add(&Tally::of_conditions(conditions));
        self.fresh.contended |= contended;
        self.fresh.stood += u32::from(stands);
        self.fresh.disturbed += u32::from(!stands && judged.is_disturbed());
        self.fresh.rounds.push(judged);
        self.fresh.doubt = doubt.or(self.fresh.doubt.take());
        green
    }

    /// Continues after a fresh process that did not prove a green.
    fn after_fresh_process(&self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline confirms");
        let stands = self.fresh.stood >= self.policy.confirmations;
        if stands && level.proves_red(&self.convincing_rounds(), self.tally.all()) {
            return if self.baseline.is_provisional {
                self.over(Reason::Unclear, Some(Note::SlowAgainstOneRun))
            } else {
                self.over(Reason::Red, None)
            };
        }
        let count = self.fresh.rounds.len() as u32;
        let is_out_of_time =
            count >= self.policy.confirmations && self.is_out_of_time(Duration::ZERO);
        if count < self.most_fresh() && !is_out_of_time {
            return self.confirm();
        }
        let note = match (stands, &self.fresh.doubt) {
            _ if self.fresh.contended => Note::SlowWithoutProcessors,
            (true, _) => Note::SlowByTooLittle,
            (false, Some(doubt)) => doubt.clone(),
            (false, None) if self.own.suspected && is_out_of_time => Note::SlowInSomeOutOfTime,
            (false, None) if self.own.suspected => Note::SlowInSomeProcesses,
            (false, None) => Note::DisturbedThroughout,
        };
        self.over(level.undecided(), Some(note))
    }

    /// Whether the decision, with this time beside it, used up its budgets. The required processes may take longer.
    pub(super) fn is_out_of_time(&self, beside: Duration) -> bool {
        self.spent() + beside >= Policy::BUDGETS * Duration::from_nanos(self.policy.budget_ns)
    }

    /// Returns the largest number of fresh processes.
    fn most_fresh(&self) -> u32 {
        let usual = self.policy.max_confirmations;
        let most = self.retry.of_red().map_or(usual, |it| it.outweighed_by().max(usual));
        most + self.fresh.disturbed.min(usual)
    }

    /// Decides on the red of an earlier attempt by all processes together: a green needs most of them, and that they no
    /// longer prove a red. Processes are started while that is still possible.
    fn after_fresh_process_of_retry(&self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is tried again");
        let processes = self.processes();
        let green = |process: &Round| {
            let proven = level.proves_green(process)?;
            self.doubt_without_pairs(proven, process).is_none().then_some(proven)
        };
        let greens: Vec<Reason> = processes.iter().filter_map(|process| green(process)).into_list();
        // A disturbed process that is neither provably fast nor slow beyond any disturbance does not
        // count.
        let is_inconclusive = |process: &&&Round| {
            process.is_disturbed() && green(process).is_none() && !level.proves_slower(process)
        };
        let all = processes.len() - processes.iter().count_where(is_inconclusive);
        let left = (self.most_fresh() as usize).saturating_sub(self.fresh.rounds.len());
        let are_most = |some: usize, all: usize| 2 * some > all;
        let proves_red = || level.proves_red(&self.convincing_rounds(), self.all_measurements());
        match greens.last() {
            Some(reason) if are_most(greens.len(), all) && !proves_red() => {
                self.over(*reason, Some(Note::MostWithinTolerance))
            }
            _ if left > 0 && are_most(greens.len() + left, all + left) => self.confirm(),
            _ => self.over(Reason::Red, self.fresh.doubt.clone()),
        }
    }

    /// Ends without a fresh process. The red of an earlier attempt stands.
    fn without_confirmation(&self, reason: Reason, note: Option<Note>) -> Phase {
        let reason = if self.retry.of_red().is_some() { Reason::Red } else { reason };
        self.over(reason, note)
    }

    /// Returns the reason if the newest fresh process used no more processor time than usual, whatever its
    /// wall time beside other work. Less processor time is no improvement. A too noisy processor time is
    /// reported as such. `None` for threads that worked on fewer processors than others left them: processor time does not
    /// show that they wait for each other.
    fn green_by_processor_time(&self, others_cpus: f64) -> Option<Reason> {
        let level = BaselineLevel::of_processor_time(&self.baseline, &self.policy)?;
        let newest = self.fresh.rounds.last()?;
        if is_serialised(&self.baseline, newest, others_cpus, self.policy.processors) {
            return None;
        }
        let proven = level.proves_green(newest)?;
        match proven {
            // A faster machine needs less of it.
            _ if level.speed_behind(proven, newest).is_some() => None,
            Reason::Improved => Some(Reason::Green),
            reason => Some(reason),
        }
    }
}
