//! Tests for a step in the middle of a trace: the eight kinds of Skia Perf.
//!
//! Definition: the trace is cut at half its length; y0 and y1 are the means of the parts, E the
//! squared errors about them. Positive means that the values went down. A fit is *low* where its
//! regression is at least the threshold and *high* where it is at most minus that.
//!
//! | kind | step size | regression |
//! |---|---|---|
//! | original | y0 - y1 of the normalised trace, -1 where they agree | step size / max(sqrt(E) / n, least deviation) |
//! | absolute | y0 - y1 | the same |
//! | const | -1 | the first value of the right part, without its sign |
//! | percent | (y0 - y1) / y0, the largest number for an infinite one, 0 for none | the same |
//! | percent median | as percent, with the medians | the same |
//! | cohen | (y0 - y1) / max(mean of the parts' sample deviations, least deviation) | the same |
//! | Mann-Whitney | y0 - y1 | two-sided probability, negative for high; at most the threshold |
//! | stepiness | y0 - y1 | 1 - sqrt(E / squared error about the whole mean), with the step's sign |
//!
//! All but the original drop the last value of a trace of odd length. The least length is 3 for
//! original, 4 for cohen and 2 for the others; a shorter trace has no fit, nor has Mann-Whitney where
//! all values agree, nor const where its value is missing.
//!
//! Source: Skia Perf, `stepfit` (state of August 2026), in own words. Behaviour: 32-bit arithmetic
//! throughout (see [`trace`](super::trace)). The original is about twice Student's t, since it divides the
//! error's root by n and not by the root of n; a flat trace has an infinite error there and a regression
//! of nearly 0. Percent and absolute ignore noise; const uses one value; Mann-Whitney ignores the
//! size. All of them use only the two halves: a step elsewhere, or a second one, blurs the result.

use super::trace;
use crate::stats::RankSumTest;
use perftest_core::model::Sample;
use perftest_core::named;
use std::borrow::Cow;

named! {
    /// A way to measure a step, by the name of Skia's configuration.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum StepKind {
        /// Step over error, of the normalised trace.
        Original = "original",
        /// The difference of the means.
        Absolute = "absolute",
        /// One value alone.
        Const = "const",
        /// The difference of the means relative to the first.
        Percent = "percent",
        /// The same of the medians.
        PercentMedian = "percent_median",
        /// Cohen's d.
        Cohen = "cohen",
        /// The probability of the rank sums.
        MannWhitney = "mannwhitneyu",
        /// The share of the error that a step explains.
        Stepiness = "stepiness",
    }
}

/// The direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepStatus {
    /// Down.
    Low,
    /// Up.
    High,
    /// Below the threshold.
    #[default]
    Uninteresting,
}

/// A step in the middle of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepFit {
    /// Index of the first value of the right part.
    pub turning_point: usize,
    /// How large it is, in the unit of its kind; positive where the values went down.
    pub step_size: f32,
    /// The number that is compared with the threshold.
    pub regression: f32,
    /// The direction of the values.
    pub status: StepStatus,
}

impl StepKind {
    /// The step in the middle of `values`; `None` where there is none to measure. No deviation
    /// below `min_deviation` divides.
    ///
    /// ```
    /// use perftest_analysis::detect::{StepKind, StepStatus};
    /// let fit = StepKind::Cohen.fit(&[1.0, 1.2, 1.1, 2.0, 2.2, 2.1], 4.0, 0.001).unwrap();
    /// assert_eq!((fit.turning_point, fit.status), (3, StepStatus::High));
    /// assert!((fit.step_size + 10.0).abs() < 1e-4);
    /// ```
    pub fn fit(self, values: &[f32], threshold: f32, min_deviation: f32) -> Option<StepFit> {
        if values.len() < self.fewest() {
            return None;
        }
        let prepared = self.prepared(values, min_deviation);
        let halves = Halves::of(&prepared);
        let difference = halves.before - halves.after;
        let same = |step_size| (step_size, step_size);
        let (step_size, regression) = match self {
            Self::Original => halves.original(min_deviation),
            Self::Absolute => same(difference),
            Self::Const => (-1.0, trace::present(&halves.right[..1]).next()?.abs()),
            Self::Percent => same(relative(halves.before, halves.after)),
            Self::PercentMedian => {
                same(relative(trace::median(halves.left), trace::median(halves.right)))
            }
            Self::Cohen => same(halves.cohen(min_deviation)),
            Self::MannWhitney => (difference, halves.rank_sum_probability()?),
            Self::Stepiness => (difference, halves.stepiness()),
        };
        let (regression, status) = self.status(step_size, regression, threshold);
        Some(StepFit { turning_point: halves.left.len(), step_size, regression, status })
    }

    pub(super) fn fewest(self) -> usize {
        match self {
            Self::Original => 3,
            Self::Cohen => 4,
            _ => 2,
        }
    }

    fn prepared(self, values: &[f32], min_deviation: f32) -> Cow<'_, [f32]> {
        match self {
            Self::Original => trace::normalised(values, min_deviation).into(),
            _ => values[..values.len() / 2 * 2].into(),
        }
    }

    fn status(self, step_size: f32, regression: f32, threshold: f32) -> (f32, StepStatus) {
        match self {
            // A probability has no sign, so it gets that of the step.
            Self::MannWhitney if regression > threshold => (regression, StepStatus::Uninteresting),
            Self::MannWhitney if step_size < 0.0 => (-regression, StepStatus::High),
            Self::MannWhitney => (regression, StepStatus::Low),
            _ if regression >= threshold => (regression, StepStatus::Low),
            _ if regression <= -threshold => (regression, StepStatus::High),
            _ => (regression, StepStatus::Uninteresting),
        }
    }
}

