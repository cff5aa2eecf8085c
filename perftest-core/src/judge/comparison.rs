//! Comparison of two executables: requests pairs of fresh processes and ends with a result.

use super::comparison_result::InterimAnalysis;
use super::process_pair::{Disturbance, PairEvidence};
use super::regimes::Regimes;
use super::{ComparisonPolicy, ComparisonResult, Decile, PairPlan, ProcessPair, Side};
use crate::list::IntoList;
use crate::model::{Direction, Note, Reason, Sample};
use crate::stats::{bounded_probabilities, harrell_davis, ratio, shift};
use std::time::Duration;

/// The next step of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparisonStep {
    /// Start a fresh process of each side and measure them in turns.
    Measure(PairPlan),
    /// The comparison is over, with this result.
    Done(Box<ComparisonResult>),
}

/// The reason why no further pair is measured.
#[derive(Debug, Clone, Copy)]
enum StopReason {
    /// The largest number of pairs is reached.
    Pairs,
    /// Too many pairs were disturbed on one side, or had their sides in different regimes.
    Disturbed,
    /// The budget is spent.
    Time,
}

/// One comparison of one test: a state machine without a clock.
///
/// The unit of evidence is a pair of fresh processes, because memory layouts and slow processes are
/// per process: more turns in one pair remove neither. Within a pair the sides alternate, so that
/// disturbances hit both. Looks after 5, 7, 10, 14, 20, 28 and 40 pairs: green
/// as soon as the upper bound of the degradation is within the tolerance, red as soon as the lower
/// bound is beyond it.
///
/// ```
/// use perftest_core::judge::{Comparison, ComparisonPolicy, ComparisonStep, ProcessPair};
/// use perftest_core::model::{Direction, Measurement, Reason};
/// use std::time::Duration;
///
/// let mut comparison = Comparison::new(Direction::Lower, ComparisonPolicy::default());
/// let compared = loop {
///     match comparison.step() {
///         ComparisonStep::Measure(plan) => {
///             let measured = |ns| plan.turns.iter().map(|_| Measurement::of_value(ns)).collect();
///             let pair = ProcessPair { base: measured(100.0), head: measured(120.0) };
///             comparison.observe(pair, Duration::from_millis(80));
///         }
///         ComparisonStep::Done(compared) => break compared,
///     }
/// };
/// assert_eq!((compared.reason, compared.pairs), (Reason::Red, 5));
/// ```
#[derive(Debug, Clone)]
pub struct Comparison {
    direction: Direction,
    pub(super) policy: ComparisonPolicy,
    /// Numbers of pairs after which the data are evaluated.
    pub(super) looks: Vec<u32>,
    /// Number of looks so far.
    looked: usize,
    /// All pairs with a ratio, in order.
    pairs: Vec<PairEvidence>,
    /// The pairs that count.
    counted: Vec<PairEvidence>,
    /// The regimes of the comparison.
    regimes: Option<Regimes>,
    /// Number of observed pairs, with or without a ratio.
    observed: u32,
    measurements: u32,
    /// Time of all observed pairs.
    pub(super) spent: Duration,
    answer: Option<Box<ComparisonResult>>,
}

impl Comparison {
    /// Creates a comparison of a metric that improves in this direction.
    pub fn new(direction: Direction, policy: ComparisonPolicy) -> Self {
        Self {
            direction,
            looks: policy.looks(),
            policy,
            looked: 0,
            pairs: Vec::new(),
            counted: Vec::new(),
            regimes: None,
            observed: 0,
            measurements: 0,
            spent: Duration::ZERO,
            answer: None,
        }
    }

    /// Returns the next step; the same until the next pair is observed.
    pub fn step(&self) -> ComparisonStep {
        if let Some(answer) = &self.answer {
            return ComparisonStep::Done(answer.clone());
        }
        let ComparisonPolicy { measurements, seed, .. } = self.policy;
        let plan = PairPlan::new(self.observed, measurements, seed, self.longest_pair());
        ComparisonStep::Measure(plan)
    }

