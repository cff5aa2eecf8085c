//! The paired check: fresh processes of the judged executable and of the last good build decide what the
//! history leaves undecided.
//!
//! The history alone cannot distinguish a slower commit from a slower machine or a larger input, and a
//! noisy history proves little. The last good build runs now, on the same machine and the same input. A
//! slower machine slows both, so the bounds of the pairs alone decide, by the rule of [`Comparison`].
//! Where both are slower than their history, the machine is slower, not the code.

use super::retry::EarlierPairs;
use super::{Phase, Trial};
use crate::judge::round::Round;
use crate::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, Pairing, Policy, ProcessPair,
    Step, Tally,
};
use crate::list::IntoList;
use crate::model::{Evidence, Note, Observation, PairedResult, Reason, Sample};
use std::time::Duration;

/// The fewest pairs, which a red requires, may take this many budgets ..
const BUDGETS_OF_FEWEST: u32 = 10;
/// .. or this, if that is more: half a second for each process. Both are conventions
/// (docs/reference/verdicts.md).
const LEAST_FOR_FEWEST: Duration = Duration::from_secs(5);

/// The reason for a paired check.
#[derive(Debug, Clone)]
pub(super) enum Cause {
    /// A candidate red, or a process that was disturbed throughout.
    Suspicion,
    /// The history proves nothing. Without pairs the trial ends with this reason.
    Doubt(Reason, Option<Note>),
    /// A green or an improvement of threads that does not hold among runs of the same parallelism.
    OtherParallelism(Reason),
    /// A green that needs its acceptance, in a process too disturbed for a level: pairs show how slow the code is.
    AcceptedLevel,
    /// An earlier attempt was red by its pairs.
    Retry(EarlierPairs),
}

/// The running comparison with the last good build.
#[derive(Debug, Clone)]
pub(super) struct PairedCheck {
    cause: Cause,
    comparison: Comparison,
    /// Distance of each process of the last good build above its history (logarithm).
    base_rises: Vec<f64>,
}

impl PairedCheck {
    pub(super) fn step(&self) -> Step {
        match self.comparison.step() {
            ComparisonStep::Measure(plan) => Step::Pair(plan),
            ComparisonStep::Done(_) => unreachable!("a trial ends with its comparison"),
        }
    }

    fn earlier(&self) -> Option<&EarlierPairs> {
        match &self.cause {
            Cause::Retry(earlier) => Some(earlier),
            _ => None,
        }
    }

    /// The result of these pairs, with the number of all.
    fn result(&self, compared: &ComparisonResult) -> PairedResult {
        PairedResult {
            now: compared.base.estimate,
            ratio: compared.ratio.estimate,
            machine_ratio: self.machine_ratio(),
            pairs: compared.pairs + self.earlier().map_or(0, |it| it.result.pairs),
            ..PairedResult::default()
        }
    }

    /// The last good build's own ratio to its history; 1 if that is unknown.
    fn machine_ratio(&self) -> f64 {
        self.base_rise().map_or(1.0, f64::exp)
    }

    fn base_rise(&self) -> Option<f64> {
        Sample::median_of(&self.base_rises)
    }
}

impl Trial {
    /// Starts a paired check, unless there is no last good build. A retry of a red without pairs continues
    /// without pairs.
    pub(super) fn pair_up(&self, cause: Cause) -> Phase {
        if self.retry.of_red().is_some() {
            return self.confirm();
        }
        let cause = self.retry.of_pairs().cloned().map_or(cause, Cause::Retry);
        if self.has_no_base {
            return self.without_base(cause);
        }
        let comparison = Comparison::new(self.direction, self.comparison_policy(&cause));
        Phase::Pairing(Box::new(PairedCheck { cause, comparison, base_rises: Vec::new() }))
    }

