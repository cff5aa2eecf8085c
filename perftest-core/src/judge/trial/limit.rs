//! What a trial makes of the absolute limit of its test.

use super::{Phase, Trial, pause_before_process};
use crate::judge::earlier::Earlier;
use crate::judge::round::Round;
use crate::judge::{Confirmation, Inspector, Observed, Step, Usual, is_contended};
use crate::model::{Evidence, Observation, Reason, Sample};
use crate::stats::{RankStep, center_bounds};
use std::time::Duration;

const ALONE_OVER: &str = "over its limit at first, but not in a fresh process";
const MOST_WITHIN: &str =
    "at least as many processes of all attempts are within its limit as over it";
const NOT_ALONE: &str = "over its limit, but other tests ran at the same time";
const OTHERS_WORK: &str = "over its limit, but other work took the processors its threads needed";

/// A test that seems to exceed its limit, while fresh processes are asked.
#[derive(Debug, Clone)]
pub(super) struct OverLimit {
    /// What the trial ends with if it does not.
    ended: Box<Evidence>,
    limit: f64,
    /// Fresh processes that were asked.
    asked: u32,
    /// Processes in which it was exceeded: fresh ones, and in a retry those of all attempts.
    over: u32,
    /// And those in which it was not.
    within: u32,
    pause: Option<Duration>,
}

impl OverLimit {
    fn new(ended: Box<Evidence>, limit: f64) -> Self {
        let pause = Some(pause_before_process(1));
        Self { ended, limit, asked: 0, over: 0, within: 0, pause }
    }

    /// The same, gone on with after attempts that ended over the limit.
    fn continued(self, over: u32, within: u32, earlier: &Earlier) -> Self {
        let mut ended = self.ended;
        ended.measurements += earlier.measurements;
        ended.suspects += earlier.suspects;
        ended.processes += earlier.processes.len() as u32;
        Self { ended, over, within, ..self }
    }

    pub(super) fn step(&self, measurements: u32) -> Step {
        match self.pause {
            Some(pause) => Step::Wait(pause),
            None => Step::Confirm { process: self.asked + 1, measurements },
        }
    }

    fn asks_on(self) -> Phase {
        let pause = Some(pause_before_process(self.asked + 1));
        Phase::HoldingToLimit(Self { pause, ..self })
    }

    /// The end as it was before the limit was looked at, with the reason why the limit did not
    /// change it.
    fn acquitted(mut self, why: &str) -> Phase {
        let note = [self.ended.note.as_str(), why].into_iter().filter(|it| !it.is_empty());
        self.ended.note = note.collect::<Vec<_>>().join("; ");
        Phase::Over(self.ended)
    }

    fn convicted(mut self, note: String) -> Phase {
        self.ended.reason = Reason::OverLimit;
        self.ended.note = note;
        Phase::Over(self.ended)
    }
}

impl Trial {
    /// The end of a trial, unless its test seems to exceed its limit, or an earlier attempt did. A
    /// red fails as it is.
    pub(super) fn held_to_limit(&self, ended: Box<Evidence>) -> Phase {
        let limit = self.policy.limit.filter(|_| ended.reason != Reason::Red);
        match (limit, &self.over_before) {
            (Some(limit), Some(earlier)) => self.held_after(earlier, OverLimit::new(ended, limit)),
            (Some(limit), None) if self.seems_over(limit) => {
                Phase::HoldingToLimit(OverLimit::new(ended, limit))
            }
            _ => Phase::Over(ended),
        }
    }

    /// Whether the middle of every round of this process, and of the fresh ones that the history
    /// asked for, lies above the limit: interference only makes code slower, so one that does not
    /// speaks for the code.
    fn seems_over(&self, limit: f64) -> bool {
        let rounds = self.rounds.iter().chain(&self.fresh);
        let middles = rounds.filter_map(|round| middle(&round.blamed()));
        middles.min_by(f64::total_cmp).is_some_and(|fastest| fastest > limit)
    }