    /// Adds the requested pair, which took `elapsed` including the start of its processes. An
    /// observation after the end has no effect.
    pub fn observe(&mut self, pair: ProcessPair, elapsed: Duration) {
        if self.answer.is_some() {
            return;
        }
        self.observed += 1;
        self.spent += elapsed;
        self.measurements += (pair.base.len() + pair.head.len()) as u32;
        self.pairs.extend(PairEvidence::of(&pair, self.direction, self.policy.floor));
        let counted = counting(&self.pairs);
        self.regimes = Regimes::of(&counted);
        self.counted = match &self.regimes {
            Some(regimes) => regimes.matched(&counted),
            None => counted,
        };
        self.answer = self.decide().map(Box::new);
    }

    /// Returns the deciles of the processes' centers of both sides, as far as the number of processes
    /// allows: at least the median once a pair was measured. Estimator: Harrell and Davis.
    #[inline]
    pub fn deciles(&self) -> Vec<Decile> {
        let sides = self.centers(Side::Base).zip(self.centers(Side::Head));
        let Some((base, head)) = sides else {
            return Vec::new();
        };
        let probabilities = bounded_probabilities(base.size(), head.size());
        let (least, most) = (probabilities[0], probabilities[probabilities.len() - 1]);
        let deciles = (1..=9).map(|decile| f64::from(decile) / 10.0);
        let probabilities = deciles.filter(|probability| (least..=most).contains(probability));
        let at = |probability| Decile {
            probability,
            shift: shift(&base, &head, harrell_davis, probability),
            ratio: ratio(&base, &head, harrell_davis, probability),
        };
        probabilities.map(at).into_list()
    }

    /// Returns the median of each process of a side, in the metric's unit and the order of the pairs;
    /// `None` without any.
    #[inline]
    pub fn centers(&self, side: Side) -> Option<Sample> {
        let center = |pair: &PairEvidence| match side {
            Side::Base => pair.base,
            Side::Head => pair.head,
        };
        Sample::new(self.shown().iter().map(center).into_list()).ok()
    }

    /// Returns the reason of the result; `None` before the end.
    pub(super) fn reason(&self) -> Option<Reason> {
        self.answer.as_ref().map(|answer| answer.reason)
    }

    /// Returns how many of that many processes are slower than tolerated, if they are as often as in the pairs that count.
    pub(super) fn slower_of(&self, processes: usize) -> u32 {
        let limit = self.policy.tolerance.ratio().ln();
        let pairs = self.shown();
        let slower = pairs.iter().count_where(|pair| pair.log_ratio > limit);
        (processes * slower / pairs.len().max(1)) as u32
    }

    fn decide(&mut self) -> Option<ComparisonResult> {
        let end = self.end();
        let may_decide = self.count() >= self.looks[0];
        let due = self.looks.iter().count_where(|look| **look <= self.count());
        let is_look = due > self.looked;
        self.looked = self.looked.max(due);
        if !is_look && end.is_none() {
            return None;
        }
        let look = InterimAnalysis::at(self.shown(), &self.policy, self.looks.len());
        let Some(look) = look else {
            let note = match self.measurements {
                0 => Note::NoPair,
                _ => Note::FewPairsUndisturbed { pairs: 0, measured: self.observed },
            };
            return Some(ComparisonResult::of_nothing(self.measurements, note));
        };
        let proven = if may_decide { look.proven() } else { None };
        let (reason, limited) = match (proven, end) {
            (Some(reason), _) => (reason, None),
            (None, Some(end)) if may_decide => (look.undecided(), self.note(end)),
            (None, Some(end)) => (Reason::Unclear, self.note(end)),
            (None, None) => return None,
        };
        let too_little = look.is_slower_by_too_little().then_some(Note::SlowByLessThanShift);
        let regimes = self.regimes.as_ref().map(Regimes::note);
        let notes = [too_little, limited, regimes, self.disturbed(), self.on_processor_time()];
        let notes = notes.into_iter().flatten().into_list();
        Some(look.compared(reason, self.count(), self.room(), self.measurements, notes))
    }

    /// Returns a note if disturbed pairs count.
    fn disturbed(&self) -> Option<Note> {
        let is_disturbed = |pair: &&PairEvidence| pair.disturbance != Disturbance::Little;
        match self.counted.iter().count_where(is_disturbed) as u32 {
            0 => None,
            disturbed => Some(Note::PairsDisturbed { disturbed, pairs: self.count() }),
        }
    }

