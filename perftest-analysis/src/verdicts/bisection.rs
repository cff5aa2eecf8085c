//! Finds the commit that made a test slower: requests comparisons of commits, and ends in one of
//! them or in a span of several.

use perftest_core::judge::ComparisonResult;
use perftest_core::model::{Reason, Tolerance};

/// The next step of the search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BisectionStep {
    /// Build this commit and compare it with the good one.
    Probe {
        /// Its index in the line: 0 is the good commit.
        commit: usize,
        /// The degradation above which the commit counts as slower.
        tolerance: Tolerance,
    },
    /// Build both ends of the span and compare the later with the earlier one.
    Confirm {
        /// The span that the probes have found.
        span: Span,
        /// The degradation above which the later end counts as slower.
        tolerance: Tolerance,
    },
    /// The search is over, with this result.
    Done(BisectionResult),
}

/// The answer to a [`BisectionStep`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BisectionAnswer {
    /// Slower than the tolerance of the step allows.
    Slower {
        /// The degradation, above 1.
        ratio: f64,
    },
    /// Not slower than the tolerance.
    NotSlower,
    /// Unknown: undecided, not built, or without the test.
    Unanswered,
}

impl BisectionAnswer {
    /// Returns the answer of a comparison at the tolerance of the step.
    pub fn of(compared: &ComparisonResult) -> Self {
        match compared.reason {
            Reason::Red => Self::Slower { ratio: compared.ratio.estimate },
            Reason::Green | Reason::Improved => Self::NotSlower,
            _ => Self::Unanswered,
        }
    }
}

/// Consecutive commits: those after `before`, up to and including `after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The last commit before the span.
    pub before: usize,
    /// The last commit of the span.
    pub after: usize,
}