    /// Takes the answer to [`OverLimit::step`].
    pub(super) fn after_limit(&mut self, over: OverLimit, observed: Observed) -> Phase {
        match (observed, over.pause) {
            (Observed::Waited, Some(_)) => Phase::HoldingToLimit(OverLimit { pause: None, ..over }),
            (Observed::Confirmed(confirmation), None) => self.hear_of_limit(over, confirmation),
            (observed, _) => {
                let step = over.step(self.measurements_of_witness());
                panic!("{observed:?} does not answer {step:?}")
            }
        }
    }

    fn hear_of_limit(&self, mut over: OverLimit, confirmation: Confirmation) -> Phase {
        let (measured, others_cpus) = match confirmation {
            Confirmation::Measured { measurements, others_cpus, .. } => (measurements, others_cpus),
            Confirmation::NotAlone => return self.without_witness_of_limit(over, NOT_ALONE),
            Confirmation::Unavailable(why) => {
                let why = format!("over its limit, and not confirmed: {why}");
                return self.without_witness_of_limit(over, &why);
            }
        };
        let conditions = Inspector::new(Usual::in_baseline(&self.baseline)).inspect_all(&measured);
        let process = Round::of(&measured, &conditions);
        over.asked += 1;
        over.ended.measurements += measured.len() as u32;
        over.ended.processes += 1;
        if !self.exceeds(&process, over.limit) {
            over.within += 1;
        } else if !is_contended(&measured, others_cpus) {
            over.over += 1;
        }
        match &self.over_before {
            Some(earlier) => self.weighed_against(earlier, over),
            None => self.weighed(over),
        }
    }

    /// One process within the limit acquits. One that others held up is no witness.
    fn weighed(&self, over: OverLimit) -> Phase {
        if over.within > 0 {
            over.acquitted(ALONE_OVER)
        } else if over.over >= self.policy.confirmations {
            over.convicted(String::new())
        } else if over.asked >= self.policy.max_confirmations {
            over.acquitted(OTHERS_WORK)
        } else {
            over.asks_on()
        }
    }

    /// A retry counts the processes of the attempts before it, and this one.
    fn held_after(&self, earlier: &Earlier, over: OverLimit) -> Phase {
        let exceeding = earlier.processes.iter().filter(|it| self.exceeds(it, over.limit)).count();
        let seems_over = self.seems_over(over.limit);
        let within = (earlier.processes.len() - exceeding) as u32 + u32::from(!seems_over);
        let over = over.continued(exceeding as u32 + u32::from(seems_over), within, earlier);
        self.weighed_against(earlier, over)
    }

    /// What ended over the limit falls when at least as many processes of all attempts are within
    /// it, and as many are asked as can still bring that about.
    fn weighed_against(&self, earlier: &Earlier, over: OverLimit) -> Phase {
        let left = earlier.outweighed_by().saturating_sub(over.asked);
        if over.within >= over.over {
            over.acquitted(&earlier.noted(MOST_WITHIN))
        } else if over.within + left >= over.over {
            over.asks_on()
        } else {
            over.convicted(earlier.noted(""))
        }
    }

    /// No fresh process can bear witness. What an earlier attempt has found stands then.
    fn without_witness_of_limit(&self, over: OverLimit, why: &str) -> Phase {
        match &self.over_before {
            Some(earlier) => over.convicted(earlier.noted("")),
            None => over.acquitted(why),
        }
    }

    /// Whether a process exceeds the limit beyond chance. Where measurements are so long that
    /// there are too few for bounds by ranks, each of them has to.
    fn exceeds(&self, process: &Round, limit: f64) -> bool {
        let logs = Sample::new(process.blamed().iter().map(|it| it.value.ln()).collect());
        let at_least = |logs: Sample| {
            // All processes have to agree, so each pays for its own look alone.
            let bounds = center_bounds(&logs, self.policy.red_misrate, RankStep::Conservative);
            let all = || self.policy.is_short_of_room().then(|| logs.sorted()[0]);
            bounds.map(|bounds| bounds.lower).or_else(all)
        };
        logs.ok().and_then(at_least).is_some_and(|at_least| at_least > limit.ln())
    }
}

fn middle(observations: &[Observation]) -> Option<f64> {
    let values = observations.iter().map(|it| it.value).collect();
    Sample::new(values).ok().map(|sample| sample.median())
}