    /// Returns a note if some values are processor time instead of wall time.
    fn on_processor_time(&self) -> Option<Note> {
        self.counted.iter().any(|pair| pair.is_on_processor_time).then_some(Note::OnProcessorTime)
    }

    /// Returns the reason why no further pair is measured.
    fn end(&self) -> Option<StopReason> {
        if self.count() >= self.looks[self.looks.len() - 1] {
            Some(StopReason::Pairs)
        } else if self.observed >= self.most_observed() {
            Some(StopReason::Disturbed)
        } else {
            (self.spent >= self.budget()).then_some(StopReason::Time)
        }
    }

    /// Returns the note on an end before the decision.
    fn note(&self, end: StopReason) -> Option<Note> {
        let (pairs, measured, most) = (self.count(), self.observed, self.policy.most_pairs);
        let fewest = self.looks[0];
        let needs_quiet = match &self.regimes {
            Some(_) => Note::FewPairsInOneRegime { pairs, measured },
            None => Note::FewPairsUndisturbed { pairs, measured },
        };
        match end {
            StopReason::Pairs => None,
            StopReason::Disturbed => Some(needs_quiet),
            StopReason::Time if pairs >= fewest => Some(Note::PairsOutOfTime { pairs, most }),
            StopReason::Time => Some(self.time_for(fewest).map_or(needs_quiet, |time| {
                let budget_s = time.as_secs_f64().ceil();
                Note::PairsNeedBudget { pairs, most, fewest, budget_s }
            })),
        }
    }

    /// Returns the time in which this many pairs count, at the present rate: pairs that do not count take time, too.
    /// `None` where the largest number of pairs is reached before.
    pub(super) fn time_for(&self, pairs: u32) -> Option<Duration> {
        let count = self.count();
        let observed = u64::from(self.observed) * u64::from(pairs);
        let is_reached = pairs <= self.policy.most_pairs
            && observed <= u64::from(count) * u64::from(self.most_observed());
        (is_reached && count > 0).then(|| self.spent * pairs / count)
    }

    /// Returns the number of pairs that count in the budget at the present rate: at least those that do, at most the
    /// most.
    fn room(&self) -> u32 {
        let share = self.policy.budget_ns as f64 / self.spent.as_nanos().max(1) as f64;
        let room = (f64::from(self.count()) * share) as u32;
        room.min(self.policy.most_pairs).max(self.count())
    }

    /// Largest number of pairs, with those that do not count.
    fn most_observed(&self) -> u32 {
        self.policy.most_pairs.saturating_mul(2)
    }

    /// Number of pairs that count.
    fn count(&self) -> u32 {
        self.counted.len() as u32
    }

    /// Returns the pairs that count, or all if none does.
    pub(super) fn shown(&self) -> &[PairEvidence] {
        if self.counted.is_empty() { &self.pairs } else { &self.counted }
    }

    /// Returns the next pair's share of the time for the fewest pairs.
    fn longest_pair(&self) -> Duration {
        let missing = self.looks[0].saturating_sub(self.count()).max(1);
        self.budget().saturating_sub(self.spent) / missing
    }

    /// Returns the budget, which is larger if the fewest pairs need more.
    fn budget(&self) -> Duration {
        let ComparisonPolicy { budget_ns, fewest_budget_ns, .. } = self.policy;
        let is_short = self.count() < self.looks[0];
        Duration::from_nanos(if is_short { budget_ns.max(fewest_budget_ns) } else { budget_ns })
    }
}

/// Returns the pairs that count: the undisturbed ones, plus those with both sides disturbed where the
/// latter are the majority. A disturbance of both sides favours neither, and its scatter widens the
/// bounds.
fn counting(pairs: &[PairEvidence]) -> Vec<PairEvidence> {
    let count = |disturbance| pairs.iter().count_where(|it| it.disturbance == disturbance);
    let is_busy = count(Disturbance::OfBothSides) > count(Disturbance::Little);
    let counts = |pair: &&PairEvidence| match pair.disturbance {
        Disturbance::Little => true,
        Disturbance::OfBothSides => is_busy,
        Disturbance::OfOneSide => false,
    };
    pairs.iter().filter(counts).cloned().into_list()
}
