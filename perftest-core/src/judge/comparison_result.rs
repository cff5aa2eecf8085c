//! The result of a comparison, and the rule by which its pairs decide.
//!
//! Sources. 14 pairs and 400 are choices. `cargo run --release -p perftest-simulate -- --side-by-side` checks them.

use super::ComparisonPolicy;
use super::pair_bounds::PairBounds;
use super::process_pair::PairEvidence;
use crate::list::IntoList;
use crate::model::{Interval, Note, Reason, Sample};

/// The fewest pairs for an estimate of their scatter. A convention: the fourth look (docs/reference/comparing.md).
/// Before it no comparison ends as unstable.
const KNOWS_SPREAD: usize = 14;
/// The largest number of pairs in advice to the user. A convention: ten times the most pairs of a comparison. Beyond
/// it the advice has no number.
const MOST_ADVISED: usize = 400;

/// The result of a comparison with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonResult {
    /// Green, improved, red, unclear or unstable.
    pub reason: Reason,
    /// Degradation from base to head, with its bounds when the decision was made: above 1 is
    /// worse, 0 and infinity are bounds where nothing is known. From the ratios within pairs.
    pub ratio: Interval,
    /// Median, smallest and largest center of the base's processes, in the metric's unit; NaN
    /// where nothing was measured.
    pub base: Interval,
    /// Median, smallest and largest center of the head's processes, in the metric's unit; NaN
    /// where nothing was measured.
    pub head: Interval,
    /// Number of pairs that count and that were set aside.
    pub pairs: u32,
    /// Measurements taken, of both sides.
    pub measurements: u32,
    /// Standard deviation of the degradation from pair to pair, as a share.
    pub noise: f64,
    /// The smallest degradation that as many pairs as there is time for would find with 99%, as a share: 0.08 is
    /// +8%.
    pub smallest_detectable: f64,
    /// Pairs that would prove green or red if further ones were like these; `None` where the result is
    /// proven or no reasonable number suffices.
    pub needed_pairs: Option<u32>,
    /// Notes on what limited the answer or was set aside.
    pub notes: Vec<Note>,
}

/// Quantiles of the centers of both sides' processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decile {
    /// 0.5 is the median.
    pub probability: f64,
    /// Head less base, in the metric's unit.
    pub shift: f64,
    /// Head over base; `None` where one is not above 0.
    pub ratio: Option<f64>,
}

/// An interim analysis of the pairs so far.
#[derive(Debug)]
pub(super) struct InterimAnalysis<'a> {
    /// The centers of the base's processes.
    base: Sample,
    /// The centers of the head's processes.
    head: Sample,
    policy: &'a ComparisonPolicy,
    bounds: PairBounds,
    /// Misrate of one bound of a green at one look.
    green_misrate: f64,
    /// Misrate of one bound of a red at one look.
    red_misrate: f64,
}

impl<'a> InterimAnalysis<'a> {
    /// Creates the analysis of `pairs` in a comparison with this many `looks`; `None` without any
    /// pair.
    pub(super) fn at(
        pairs: &[PairEvidence],
        policy: &'a ComparisonPolicy,
        looks: usize,
    ) -> Option<Self> {
        let sample =
            |of: fn(&PairEvidence) -> f64| Sample::new(pairs.iter().map(of).into_list()).ok();
        let logs = sample(|pair| pair.log_ratio)?;
        Some(Self {
            base: sample(|pair| pair.base)?,
            head: sample(|pair| pair.head)?,
            policy,
            bounds: PairBounds::of(&logs, policy.fewest_pairs as usize, policy.process_spread),
            green_misrate: policy.green_misrate / looks as f64,
            red_misrate: policy.red_misrate / looks as f64,
        })
    }

    /// Returns the proven reason: green, improved, red, or what remains where no allowed number of pairs
    /// would prove one.
    pub(super) fn proven(&self) -> Option<Reason> {
        let (limit, ratio) = (self.limit(), self.log_ratio());
        if ratio.upper < -limit {
            Some(Reason::Improved)
        } else if ratio.upper < limit {
            Some(Reason::Green)
        } else if ratio.lower > limit && self.shift() >= self.policy.floor.shift {
            Some(Reason::Red)
        } else if self.size() < KNOWS_SPREAD {
            None
        } else if self.is_slower_by_too_little() {
            Some(Reason::Unclear)
        } else {
            self.is_hopeless().then_some(Reason::Unstable)
        }
    }

    /// Whether head is certainly slower, but by a smaller shift than a red needs.
    pub(super) fn is_slower_by_too_little(&self) -> bool {
        self.log_ratio().lower > self.limit() && self.shift() < self.policy.floor.shift
    }

    /// Returns the reason when no further pairs follow and these prove nothing.
    pub(super) fn undecided(&self) -> Reason {
        if self.is_too_noisy() { Reason::Unstable } else { Reason::Unclear }
    }