    /// Decides by pairs where the history cannot, unless the machine code is that of the baseline.
    pub(super) fn settle(&self, reason: Reason, note: Option<Note>) -> Phase {
        match &self.unchanged {
            Some(unchanged) => self.over(Reason::SameCode, Some(unchanged.clone())),
            None => self.pair_up(Cause::Doubt(reason, note)),
        }
    }

    pub(super) fn after_pair(&mut self, mut check: Box<PairedCheck>, pairing: Pairing) -> Phase {
        match pairing {
            Pairing::NoBase => {
                self.has_no_base = true;
                // An aborted paired check decides nothing and replaces no confirmation.
                self.fresh.rounds.clear();
                self.without_base(check.cause)
            }
            Pairing::NotAlone => self.without_pairs(check.cause, Reason::NotAlone, None),
            Pairing::Unavailable(why) => {
                let note = Note::NotMeasuredAfresh { why };
                self.without_pairs(check.cause, Reason::Unclear, Some(note))
            }
            Pairing::Measured { pair, elapsed } => {
                self.take_pair(&mut check, pair, elapsed);
                match check.comparison.step() {
                    ComparisonStep::Measure(_) => Phase::Pairing(check),
                    ComparisonStep::Done(compared) if compared.is_of_nothing() => {
                        let note = compared.notes.first().cloned();
                        self.without_pairs(check.cause, Reason::Unclear, note)
                    }
                    ComparisonStep::Done(compared) => self.settled(&check, &compared),
                }
            }
        }
    }

    fn take_pair(&mut self, check: &mut PairedCheck, pair: ProcessPair, elapsed: Duration) {
        let base = Round::of(&pair.base, &self.conditions(&pair.base));
        check.base_rises.extend(self.level.as_ref().and_then(|level| level.rise_of(&base)));
        self.fresh.spent += elapsed;
        let conditions = self.conditions(&pair.head);
        self.fresh.rounds.push(Round::of(&pair.head, &conditions));
        self.tally.add(&Tally::of_conditions(conditions));
        check.comparison.observe(pair, elapsed);
    }

    /// Returns the settings of the comparison: the remaining time, and the tolerance with accepted slowdowns.
    fn comparison_policy(&self, cause: &Cause) -> ComparisonPolicy {
        let budget = Duration::from_nanos(self.policy.budget_ns);
        let left = (Policy::BUDGETS * budget).saturating_sub(self.spent()).max(budget);
        let usual = ComparisonPolicy::default();
        let fewest_pairs = match cause {
            // This attempt has the majority of all pairs.
            Cause::Retry(earlier) => earlier.result.pairs + 2,
            _ => self.policy.fewest_pairs(),
        };
        let fewest_budget = match cause {
            Cause::Doubt(..) | Cause::OtherParallelism(_) | Cause::AcceptedLevel => Duration::ZERO,
            _ => (BUDGETS_OF_FEWEST * budget).max(LEAST_FOR_FEWEST),
        };
        ComparisonPolicy {
            tolerance: self.policy.tolerance.beside_accepted(self.baseline.accepted_ratio),
            fewest_pairs,
            most_pairs: usual.most_pairs.max(fewest_pairs),
            budget_ns: left.as_nanos() as u64,
            fewest_budget_ns: fewest_budget.as_nanos() as u64,
            green_misrate: self.policy.green_misrate,
            red_misrate: self.policy.red_misrate,
            floor: self.policy.floor,
            process_spread: self.policy.process_spread,
            seed: self.seed,
            ..usual
        }
    }

    /// Continues without a last good build.
    fn without_base(&self, cause: Cause) -> Phase {
        match cause {
            Cause::Suspicion => self.confirm(),
            Cause::Doubt(reason, note) => self.over(reason, note),
            Cause::OtherParallelism(proven) => self.of_other_parallelism(proven),
            Cause::AcceptedLevel => self.over(Reason::Green, None),
            Cause::Retry(earlier) => self.standing(&earlier, 0, vec![Note::LastGoodBuildGone]),
        }
    }

