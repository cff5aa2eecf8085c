//! The rule of the Rust compiler's own performance suite.
//!
//! Definition: the changes between neighbouring values of the last 30 commits, without their signs and
//! sorted, have quartiles that are the medians of their lower and upper half; with an even number of
//! changes the two middle ones belong to neither half, with an odd number the middle one. The threshold
//! is `Q3 + 3 (Q3 - Q1)`, or 0.2% without enough history. A change is significant from the threshold on.
//! Its magnitude is the mean, rounded down, of two grades: by multiples 1.5, 3, 6 and 12 of the threshold,
//! and by 0.2, 1, 2 and 5% (of half the change where the metric is noisy); below 0.01% it is always very
//! small. Relevant is what is significant and at least small.
//!
//! Source: rustc-perf (its glossary has 1.5, its code and formula 3). Behaviour: the fence follows the
//! noise of each test case by itself; a test that stepped three times in 30 commits is deaf to a fourth.

use perftest_analysis::thresholds::Quartiles;

const ENOUGH: usize = 30;
const DEFAULT_THRESHOLD: f64 = 0.002;
const FENCE: f64 = 3.0;
const NEVER_RELEVANT: f64 = 0.0001;
const MULTIPLES: [f64; 4] = [1.5, 3.0, 6.0, 12.0];
const SHARES: [f64; 4] = [0.2, 1.0, 2.0, 5.0];
const NOISE_FACTOR: f64 = 2.0;

/// The settings of the rule.
///
/// ```
/// use perftest_conformance::thresholds::{Magnitude, RustcPerf};
/// let rule = RustcPerf::of_metric("instructions:u");
/// let answer = rule.judge(&[100.0, 100.1, 100.0], 100.0, 103.0).unwrap();
/// // Too little history: 0.2%.
/// assert_eq!(answer.threshold, 0.002);
/// assert!(answer.is_relevant && answer.magnitude == Magnitude::Large);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RustcPerf {
    /// How many values make a history.
    pub enough: usize,
    /// Whether the metric is a noisy one.
    pub is_noisy: bool,
}

/// How large a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Magnitude {
    /// Never relevant.
    VerySmall,
    /// The smallest that is.
    Small,
    /// Worth a look.
    Medium,
    /// Worth a report.
    Large,
    /// Worth a revert.
    VeryLarge,
}

/// The result of the rule, and its figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RustcPerfAnswer {
    /// First quartile of the changes in the history; `None` with fewer than two changes.
    pub first_quartile: Option<f64>,
    /// Third quartile of them.
    pub third_quartile: Option<f64>,
    /// The fence that follows from both.
    pub history_threshold: Option<f64>,
    /// What was judged by.
    pub threshold: f64,
    /// New over old, less 1.
    pub change: f64,
    /// Whether the change reaches the threshold, in either direction.
    pub is_significant: bool,
    /// How large it is.
    pub magnitude: Magnitude,
    /// Whether it is significant and at least small.
    pub is_relevant: bool,
}

impl Magnitude {
    const ALL: [Self; 5] =
        [Self::VerySmall, Self::Small, Self::Medium, Self::Large, Self::VeryLarge];

    /// `very_small`, `small`, `medium`, `large` or `very_large`.
    pub fn name(self) -> &'static str {
        match self {
            Self::VerySmall => "very_small",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::VeryLarge => "very_large",
        }
    }

    /// The grade of a change of this size at this threshold.
    fn of(size: f64, threshold: f64, is_noisy: bool) -> Self {
        if size < NEVER_RELEVANT {
            return Self::VerySmall;
        }
        let percent = size * 100.0 / if is_noisy { NOISE_FACTOR } else { 1.0 };
        let by_threshold = MULTIPLES.iter().filter(|multiple| size >= threshold * **multiple);
        let by_share = SHARES.iter().filter(|share| percent >= **share);
        // Counted from 1, as the source counts, the mean is rounded down to the same grade.
        Self::ALL[(by_threshold.count() + by_share.count()) / 2]
    }
}

impl RustcPerf {
    /// The settings for a metric by its name: all but `instructions:u` are noisy.
    pub fn of_metric(name: &str) -> Self {
        Self { enough: ENOUGH, is_noisy: name != "instructions:u" }
    }