    /// Returns the result with its evidence. `pairs` count, and there is time for `room`.
    pub(super) fn compared(
        &self,
        reason: Reason,
        pairs: u32,
        room: u32,
        measurements: u32,
        notes: Vec<Note>,
    ) -> ComparisonResult {
        ComparisonResult {
            reason,
            ratio: self.log_ratio().map(f64::exp),
            base: self.base.range(),
            head: self.head.range(),
            pairs,
            measurements,
            noise: self.bounds.spread.deviation.exp() - 1.0,
            smallest_detectable: self.smallest_detectable(room),
            needed_pairs: self.needed_pairs(),
            notes: if notes.is_empty() { self.set_aside() } else { notes },
        }
    }

    /// Returns the note on pairs that were set aside, if any.
    fn set_aside(&self) -> Vec<Note> {
        match (self.size() - self.bounds.size()) as u32 {
            0 => Vec::new(),
            pairs => vec![Note::PairsSetAside { pairs }],
        }
    }

    /// Returns center and bounds of the logarithm of the degradation, each bound at the misrate of
    /// the answer that depends on it.
    fn log_ratio(&self) -> Interval {
        let upper = self.bounds.at(self.green_misrate).upper;
        Interval { upper, ..self.bounds.at(self.red_misrate) }
    }

    /// Returns the logarithm of the largest tolerated degradation.
    fn limit(&self) -> f64 {
        self.policy.tolerance.ratio().ln()
    }

    /// Whether pairs scatter so much that the most of them could not prove unchanged code green.
    fn is_too_noisy(&self) -> bool {
        self.bounds.spread.margin(self.most(), self.green_misrate) > self.limit()
    }

    /// Whether, with this center, neither answer will be proven.
    fn is_hopeless(&self) -> bool {
        let red =
            self.log_ratio().estimate - self.bounds.spread.margin(self.most(), self.red_misrate);
        self.is_too_noisy() && red < self.limit()
    }

    /// Returns the pairs after which a bound would lie closer to the center than the limit does.
    fn needed_pairs(&self) -> Option<u32> {
        let ratio = self.log_ratio();
        if self.proven().is_some() || self.is_slower_by_too_little() {
            return None;
        }
        let gap = (ratio.estimate - self.limit()).abs();
        let misrate = self.green_misrate.min(self.red_misrate);
        let sizes =
            std::iter::successors(Some(self.size().max(2)), |size| Some(size + size / 4 + 1));
        let mut sizes = sizes.take_while(|size| *size <= MOST_ADVISED);
        sizes.find(|size| self.bounds.spread.margin(*size, misrate) < gap).map(|size| size as u32)
    }

    /// Number of pairs.
    fn size(&self) -> usize {
        self.base.size()
    }

    fn most(&self) -> usize {
        self.policy.most_pairs as usize
    }

    /// Standard deviation of the degradation from process to process, as a share: a pair has two
    /// processes.
    pub(super) fn process_spread(&self) -> f64 {
        (self.bounds.spread.deviation * std::f64::consts::FRAC_1_SQRT_2).exp() - 1.0
    }

    /// Returns the degradation with bounds at this misrate on each side.
    pub(super) fn ratio_at(&self, misrate: f64) -> Interval {
        self.bounds.at(misrate).map(f64::exp)
    }

    /// Returns the smallest degradation that so many pairs find with 99%: the bound must exceed the limit, and the shift
    /// be one of a red.
    pub(super) fn smallest_detectable(&self, pairs: u32) -> f64 {
        let by_spread = self.bounds.spread.detectable(pairs as usize, self.red_misrate);
        let of_least_shift = self.policy.floor.shift / self.base.median();
        ((self.limit() + by_spread).exp() - 1.0).max(of_least_shift)
    }

    /// Returns the distance of the median centers, in the metric's unit.
    fn shift(&self) -> f64 {
        (self.head.median() - self.base.median()).abs()
    }
}

/// Bounds without information.
const UNKNOWN: Interval = Interval { estimate: 1.0, lower: 0.0, upper: f64::INFINITY };
const NOT_MEASURED: Interval = Interval { estimate: f64::NAN, lower: f64::NAN, upper: f64::NAN };

impl ComparisonResult {
    /// Whether no turn of any pair counts.
    pub(super) fn is_of_nothing(&self) -> bool {
        self.pairs == 0
    }

    /// Returns the result of a comparison in which no turn counts.
    pub(super) fn of_nothing(measurements: u32, note: Note) -> Self {
        Self {
            reason: Reason::Unclear,
            ratio: UNKNOWN,
            base: NOT_MEASURED,
            head: NOT_MEASURED,
            pairs: 0,
            measurements,
            noise: f64::INFINITY,
            smallest_detectable: f64::INFINITY,
            needed_pairs: None,
            notes: vec![note],
        }
    }
}