/// A trace in two parts.
struct Halves<'a> {
    whole: &'a [f32],
    left: &'a [f32],
    right: &'a [f32],
    before: f32,
    after: f32,
}

impl<'a> Halves<'a> {
    fn of(whole: &'a [f32]) -> Self {
        let (left, right) = whole.split_at(whole.len() / 2);
        Self { whole, left, right, before: trace::mean(left), after: trace::mean(right) }
    }

    fn squared_error(&self) -> f32 {
        trace::squared_error(self.left, self.before) + trace::squared_error(self.right, self.after)
    }

    fn original(&self, min_deviation: f32) -> (f32, f32) {
        let is_flat = self.before == self.after;
        let error = if is_flat { f32::MAX } else { self.squared_error().min(f32::MAX) };
        let step_size = if is_flat { -1.0 } else { self.before - self.after };
        let error = f64::from(error).sqrt() as f32 / self.whole.len() as f32;
        (step_size, step_size / error.max(min_deviation))
    }

    fn cohen(&self, min_deviation: f32) -> f32 {
        let left = trace::deviation_about(self.left, self.before) as f32;
        let right = trace::deviation_about(self.right, self.after) as f32;
        (self.before - self.after) / ((left + right) / 2.0).max(min_deviation)
    }

    fn stepiness(&self) -> f32 {
        let whole = trace::squared_error(self.whole, trace::mean(self.whole));
        if whole <= 0.0 {
            return 0.0;
        }
        let stepiness = 1.0 - f64::from(self.squared_error() / whole).sqrt() as f32;
        if self.before < self.after { -stepiness } else { stepiness }
    }

    fn rank_sum_probability(&self) -> Option<f32> {
        let wide = |half| Sample::new(trace::present(half).map(f64::from).collect()).ok();
        Some(RankSumTest::of(&wide(self.left)?, &wide(self.right)?)?.mirrored as f32)
    }
}

/// The decrease of the values, relative to the first part.
pub(super) fn relative(before: f32, after: f32) -> f32 {
    match (before - after) / before {
        step if step.is_nan() => 0.0,
        step if step.is_finite() => step,
        _ if before < after => -f32::MAX,
        _ => f32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: [f32; 8] = [10.0, 10.2, 9.8, 10.1, 12.0, 12.1, 11.8, 12.2];

    #[test]
    fn every_kind_sees_a_clear_step_and_its_direction() {
        let down: Vec<f32> = UP.into_iter().rev().collect();
        for kind in StepKind::ALL {
            let threshold = if kind == StepKind::MannWhitney { 0.05 } else { 0.1 };
            let status = |values| kind.fit(values, threshold, 0.001).unwrap().status;
            let up = if kind == StepKind::Const { StepStatus::Low } else { StepStatus::High };
            assert_eq!(status(&UP), up, "{kind:?}");
            assert_eq!(status(&down), StepStatus::Low, "{kind:?}");
        }
    }

    #[test]
    fn a_kind_is_found_by_its_name() {
        assert_eq!(StepKind::from_name("cohen"), Some(StepKind::Cohen));
        assert_eq!(StepKind::from_name("t"), None);
    }

    #[test]
    fn a_trace_that_is_too_short_has_no_fit() {
        for kind in StepKind::ALL {
            for length in 0..kind.fewest() {
                assert_eq!(kind.fit(&UP[..length], 0.0, 0.1), None, "{kind:?} {length}");
            }
            assert!(kind.fit(&UP[..kind.fewest()], 0.1, 0.1).is_some(), "{kind:?}");
        }
    }

    #[test]
    fn a_flat_trace_is_uninteresting_to_all() {
        for kind in StepKind::ALL {
            let fit = kind.fit(&[0.0; 9], 0.01, 0.1).unwrap_or_default();
            assert_eq!(fit.status, StepStatus::Uninteresting, "{kind:?}");
            assert!(fit.regression.abs() < 1e-18, "{kind:?} {}", fit.regression);
        }
    }

    #[test]
    fn holes_on_one_side_are_no_step() {
        let holes = [10.0, trace::MISSING, 10.1, 9.9, trace::MISSING, 10.0, 9.95, 10.05];
        for kind in [StepKind::Absolute, StepKind::Percent, StepKind::MannWhitney] {
            let threshold = if kind == StepKind::MannWhitney { 0.05 } else { 0.2 };
            let fit = kind.fit(&holes, threshold, 0.001).unwrap();
            assert_eq!(fit.status, StepStatus::Uninteresting, "{kind:?}");
        }
    }

    #[test]
    fn odd_values_neither_panic_nor_alarm_by_being_no_numbers() {
        for odd in [f32::NAN, f32::INFINITY, f32::MAX, trace::MISSING] {
            for kind in StepKind::ALL {
                kind.fit(&[odd; 6], 1.0, 0.001);
                let mut values = UP;
                values[5] = odd;
                kind.fit(&values, 1.0, 0.001);
            }
        }
        let nan = StepKind::Absolute.fit(&[f32::NAN; 4], 1.0, 0.001).unwrap();
        assert_eq!(nan.status, StepStatus::Uninteresting);
    }

    #[test]
    fn a_step_from_nothing_is_as_large_as_numbers_get() {
        assert_eq!(relative(0.0, -1.0), f32::MAX);
        assert_eq!(relative(0.0, 1.0), -f32::MAX);
        assert_eq!(relative(0.0, 0.0), 0.0);
    }
}