    /// Judges a new value against the old one and the history, oldest first; `None` where the values
    /// have no finite relation, or one of them is below 0: a change has no share of it.
    pub fn judge(&self, history: &[f64], old: f64, new: f64) -> Option<RustcPerfAnswer> {
        let change = (new - old) / old;
        let newest = &history[history.len().saturating_sub(self.enough)..];
        if !change.is_finite() || newest.iter().chain([&old, &new]).any(|value| *value < 0.0) {
            return None;
        }
        let quartiles = halves(newest);
        let history_threshold = quartiles.map(|(first, third)| third + (third - first) * FENCE);
        let has_enough = history.len() >= self.enough;
        let threshold = history_threshold.filter(|_| has_enough).unwrap_or(DEFAULT_THRESHOLD);
        let is_significant = change.abs() >= threshold;
        let magnitude = Magnitude::of(change.abs(), threshold, self.is_noisy);
        Some(RustcPerfAnswer {
            first_quartile: quartiles.map(|(first, _)| first),
            third_quartile: quartiles.map(|(_, third)| third),
            history_threshold,
            threshold,
            change,
            is_significant,
            magnitude,
            is_relevant: is_significant && magnitude >= Magnitude::Small,
        })
    }
}

/// The medians of the lower and the upper half of the changes; `None` with fewer than two.
fn halves(values: &[f64]) -> Option<(f64, f64)> {
    let change = |pair: &[f64]| match pair[0] == pair[1] {
        true => 0.0,
        false => (pair[0] - pair[1]).abs() / pair[0],
    };
    let mut changes: Vec<f64> = values.windows(2).map(change).collect();
    changes.sort_unstable_by(f64::total_cmp);
    let (lower, upper) = match changes.len() {
        0 | 1 => return None,
        2 => (1, 1),
        even if even % 2 == 0 => (even / 2 - 1, even / 2 + 1),
        odd => (odd / 2, odd / 2 + 1),
    };
    let median = |half: &[f64]| Quartiles::of(half).map(|it| it.second);
    Some((median(&changes[..lower])?, median(&changes[upper..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_changes_belong_to_neither_half() {
        // Changes of 1, 2, 3, 4 and 5%.
        let mut values = vec![1.0];
        for percent in [3.0, 1.0, 5.0, 2.0, 4.0] {
            values.push(values.last().unwrap() * (1.0 + percent / 100.0));
        }
        let near = |it: Option<(f64, f64)>, first: f64, third: f64| {
            let (lower, upper) = it.unwrap();
            (lower - first).abs() < 1e-12 && (upper - third).abs() < 1e-12
        };
        assert!(near(halves(&values), 0.015, 0.045));
        // Without the newest: 1, 2, 3, 5.
        assert!(near(halves(&values[..5]), 0.01, 0.05));
        assert!(near(halves(&values[..3]), 0.01, 0.03));
        assert_eq!(halves(&values[..2]), None);
    }

    #[test]
    fn a_steady_history_makes_every_change_significant_and_only_large_enough_ones_relevant() {
        let rule = RustcPerf::of_metric("instructions:u");
        let steady = [1_000.0; 30];
        let tiny = rule.judge(&steady, 1_000.0, 1_000.05).unwrap();
        assert!(tiny.is_significant && !tiny.is_relevant);
        // Twelve times nothing is reached, 0.2% is not: halfway.
        let small = rule.judge(&steady, 1_000.0, 1_001.0).unwrap();
        assert_eq!(small.magnitude, Magnitude::Medium);
        assert!(small.is_relevant);
    }

    #[test]
    fn values_without_a_relation_have_no_answer() {
        let rule = RustcPerf::of_metric("wall-time");
        assert_eq!(rule.judge(&[], 0.0, 1.0), None);
        assert_eq!(rule.judge(&[], 1.0, f64::NAN), None);
        assert!(rule.judge(&[], 1.0, 1.0).is_some());
        let few = RustcPerf { enough: 3, is_noisy: false };
        assert_eq!(few.judge(&[-1.0, -2.0, -3.0, -1.0], 1.0, 1.0), None);
        assert_eq!(few.judge(&[1.0; 4], -1.0, 1.0), None);
        assert_eq!(few.judge(&[1.0; 4], 1.0, -1.0), None);
        // What is too long ago does not count.
        assert!(few.judge(&[-1.0, 1.0, 1.0, 1.0], 1.0, 1.0).is_some());
    }

    #[test]
    fn only_the_newest_values_are_the_history() {
        let rule = RustcPerf { enough: 4, is_noisy: false };
        let history = [1.0, 50.0, 2.0, 90.0, 100.0, 101.0, 100.0, 101.0];
        let newest = rule.judge(&history[4..], 100.0, 101.0).unwrap();
        assert_eq!(rule.judge(&history, 100.0, 101.0), Some(newest));
    }
}
