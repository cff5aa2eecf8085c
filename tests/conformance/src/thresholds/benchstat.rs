//! The numbers and words of Go's benchstat.
//!
//! Definition: without an assumption a sample is its median with an interval of order statistics, and two
//! are compared by ranks; taken as normal it is its mean with a t interval, and two are compared by
//! Welch's test; taken as exact it is the value most often seen, and every difference counts. A difference
//! is reported in percent of the centres where p is at most alpha, else as `~`.
//!
//! Source: `benchmath` of golang.org/x/perf. Behaviour: no minimum effect; p of ranks with ties is
//! [`mirrored`](crate::stats::RankSumTest::mirrored), as there. The interval is reported by its larger side.

use crate::stats::{fewest_for_median_interval, median_interval, variance_about};
use perftest_analysis::stats::{RankSumTest, TTest, mean};
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::student_quantile;

/// The largest size that [`fewest_for_significance`] tries, and one more for "above".
const MOST_TRIED: usize = 9;
const MOST_FOR_MEDIAN: usize = 50;
/// After this many halvings a number underflows to 0.
const UNDERFLOWN: usize = 1_100;

/// What is taken for granted of a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// Nothing.
    #[default]
    Nothing,
    /// It is normal.
    Normal,
    /// It has no noise.
    Exact,
}

/// A sample in three numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchstatSummary {
    /// Centre and bounds, which may be infinite.
    pub interval: Interval,
    /// Probability that the centre is within the bounds.
    pub confidence: f64,
    /// What to take with caution.
    pub warning: Option<String>,
}

/// How two samples compare.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchstatComparison {
    /// Probability of such a difference by chance; 0 for exact values.
    pub p: f64,
    /// Sizes of the samples.
    pub sizes: (usize, usize),
    /// What to take with caution.
    pub warning: Option<String>,
}

impl Assumption {
    /// The assumption of this name: `nothing`, `normal` or `exact`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "nothing" => Some(Self::Nothing),
            "normal" => Some(Self::Normal),
            "exact" => Some(Self::Exact),
            _ => None,
        }
    }

    /// Centre and interval of a sample at this confidence, from 0 to 1.
    ///
    /// ```
    /// use perftest_core::model::Sample;
    /// use perftest_conformance::thresholds::Assumption;
    /// let three = Sample::new(vec![1.0, 2.0, 3.0]).unwrap();
    /// let summary = Assumption::Nothing.summary(&three, 0.95);
    /// assert_eq!(summary.interval.estimate, 2.0);
    /// assert_eq!(summary.warning.as_deref(), Some("need >= 6 samples"));
    /// assert_eq!(summary.range(), "∞");
    /// ```
    pub fn summary(self, sample: &Sample, confidence: f64) -> BenchstatSummary {
        match self {
            Self::Nothing => median_summary(sample, confidence),
            Self::Normal => mean_summary(sample, confidence),
            Self::Exact => exact_summary(sample),
        }
    }

    /// Compares two samples at this level.
    pub fn compare(self, old: &Sample, new: &Sample, alpha: f64) -> BenchstatComparison {
        let sizes = (old.size(), new.size());
        let comparison = |p, warning| BenchstatComparison { p, sizes, warning };
        match self {
            Self::Nothing => match RankSumTest::of(old, new) {
                None => comparison(1.0, Some("all samples are equal".into())),
                Some(test) => comparison(test.mirrored, too_few(test.mirrored, sizes, alpha)),
            },
            Self::Normal => match TTest::welch(old, new) {
                None => comparison(1.0, Some("sample has zero variance".into())),
                Some(test) => comparison(test.two_sided(), None),
            },
            Self::Exact => comparison(0.0, None),
        }
    }
}

/// The fewest values a sample with which ranks can reach `alpha`; `None` where 9 are too few.
///
/// ```
/// use perftest_conformance::thresholds::fewest_for_significance;
/// assert_eq!(fewest_for_significance(0.05), Some(4));
/// assert_eq!(fewest_for_significance(0.0), None);
/// ```
pub fn fewest_for_significance(alpha: f64) -> Option<usize> {
    (1..=MOST_TRIED).find(|size| least_two_sided(*size, *size) <= alpha)
}

fn too_few(p: f64, sizes: (usize, usize), alpha: f64) -> Option<String> {
    let (op, fewest) = match fewest_for_significance(alpha) {
        Some(fewest) => (">=", fewest),
        None => (">", MOST_TRIED + 1),
    };
    (p > alpha && sizes.0.max(sizes.1) < fewest).then(|| {
        format!("need {op} {fewest} samples to detect a difference at alpha level {alpha}")
    })
}

fn median_summary(sample: &Sample, confidence: f64) -> BenchstatSummary {
    let median = median_interval(sample, confidence);
    let interval = median.interval;
    let is_bounded = interval.lower.is_finite() && interval.upper.is_finite();
    let warning = (!is_bounded).then(|| match fewest_for_median_interval(confidence) {
        Some(fewest) => format!("need >= {fewest} samples"),
        None => format!("need > {MOST_FOR_MEDIAN} samples"),
    });
    BenchstatSummary { interval, confidence: median.confidence, warning }
}