    /// Ends if no pair counts. `note` is why.
    fn without_pairs(&mut self, cause: Cause, reason: Reason, note: Option<Note>) -> Phase {
        match cause {
            Cause::Suspicion => self.over(reason, note),
            // There is a last good build, and it alone may judge: this is not the first run of its code.
            Cause::Doubt(Reason::NoBaseline, _) if self.by_pairs_alone => self.over(reason, note),
            // Without neighbours the measuring lock is what lacks.
            Cause::Doubt(open, None)
                if reason == Reason::NotAlone
                    && self.has_neighbours
                    && open.is_without_answer() =>
            {
                self.over(open, Some(Note::NotPairedAlone))
            }
            Cause::Doubt(reason, doubt) => self.over(reason, doubt.or(note)),
            Cause::OtherParallelism(_) if reason == Reason::NotAlone && !self.has_neighbours => {
                self.over(reason, note)
            }
            Cause::OtherParallelism(proven) => self.of_other_parallelism(proven),
            Cause::AcceptedLevel => self.green_by_history(),
            Cause::Retry(earlier) => self.standing(&earlier, 0, note.into_iter().into_list()),
        }
    }

    /// Ends green by the process that proved it, where pairs showed nothing.
    fn green_by_history(&mut self) -> Phase {
        self.fresh.rounds.clear();
        self.over(Reason::Green, None)
    }

    /// Ends with the red of an earlier attempt and its evidence: this many new pairs do not change it. `notes` are why.
    fn standing(&self, earlier: &EarlierPairs, new_pairs: u32, notes: Vec<Note>) -> Phase {
        let pairs = earlier.result.pairs + new_pairs;
        Phase::Over(Box::new(Evidence {
            degradation: earlier.degradation,
            paired_result: Some(PairedResult { pairs, ..earlier.result.clone() }),
            ..self.evidence(Reason::Red, earlier.noted(notes))
        }))
    }

    /// Ends without a pair where a proof does not hold among the runs of the same parallelism.
    fn of_other_parallelism(&self, proven: Reason) -> Phase {
        match self.has_neighbours {
            // The parallelism may be that of the neighbours.
            true => self.over(proven, None),
            false => self.over(Reason::Unclear, Some(Note::OtherParallelism)),
        }
    }

    fn settled(&mut self, check: &PairedCheck, compared: &ComparisonResult) -> Phase {
        let reason = self.reason_by_pairs(check, compared);
        if matches!(check.cause, Cause::AcceptedLevel) && reason.is_without_answer() {
            return self.green_by_history();
        }
        let notes = match reason {
            Reason::MachineSlower => {
                vec![Note::LastGoodBuildSlower { ratio: check.machine_ratio() }]
            }
            Reason::Unclear if compared.reason == Reason::Red => vec![Note::SlowByLessThanCurve],
            _ => compared.notes.clone(),
        };
        let notes = match check.earlier() {
            // A retry stays red until it is proven green.
            Some(earlier) if reason == Reason::Red && compared.reason != Reason::Red => {
                let is_of_red = |note: &&Note| **note != Note::SlowByLessThanShift;
                let notes = notes.iter().filter(is_of_red).cloned().into_list();
                return self.standing(earlier, compared.pairs, notes);
            }
            Some(earlier) => earlier.noted(notes),
            None => notes,
        };
        self.fresh.stood = match reason {
            Reason::Red => compared.pairs,
            // Slow by too little for a red: such runs may still be a level.
            _ if self.own.suspected && reason.is_without_answer() => {
                check.comparison.slower_of(self.fresh.rounds.len())
            }
            _ => 0,
        };
        let mut evidence = self.evidence(reason, notes);
        let budget_s = Duration::from_nanos(self.policy.budget_ns).as_secs_f64();
        let needed_budget_s = compared.needed_pairs.and_then(|it| self.budget_for(it, check));
        let needed_budget_s = needed_budget_s.filter(|it| *it > budget_s);
        if needed_budget_s.is_some() || reason == Reason::Improved {
            evidence.notes.iter_mut().for_each(leave_budget_to_advice);
        }
        let degradation = match reason {
            // The machine is slower than the history.
            Reason::MachineSlower => evidence.degradation,
            _ => Some(compared.ratio),
        };
        let paired_result = Some(check.result(compared));
        Phase::Over(Box::new(Evidence { degradation, needed_budget_s, paired_result, ..evidence }))
    }