impl Span {
    /// Number of commits in the span.
    pub fn commits(self) -> usize {
        self.after - self.before
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BisectionResult {
    /// The bad commit is not slower than the good one: there is nothing to find.
    NotSlower,
    /// The search could not decide whether the bad commit is slower.
    Undecided,
    /// One of these commits made the test slower, and a comparison of the span's ends confirms
    /// that. There is more than one if the commits between them could not be compared.
    Found(Span),
    /// The probes found `suspected`, but the comparison of its ends does not confirm it.
    Doubtful {
        /// The span that the probes found.
        suspected: Span,
        /// The span to search if one of the two probes beside it was wrong.
        within: Span,
    },
}

/// The search for the commit of a line that made a test slower: a state machine without a clock.
///
/// First it compares the bad commit with the good one, at the tolerance of the test. Each probe
/// then decides on which side of the *geometric middle* of the whole degradation a commit is, not
/// whether it is slower than the tolerance. A single step is as far from the middle as possible on
/// both sides, so a probe takes few pairs. Of several steps the search finds the one that crosses
/// the middle.
///
/// A commit that cannot be compared is skipped: the next probe is one beside it, then two, four
/// and so on, on alternating sides, so that a long stretch that does not build is left soon.
///
/// Any probe may be wrong, so the end is compared directly. The later end must be slower than the
/// tolerance, or than the middle if that is nearer. If that fails, one of the probes beside the
/// suspected commit may be wrong, or the slowdown came in several small steps.
///
/// ```
/// use perftest_analysis::verdicts::{BisectionResult, Bisection, BisectionStep, BisectionAnswer, Span};
/// use perftest_core::model::Tolerance;
///
/// // Of 8 commits after the good one, the sixth is the first slow one.
/// let ratio = |commit: usize| if commit < 6 { 1.0 } else { 1.15 };
/// let answer = |ratio: f64, tolerance: Tolerance| match ratio > tolerance.ratio() {
///     true => BisectionAnswer::Slower { ratio },
///     false => BisectionAnswer::NotSlower,
/// };
/// let mut bisection = Bisection::new(8, Tolerance::default());
/// let bisected = loop {
///     let probed = match bisection.step() {
///         BisectionStep::Probe { commit, tolerance } => answer(ratio(commit), tolerance),
///         BisectionStep::Confirm { span, tolerance } => {
///             answer(ratio(span.after) / ratio(span.before), tolerance)
///         }
///         BisectionStep::Done(bisected) => break bisected,
///     };
///     bisection.observe(probed);
/// };
/// assert_eq!(bisected, BisectionResult::Found(Span { before: 5, after: 6 }));
/// ```
#[derive(Debug, Clone)]
pub struct Bisection {
    tolerance: Tolerance,
    /// The answer for each commit, the good one first. Commits that are not slower precede the
    /// slower ones.
    answers: Vec<Option<BisectionAnswer>>,
    /// Number of probes without a result since the last one with a result.
    in_vain: u32,
    /// The middle between good and bad, when it is known.
    middle: Option<Tolerance>,
    end: Option<BisectionResult>,
}

impl Bisection {
    /// Creates a search among this many commits after the good one; the last of them is the bad
    /// one.
    ///
    /// # Panics
    /// Without any commit after the good one.
    pub fn new(commits: usize, tolerance: Tolerance) -> Self {
        assert!(commits > 0, "the bad commit is the good one");
        let mut answers = vec![None; commits + 1];
        answers[0] = Some(BisectionAnswer::NotSlower);
        Self { tolerance, answers, in_vain: 0, middle: None, end: None }
    }

    /// Returns the next step; the same until the next answer is observed.
    pub fn step(&self) -> BisectionStep {
        if let Some(end) = self.end {
            return BisectionStep::Done(end);
        }
        let Some(middle) = self.middle else {
            return BisectionStep::Probe { commit: self.last(), tolerance: self.tolerance };
        };
        match self.next() {
            Some(commit) => BisectionStep::Probe { commit, tolerance: middle },
            None => {
                let nearer = if self.tolerance < middle { self.tolerance } else { middle };
                BisectionStep::Confirm { span: self.span(), tolerance: nearer }
            }
        }
    }

    /// Processes the answer to the step. An answer after the end changes nothing.
    pub fn observe(&mut self, probed: BisectionAnswer) {
        match self.step() {
            BisectionStep::Done(_) => {}
            BisectionStep::Probe { commit, .. } => {
                self.answers[commit] = Some(probed);
                self.in_vain =
                    if probed == BisectionAnswer::Unanswered { self.in_vain + 1 } else { 0 };
                if commit == self.last() {
                    self.begin(probed);
                }
                self.end_without_confirmation();
            }
            BisectionStep::Confirm { span, .. } => {
                self.end = Some(match probed {
                    BisectionAnswer::Slower { .. } => BisectionResult::Found(span),
                    _ => BisectionResult::Doubtful { suspected: span, within: self.widened(span) },
                });
            }
        }
    }

    /// Returns the span of the slow commit by the probes so far.
    pub fn span(&self) -> Span {
        let is_slow =
            |it: &Option<BisectionAnswer>| matches!(it, Some(BisectionAnswer::Slower { .. }));
        let after = self.answers.iter().position(is_slow).unwrap_or(self.last());
        let before = self.not_slower(after).unwrap_or(0);
        Span { before, after }
    }

    /// Returns the approximate number of remaining probes: each halves the span.
    pub fn probes_left(&self) -> u32 {
        let commits = self.unjudged(self.span()).count() + 1;
        commits.next_power_of_two().ilog2()
    }

    /// Continues after the comparison of the bad commit with the good one.
    fn begin(&mut self, bad: BisectionAnswer) {
        match bad {
            BisectionAnswer::NotSlower => self.end = Some(BisectionResult::NotSlower),
            BisectionAnswer::Unanswered => self.end = Some(BisectionResult::Undecided),
            BisectionAnswer::Slower { ratio } => {
                let share = (ratio.sqrt() - 1.0).min(Tolerance::LARGEST_SHARE);
                self.middle = Some(Tolerance::new(share).unwrap_or(self.tolerance));
            }
        }
    }

    /// Ends without a confirmation, because the first probe compared the ends of the whole line.
    fn end_without_confirmation(&mut self) {
        let whole = Span { before: 0, after: self.last() };
        if self.end.is_none() && self.next().is_none() && self.span() == whole {
            self.end = Some(BisectionResult::Found(whole));
        }
    }

    /// Returns the next commit to probe; `None` if all between the ends of the span were probed.
    fn next(&self) -> Option<usize> {
        let span = self.span();
        let middle = span.before.midpoint(span.after);
        let far = self.in_vain.checked_sub(1).map_or(0, |steps| 1_usize << steps.min(32));
        let is_later = self.in_vain % 2 == 1;
        let target = if is_later { middle + far } else { middle.saturating_sub(far) };
        self.unjudged(span).min_by_key(|commit| commit.abs_diff(target))
    }

    /// Returns the commits within the span that were not probed yet.
    fn unjudged(&self, span: Span) -> impl Iterator<Item = usize> {
        (span.before + 1..span.after).filter(|commit| self.answers[*commit].is_none())
    }

    /// Returns the span without the probes of its ends.
    fn widened(&self, span: Span) -> Span {
        let is_slow =
            |commit: &usize| matches!(self.answers[*commit], Some(BisectionAnswer::Slower { .. }));
        Span {
            before: self.not_slower(span.before).unwrap_or(span.before),
            after: (span.after + 1..self.answers.len()).find(is_slow).unwrap_or(span.after),
        }
    }

    /// Returns the last commit before this one that is not slower.
    fn not_slower(&self, commit: usize) -> Option<usize> {
        self.answers[..commit].iter().rposition(|it| *it == Some(BisectionAnswer::NotSlower))
    }

    fn last(&self) -> usize {
        self.answers.len() - 1
    }
}
