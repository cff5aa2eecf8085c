//! Two executables side by side: asks for pairs of fresh processes and ends in an answer.

use super::compared::Look;
use super::condition::JUDGED_ON_PROCESSOR_TIME;
use super::process_pair::PairEvidence;
use super::{Compared, ComparisonPolicy, Decile, ProcessPair, Side};
use crate::model::{Direction, Reason, Sample};
use crate::stats::{Random, harrell_davis, ratio, shift, told_probabilities};
use std::time::Duration;

/// Iterations of a turn differ from the tuned ones by up to this share, so that no turn beats in
/// time with something else.
const JITTER: f64 = 0.1;

/// What the comparison wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparisonStep {
    /// Start a fresh process of each side and measure them in turns, one measurement of each side
    /// a turn.
    Measure {
        /// The side that begins each turn, one entry a turn.
        turns: Vec<Side>,
        /// Factor on the tuned iterations of each turn, around 1.
        jitter: Vec<f64>,
        /// After so much time with this pair no further turn begins, once each side began one: the
        /// budget has to last for the fewest pairs.
        longest: Duration,
    },
    /// Nothing more: this is the answer.
    Done(Box<Compared>),
}

/// Why no further pair is measured.
#[derive(Debug, Clone, Copy)]
enum End {
    /// There are as many as there may be.
    Pairs,
    /// Too many were disturbed.
    Disturbed,
    /// The budget is spent.
    Time,
}

/// One comparison of one test: a state machine without a clock.
///
/// The unit of evidence is a pair of fresh processes, because layouts and slow processes are per
/// process: more turns in one pair remove neither. Within a pair the sides take turns, so that what
/// the machine does meanwhile happens to both. Looks after 5, 7, 10, 14, 20, 28 and 40 pairs: green
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
///         ComparisonStep::Measure { turns, .. } => {
///             let measured = |ns| turns.iter().map(|_| Measurement::of_value_ns(ns)).collect();
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
    policy: ComparisonPolicy,
    looks: Vec<u32>,
    /// Pairs that bear witness.
    witnesses: Vec<PairEvidence>,
    /// Pairs that do not: disturbed from start to end.
    disturbed: Vec<PairEvidence>,
    /// Pairs that were observed, whatever they brought.
    observed: u32,
    measurements: u32,
    spent: Duration,
    answer: Option<Box<Compared>>,
}

impl Comparison {
    /// A comparison of a metric that gets better in this direction.
    pub fn new(direction: Direction, policy: ComparisonPolicy) -> Self {
        Self {
            direction,
            looks: policy.looks(),
            policy,
            witnesses: Vec::new(),
            disturbed: Vec::new(),
            observed: 0,
            measurements: 0,
            spent: Duration::ZERO,
            answer: None,
        }
    }

    /// What to do next. The same until the next pair is observed.
    pub fn step(&self) -> ComparisonStep {
        if let Some(answer) = &self.answer {
            return ComparisonStep::Done(answer.clone());
        }
        let mut random = Random::new(self.policy.seed.wrapping_add(u64::from(self.observed) << 32));
        let mut turns = Vec::new();
        let count = self.policy.measurements.max(1) as usize;
        while turns.len() < count {
            // Of two turns each side begins one: whatever drifts steadily cancels out.
            let first = [Side::Base, Side::Head][random.below(2)];
            turns.extend([first, first.other()]);
        }
        turns.truncate(count);
        let jitter = turns.iter().map(|_| random.between(1.0 - JITTER, 1.0 + JITTER)).collect();
        ComparisonStep::Measure { turns, jitter, longest: self.longest_pair() }
    }

    /// Takes the pair that was asked for, which took `elapsed` with the start of its processes. An
    /// observation after the end changes nothing.
    pub fn observe(&mut self, pair: ProcessPair, elapsed: Duration) {
        if self.answer.is_some() {
            return;
        }
        self.observed += 1;
        self.spent += elapsed;
        self.measurements += (pair.base.len() + pair.head.len()) as u32;
        let evidence = PairEvidence::of(&pair, self.direction, self.policy.floor);
        let is_witness = evidence.is_some_and(|evidence| !evidence.is_disturbed);
        let place = if is_witness { &mut self.witnesses } else { &mut self.disturbed };
        place.extend(evidence);
        self.answer = self.decide(is_witness).map(Box::new);
    }