fn mean_summary(sample: &Sample, confidence: f64) -> BenchstatSummary {
    let values = sample.values();
    // Only values that are too large to be added have no mean.
    let estimate = mean(values).unwrap_or_else(|| sample.median());
    let error = variance_about(estimate, values).map(|it| (it / values.len() as f64).sqrt());
    let reach = match error {
        _ if confidence <= 0.0 => 0.0,
        Some(error) => {
            error * student_quantile(values.len() as f64 - 1.0, f64::midpoint(confidence, 1.0))
        }
        None => f64::INFINITY,
    };
    let interval = Interval { estimate, lower: estimate - reach, upper: estimate + reach };
    BenchstatSummary { interval, confidence, warning: None }
}

fn exact_summary(sample: &Sample) -> BenchstatSummary {
    let sorted = sample.sorted();
    let (lower, upper) = (sorted[0], sorted[sorted.len() - 1]);
    let runs = sorted.chunk_by(|one, next| one == next);
    // The first of the longest.
    let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
    let interval = Interval { estimate: longest.map_or(lower, |run| run[0]), lower, upper };
    let warning = (lower != upper).then(|| format!("values range from {lower} to {upper}"));
    BenchstatSummary { interval, confidence: 1.0, warning }
}

impl BenchstatSummary {
    /// How far the bounds are from the centre, in per cent: `2%`, `∞`, or `?` across zero.
    pub fn range(&self) -> String {
        let Interval { estimate, lower, upper } = self.interval;
        let sign = |value: f64| if value == 0.0 { 0.0 } else { value.signum() };
        if lower.is_infinite() || upper.is_infinite() {
            "∞".into()
        } else if sign(estimate) != sign(lower) || sign(estimate) != sign(upper) {
            "?".into()
        } else if estimate == 0.0 {
            "0%".into()
        } else {
            let reach = (upper / estimate - 1.0).abs().max((1.0 - lower / estimate).abs());
            format!("{:.0}%", 100.0 * reach)
        }
    }
}

impl BenchstatComparison {
    /// The probability and the sizes: `p=0.446 n=10`.
    pub fn words(&self) -> String {
        let p = if self.p == 0.0 { String::new() } else { format!("p={:.3} ", self.p) };
        match self.sizes {
            (old, new) if old == new => format!("{p}n={old}"),
            (old, new) => format!("{p}n={old}+{new}"),
        }
    }

    /// The change between two centres in per cent: `+50.00%`, `~` where it may be chance, `?` where
    /// there is nothing to be a share of.
    pub fn delta(&self, old: f64, new: f64, alpha: f64) -> String {
        if self.p > alpha {
            "~".into()
        } else if old == new {
            "0.00%".into()
        } else if old == 0.0 {
            "?".into()
        } else {
            format!("{:+.2}%", (new / old - 1.0) * 100.0)
        }
    }
}

/// The smallest two-sided probability that the exact test by ranks can have of samples of these sizes.
///
/// ```
/// use perftest_conformance::thresholds::least_two_sided;
/// assert_eq!(least_two_sided(3, 3), 0.1);
/// ```
pub fn least_two_sided(one: usize, other: usize) -> f64 {
    let (small, large) = (one.min(other), one.max(other));
    // Each factor is at most one half.
    let steps = 1..=small.min(UNDERFLOWN);
    let factors = steps.map(|step| step as f64 / (large as f64 + step as f64));
    (2.0 * factors.product::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn a_mean_has_the_published_interval() {
        let six = sample(&[-8.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let of = |confidence| Assumption::Normal.summary(&six, confidence).interval;
        assert!((of(0.95).lower + 3.351_092_806_089_359).abs() < 1e-9);
        assert!((of(0.99).upper - 10.393_574_953_852_87).abs() < 1e-9);
        assert_eq!((of(0.0).lower, of(1.0).upper), (2.0, f64::INFINITY));
        let one = Assumption::Normal.summary(&sample(&[1.0]), 0.95).interval;
        assert_eq!((one.lower, one.upper), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn exact_values_that_are_not_are_warned_of() {
        let summary = Assumption::Exact.summary(&sample(&[3.0, 1.0, 2.0, 2.0]), 0.95);
        assert_eq!(summary.interval.estimate, 2.0);
        assert_eq!(summary.warning.as_deref(), Some("values range from 1 to 3"));
    }

    #[test]
    fn ranges_across_zero_are_no_shares() {
        let range = |estimate, lower, upper| {
            let interval = Interval { estimate, lower, upper };
            BenchstatSummary { interval, confidence: 0.95, warning: None }.range()
        };
        assert_eq!(range(1.0, -1.0, 1.0), "?");
        assert_eq!(range(0.0, -1.0, 1.0), "?");
        assert_eq!(range(0.0, 0.0, 0.0), "0%");
        assert_eq!(range(-1.0, -0.5, -1.1), "50%");
        assert_eq!(range(-1.0, -1.1, -0.5), "50%");
        assert_eq!(range(1.0, 1.0, f64::INFINITY), "∞");
    }

    #[test]
    fn samples_too_small_for_the_level_are_warned_of() {
        let three = Assumption::Nothing.compare(&sample(&[-1.0; 3]), &sample(&[1.0; 3]), 0.05);
        assert!((three.p - 0.1).abs() < 1e-12);
        assert!(three.warning.unwrap().starts_with("need >= 4 samples"));
        let four = Assumption::Nothing.compare(&sample(&[-1.0; 4]), &sample(&[1.0; 4]), 0.05);
        assert_eq!((four.warning, four.sizes), (None, (4, 4)));
        let never = Assumption::Nothing.compare(&sample(&[-1.0; 3]), &sample(&[1.0; 3]), 0.0);
        assert!(never.warning.unwrap().starts_with("need > 10 samples"));
    }
}