    /// Returns the `budget` setting with room for this many pairs, in seconds; `None` where not the time is the limit.
    fn budget_for(&self, pairs: u32, check: &PairedCheck) -> Option<f64> {
        let comparison = &check.comparison;
        let time = comparison.time_for(pairs.max(comparison.policy.fewest_pairs))?;
        let before_pairs = self.spent().saturating_sub(comparison.spent);
        Some(((before_pairs + time) / Policy::BUDGETS).as_secs_f64().ceil())
    }

    /// Returns the verdict of the pairs, with the context of the trial: the history of the last good build,
    /// the curve of the author, and the pairs of earlier attempts.
    fn reason_by_pairs(&self, check: &PairedCheck, compared: &ComparisonResult) -> Reason {
        let is_fast = matches!(compared.reason, Reason::Green | Reason::Improved);
        if matches!(check.cause, Cause::Retry(_)) {
            // This attempt has the majority of all pairs.
            return if is_fast { Reason::Green } else { Reason::Red };
        }
        match compared.reason {
            // The run counts by this ratio, in which the machine has no part.
            Reason::Green if self.pairs_accepted_code && self.is_accepted(compared) => {
                Reason::Green
            }
            _ if is_fast && self.is_machine_slower(check) => Reason::MachineSlower,
            Reason::Red
                if compared.ratio.estimate < self.policy.curve.least(self.policy.tolerance) =>
            {
                Reason::Unclear
            }
            Reason::Unclear if self.is_below_history(compared) => Reason::Improved,
            reason => reason,
        }
    }

    /// Whether the history and the pairs, too few for a verdict, agree that the code is much faster: the processes are
    /// below all known runs, and the last good build beside them is not. Without this verdict the run would join the
    /// old level, and hide later slowdowns in its noise. Not for threads: they may wake each other faster by themselves.
    /// As many pairs as prove a slowdown of a long body: a single slow process of the last good build proves nothing.
    fn is_below_history(&self, compared: &ComparisonResult) -> bool {
        let level = self.level.as_ref().filter(|_| !self.own.works_in_threads);
        let at_most = compared.ratio.upper.ln();
        level.is_some_and(|level| {
            let base = level.degradation_of(&[Observation::from(compared.base.estimate)]);
            let base = base.unwrap_or(0.0);
            compared.pairs >= Policy::FEWEST_LONG_PAIRS
                && !level.is_below_modes(base.ln())
                && level.is_beyond_noise(at_most)
                && level.are_below_modes(&self.processes())
        })
    }

    /// Whether the pairs needed an acceptance to be green.
    fn is_accepted(&self, compared: &ComparisonResult) -> bool {
        self.baseline.accepted_ratio.is_some()
            && compared.ratio.estimate > self.policy.tolerance.ratio()
    }

    /// Whether the last good build is slower than its own history, and this process, too. An unstable history
    /// does not count.
    fn is_machine_slower(&self, check: &PairedCheck) -> bool {
        let level = self.level.as_ref().filter(|level| !level.is_unstable());
        level.is_some_and(|level| {
            let own_rise = self.own_round().and_then(|own| level.rise_of(own));
            let rises = [check.base_rise(), own_rise];
            rises.iter().all(|rise| rise.is_some_and(|rise| rise > level.tolerance()))
        })
    }
}

/// The advice names the budget that settles the answer, so that the note names no other.
fn leave_budget_to_advice(note: &mut Note) {
    if let Note::PairsNeedBudget { pairs, most, .. } = *note {
        *note = Note::PairsOutOfTime { pairs, most };
    }
}