    /// The deciles of the processes' centers, side against side, as far as so many processes tell
    /// them: at least the median once a pair was measured. Quantiles are Harrell and Davis'.
    pub fn deciles(&self) -> Vec<Decile> {
        let sides = self.centers(Side::Base).zip(self.centers(Side::Head));
        let Some((base, head)) = sides else {
            return Vec::new();
        };
        let told = told_probabilities(base.size(), head.size());
        let (least, most) = (told[0], told[told.len() - 1]);
        let deciles = (1..=9).map(|decile| f64::from(decile) / 10.0);
        let told = deciles.filter(|probability| (least..=most).contains(probability));
        let at = |probability| Decile {
            probability,
            shift: shift(&base, &head, harrell_davis, probability),
            ratio: ratio(&base, &head, harrell_davis, probability),
        };
        told.map(at).collect()
    }

    /// The middle value of each process of a side, in the metric's unit and the order of the pairs;
    /// `None` without any.
    pub fn centers(&self, side: Side) -> Option<Sample> {
        let center = |pair: &PairEvidence| match side {
            Side::Base => pair.base,
            Side::Head => pair.head,
        };
        Sample::new(self.told().iter().map(center).collect()).ok()
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    pub(super) fn policy(&self) -> &ComparisonPolicy {
        &self.policy
    }

    /// How often the pairs are looked at, at most.
    pub(super) fn looks(&self) -> usize {
        self.looks.len()
    }

    /// The answer in a word; `None` before the end.
    pub(super) fn reason(&self) -> Option<Reason> {
        self.answer.as_ref().map(|answer| answer.reason)
    }

    fn decide(&self, is_witness: bool) -> Option<Compared> {
        let end = self.end();
        let is_look = is_witness && self.looks.contains(&self.pairs());
        if !is_look && end.is_none() {
            return None;
        }
        let look = Look::at(self.told(), self.direction, &self.policy, self.looks());
        let Some(look) = look else {
            return Some(Compared::of_nothing(self.measurements));
        };
        let may_decide = self.pairs() >= self.looks[0];
        let proven = if may_decide { look.proven() } else { None };
        let (reason, limited) = match (proven, end) {
            (Some(reason), _) => (reason, String::new()),
            (None, Some(end)) if may_decide => (look.undecided(), self.note(end)),
            (None, Some(end)) => (Reason::Unclear, self.note(end)),
            (None, None) => return None,
        };
        let note = [limited, self.on_processor_time()].into_iter().filter(|it| !it.is_empty());
        let note = note.collect::<Vec<_>>().join("; ");
        Some(look.compared(reason, self.pairs(), self.measurements, note))
    }

    /// That the values are not wall time, where some are not.
    fn on_processor_time(&self) -> String {
        match self.told().iter().any(|pair| pair.is_on_processor_time) {
            true => JUDGED_ON_PROCESSOR_TIME.to_owned(),
            false => String::new(),
        }
    }

    /// Why no further pair is measured.
    fn end(&self) -> Option<End> {
        let most = self.policy.most_pairs;
        if self.pairs() >= self.looks[self.looks.len() - 1] {
            Some(End::Pairs)
        } else if self.observed >= most.saturating_mul(2) {
            Some(End::Disturbed)
        } else {
            (self.spent >= self.budget()).then_some(End::Time)
        }
    }

    fn note(&self, end: End) -> String {
        let (pairs, observed) = (self.pairs(), self.observed);
        match end {
            End::Pairs => String::new(),
            End::Disturbed => format!("only {pairs} of {observed} pairs were undisturbed"),
            End::Time => {
                let most = self.policy.most_pairs;
                format!("its time ended after {pairs} of {most} pairs{}", self.missing_time())
            }
        }
    }

    /// The budget that the fewest pairs need; nothing where there were as many.
    fn missing_time(&self) -> String {
        let fewest = self.looks[0];
        if self.pairs() >= fewest {
            return String::new();
        }
        let disturbed = match self.disturbed.len() {
            0 => String::new(),
            some => format!(", and {some} disturbed"),
        };
        // As many may be disturbed again for each that is not.
        let each = self.spent / self.pairs().max(1);
        let budget_s = (fewest * each).as_secs_f64().ceil();
        format!("{disturbed}: {fewest} need a budget of some {budget_s} s")
    }

    fn pairs(&self) -> u32 {
        self.witnesses.len() as u32
    }

    /// What is told: of pairs that bear witness, or of all where there is none.
    pub(super) fn told(&self) -> &[PairEvidence] {
        if self.witnesses.is_empty() { &self.disturbed } else { &self.witnesses }
    }

    /// The next pair's share of the time that is left for the fewest pairs.
    fn longest_pair(&self) -> Duration {
        let missing = self.looks[0].saturating_sub(self.pairs()).max(1);
        self.budget().saturating_sub(self.spent) / missing
    }

    fn budget(&self) -> Duration {
        Duration::from_nanos(self.policy.budget_ns)
    }
}
