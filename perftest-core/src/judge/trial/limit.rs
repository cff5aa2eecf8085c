//! What a trial makes of the absolute limit of its test.

use super::{Phase, Trial, pause_before_process};
use crate::judge::round::Round;
use crate::judge::{Confirmation, Inspector, Observed, Step, Usual};
use crate::model::{Evidence, Measurement, Observation, Reason, Sample};
use crate::stats::{RankStep, center_bounds};
use std::time::Duration;

const ALONE_OVER: &str = "over its limit at first, but not in a fresh process";
const NOT_ALONE: &str = "over its limit, but other tests ran at the same time";

/// A test that seems to exceed its limit, while fresh processes are asked.
#[derive(Debug, Clone)]
pub(super) struct OverLimit {
    /// What the trial ends with if it does not.
    ended: Box<Evidence>,
    limit: f64,
    /// Fresh processes in which it was exceeded.
    stood: u32,
    pause: Option<Duration>,
}

impl OverLimit {
    fn new(ended: Box<Evidence>, limit: f64) -> Self {
        Self { ended, limit, stood: 0, pause: Some(pause_before_process(1)) }
    }

    pub(super) fn step(&self, measurements: u32) -> Step {
        match self.pause {
            Some(pause) => Step::Wait(pause),
            None => Step::Confirm { process: self.stood + 1, measurements },
        }
    }

    /// The end as it was before the limit was looked at, with the reason why the limit did not
    /// change it.
    fn acquitted(mut self, why: &str) -> Phase {
        let note = [self.ended.note.as_str(), why].into_iter().filter(|it| !it.is_empty());
        self.ended.note = note.collect::<Vec<_>>().join("; ");
        Phase::Over(self.ended)
    }

    fn convicted(mut self) -> Phase {
        self.ended.reason = Reason::OverLimit;
        self.ended.note.clear();
        Phase::Over(self.ended)
    }
}

impl Trial {
    /// The end of a trial, unless its test seems to exceed its limit. A red fails as it is.
    pub(super) fn held_to_limit(&self, ended: Box<Evidence>) -> Phase {
        let limit = self.policy.limit.filter(|limit| self.seems_over(*limit));
        match limit.filter(|_| ended.reason != Reason::Red) {
            Some(limit) => Phase::HoldingToLimit(OverLimit::new(ended, limit)),
            None => Phase::Over(ended),
        }
    }

    /// Whether the middle of every round of this process lies above the limit: interference only
    /// makes code slower, so one that does not speaks for the code.
    fn seems_over(&self, limit: f64) -> bool {
        let middles = self.rounds.iter().filter_map(|round| middle(&round.blamed()));
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

    fn hear_of_limit(&mut self, mut over: OverLimit, confirmation: Confirmation) -> Phase {
        let measured = match confirmation {
            Confirmation::Measured { measurements, .. } => measurements,
            Confirmation::NotAlone => return over.acquitted(NOT_ALONE),
            Confirmation::Unavailable(why) => {
                return over.acquitted(&format!("over its limit, and not confirmed: {why}"));
            }
        };
        let is_over = self.exceeds(&measured, over.limit);
        over.ended.measurements += measured.len() as u32;
        over.ended.processes += 1;
        if !is_over {
            return over.acquitted(ALONE_OVER);
        }
        over.stood += 1;
        if over.stood >= self.policy.confirmations {
            return over.convicted();
        }
        over.pause = Some(pause_before_process(over.stood + 1));
        Phase::HoldingToLimit(over)
    }

    /// Whether a fresh process exceeds the limit beyond chance. Where measurements are so long that
    /// there are too few for bounds by ranks, each of them has to.
    fn exceeds(&self, measured: &[Measurement], limit: f64) -> bool {
        let usual = Usual::in_baseline(&self.baseline);
        let conditions = Inspector::new(usual).inspect_all(measured);
        let whole = Round::together(&Round::all_of(measured, &conditions, self.round as usize));
        let logs = Sample::new(whole.blamed().iter().map(|it| it.value.ln()).collect());
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
