//! The seven tests of a threshold.
//!
//! Definition: all but `static` set limits at the same distance below and above a baseline, by a
//! boundary b for each side. With the mean, the standard deviation s, the median, the quartiles Q
//! and the quartiles D of the changes between neighbours:
//!
//! | test | baseline | distance |
//! |---|---|---|
//! | `static` | none | the limit is b itself |
//! | `percentage` | mean | b times the mean |
//! | `z_score` | mean | s times the normal quantile at b |
//! | `t_test` | mean | s sqrt(1 + 1/n) times the t quantile at b, n - 1 degrees |
//! | `log_normal` | exp of the mean logarithm | the log-normal quantile at b less the baseline |
//! | `iqr` | median | b (Q3 - Q1) |
//! | `delta_iqr` | median | b times the median times (D3 - D1) |
//!
//! Source: Bencher 0.6.12; [`Compat`] has the older formulas. Behaviour: all but the last two
//! follow every outlier, and the log-normal one mirrors its upper quantile, so that its lower limit
//! can be below 0. Without spread `z_score`, `t_test` and `log_normal` have no limits, and
//! [`Threshold`](super::Threshold) sets them. None has a minimum effect; [`Rule`](super::Rule) adds it.

use super::history_summary::deviation;
use super::limits::finite;
use super::student_quantiles::quantile_of_sample;
use super::{Boundaries, Compat, HistorySummary, LogSummary, Quartiles};
use crate::stats::Moments;
use perftest_core::model::Limits;
use perftest_core::named;
use perftest_core::stats::normal_quantile;

named! {
    /// One of the tests.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ThresholdTest {
        /// Configured limits.
        Static = "static",
        /// A share of the mean.
        Percentage = "percentage",
        /// A quantile of the normal distribution.
        ZScore = "z_score",
        /// A quantile of the next value's t distribution.
        TTest = "t_test",
        /// A quantile of the log-normal distribution.
        LogNormal = "log_normal",
        /// Interquartile ranges.
        Iqr = "iqr",
        /// Interquartile ranges of the changes.
        DeltaIqr = "delta_iqr",
    }
}

impl ThresholdTest {
    /// Returns the smallest allowed sample size; `None` if the test uses no history.
    pub fn fewest_values(self) -> Option<u32> {
        match self {
            Self::Static => None,
            Self::Percentage => Some(1),
            _ => Some(2),
        }
    }

    /// Returns whether the distance of a limit is that of a deviation.
    pub(super) fn is_by_deviation(self) -> bool {
        matches!(self, Self::ZScore | Self::TTest | Self::LogNormal)
    }

    /// Describes the allowed boundaries; `None` if this one is allowed.
    pub fn objection(self, boundary: f64) -> Option<&'static str> {
        let (is_fine, words) = match self {
            Self::Static => (boundary.is_finite(), "a number"),
            Self::Percentage | Self::Iqr | Self::DeltaIqr => {
                (boundary.is_finite() && boundary >= 0.0, "a number not below 0")
            }
            Self::ZScore | Self::TTest | Self::LogNormal => {
                ((0.5..1.0).contains(&boundary), "a probability from 0.5 to below 1")
            }
        };
        (!is_fine).then_some(words)
    }

    /// Explains an example of a boundary.
    pub(super) fn boundary_in_words(self) -> &'static str {
        match self {
            Self::ZScore | Self::TTest | Self::LogNormal => {
                ": 0.99 lets one of 100 values pass the limit by chance"
            }
            _ => ": 0.1 is 10%",
        }
    }

    /// Describes why a history of enough values has no limits.
    pub fn lack(self) -> &'static str {
        match self {
            Self::Static | Self::Percentage | Self::Iqr => {
                "the values before are beyond the range of numbers"
            }
            Self::ZScore | Self::TTest => {
                "the squares of the values before are beyond the range of numbers"
            }
            Self::LogNormal => "the values before are not all above 0",
            Self::DeltaIqr => {
                "the values before have no relative changes: one is 0, or they are beyond the range of numbers"
            }
        }
    }

    /// Returns the limits that follow from a history; `None` if it lacks what the test needs, or
    /// without boundaries.
    ///
    /// ```
    /// use perftest_analysis::thresholds::{Boundaries, Compat, HistorySummary, ThresholdTest};
    /// let summary = HistorySummary {
    ///     mean: Some(100.0),
    ///     deviation: Some(10.0),
    ///     size: Some(25),
    ///     ..HistorySummary::default()
    /// };
    /// let boundaries = Boundaries { lower: None, upper: Some(0.977) };
    /// let upper = |test: ThresholdTest, compat| {
    ///     test.limits(boundaries, &summary, compat).unwrap().upper.unwrap()
    /// };
    /// assert!((upper(ThresholdTest::ZScore, Compat::Present) - 119.954).abs() < 1e-3);
    /// assert!((upper(ThresholdTest::TTest, Compat::Present) - 121.461).abs() < 1e-3);
    /// assert!((upper(ThresholdTest::TTest, Compat::Bencher062) - 121.044).abs() < 1e-3);
    /// ```
    pub fn limits(
        self,
        boundaries: Boundaries,
        summary: &HistorySummary,
        compat: Compat,
    ) -> Option<Limits> {
        let Boundaries { lower, upper } = boundaries;
        lower.or(upper)?;
        if self == Self::Static {
            return Some(Limits { baseline: None, lower, upper });
        }
        let baseline = self.baseline(summary)?;
        // A missing boundary needs no distance, and a configured one must have it.
        let distance = |boundary: Option<f64>| match boundary {
            None => Some(None),
            Some(boundary) => self.distance(boundary, summary, compat).map(Some),
        };
        Some(finite(Limits {
            baseline: Some(baseline),
            lower: distance(lower)?.map(|distance| baseline - distance),
            upper: distance(upper)?.map(|distance| baseline + distance),
        }))
    }

    /// Returns the figures of these values, newest first, that the test needs.
    ///
    /// ```
    /// use perftest_analysis::thresholds::{Compat, ThresholdTest};
    /// let summary = ThresholdTest::ZScore.summary_of(&[3.0, 2.0, 1.0], Compat::Present);
    /// assert_eq!((summary.mean, summary.deviation, summary.quartiles), (Some(2.0), Some(1.0), None));
    /// ```
    pub fn summary_of(self, newest_first: &[f64], compat: Compat) -> HistorySummary {
        let none = HistorySummary { size: Some(newest_first.len()), ..HistorySummary::default() };
        let quartiles = || Quartiles::of(newest_first);
        match self {
            Self::Static => none,
            Self::Percentage | Self::ZScore | Self::TTest => {
                let moments: Moments = newest_first.iter().copied().collect();
                let deviation = deviation(&moments, compat);
                HistorySummary { mean: moments.mean(), deviation, ..none }
            }
            Self::LogNormal => HistorySummary { log: LogSummary::of(newest_first, compat), ..none },
            Self::Iqr => HistorySummary { quartiles: quartiles(), ..none },
            Self::DeltaIqr => {
                let change_quartiles = Quartiles::of_changes(newest_first);
                HistorySummary { quartiles: quartiles(), change_quartiles, ..none }
            }
        }
    }

    fn baseline(self, summary: &HistorySummary) -> Option<f64> {
        let baseline = match self {
            Self::Static => None,
            Self::Percentage | Self::ZScore | Self::TTest => summary.mean,
            Self::LogNormal => summary.log.map(|log| log.location.exp()),
            Self::Iqr | Self::DeltaIqr => summary.quartiles.map(|quartiles| quartiles.second),
        };
        baseline.filter(|baseline| baseline.is_finite())
    }

    fn distance(self, boundary: f64, summary: &HistorySummary, compat: Compat) -> Option<f64> {
        let deviation = summary.deviation.filter(|deviation| *deviation > 0.0);
        let distance = match self {
            Self::Static => return None,
            Self::Percentage => boundary * summary.mean?,
            Self::ZScore => deviation? * normal_quantile(boundary),
            Self::TTest => {
                let size = summary.size.filter(|size| *size >= 2)?;
                let of_next = match compat {
                    Compat::Present => (1.0 + 1.0 / size as f64).sqrt(),
                    Compat::Bencher062 => 1.0,
                };
                deviation? * of_next * quantile_of_sample(size, boundary)
            }
            Self::LogNormal => {
                let log = summary.log.filter(|log| log.scale > 0.0)?;
                let upper = log.location + log.scale * normal_quantile(boundary);
                upper.exp() - log.location.exp()
            }
            Self::Iqr => boundary * summary.quartiles?.range(),
            Self::DeltaIqr => {
                boundary * summary.quartiles?.second * summary.change_quartiles?.range()
            }
        };
        distance.is_finite().then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::at_least_away;
    use super::*;

    const BOTH: Boundaries = Boundaries { lower: Some(0.9), upper: Some(0.9) };

    fn limits(test: ThresholdTest, values: &[f64]) -> Option<Limits> {
        test.limits(BOTH, &HistorySummary::of(values, Compat::Present), Compat::Present)
    }

    #[test]
    fn every_test_has_a_name_that_finds_it() {
        for test in ThresholdTest::ALL {
            assert_eq!(ThresholdTest::from_name(test.name()), Some(test));
        }
    }

    #[test]
    fn without_spread_the_distributions_have_no_limits_and_the_others_do() {
        let flat = [1.0; 5];
        for test in [ThresholdTest::ZScore, ThresholdTest::TTest, ThresholdTest::LogNormal] {
            assert_eq!(limits(test, &flat), None, "{test:?}");
        }
        let on_it = Limits { baseline: Some(1.0), lower: Some(1.0), upper: Some(1.0) };
        assert_eq!(limits(ThresholdTest::Iqr, &flat), Some(on_it));
        assert_eq!(limits(ThresholdTest::DeltaIqr, &flat), Some(on_it));
    }

    #[test]
    fn one_value_is_enough_for_a_mean_and_for_quartiles_only() {
        let with_limits: Vec<&str> = ThresholdTest::ALL
            .into_iter()
            .filter(|test| limits(*test, &[3.0]).is_some())
            .map(ThresholdTest::name)
            .collect();
        assert_eq!(with_limits, ["static", "percentage", "iqr"]);
    }

    #[test]
    fn a_limit_beyond_all_numbers_is_none() {
        let wide = Boundaries { lower: Some(1.0), upper: Some(1.0) };
        let huge = HistorySummary::of(&[1.5e308], Compat::Present);
        let limits = ThresholdTest::Percentage.limits(wide, &huge, Compat::Present);
        let lower_alone = Limits { baseline: Some(1.5e308), lower: Some(0.0), upper: None };
        assert_eq!(limits, Some(lower_alone));
        assert_eq!(at_least_away(lower_alone, 1e308).upper, None);
        let far = at_least_away(Limits { upper: Some(1.5e308), ..lower_alone }, 1e308);
        assert_eq!((far.lower, far.upper), (Some(0.0), None));
        let endless = HistorySummary { mean: Some(f64::INFINITY), ..huge };
        assert_eq!(ThresholdTest::Percentage.limits(wide, &endless, Compat::Present), None);
    }

    #[test]
    fn without_boundaries_there_are_no_limits() {
        let summary = HistorySummary::of(&[1.0, 2.0, 3.0], Compat::Present);
        for test in ThresholdTest::ALL {
            assert_eq!(test.limits(Boundaries::default(), &summary, Compat::Present), None);
        }
    }

    #[test]
    fn values_around_100_and_values_of_100_have_different_log_normal_limits() {
        let limits = |usual: [f64; 5], compat| {
            let values = [usual.repeat(5), vec![200.0]].concat();
            let boundaries = Boundaries { lower: Some(0.977), upper: Some(0.977) };
            let summary = HistorySummary::of(&values, compat);
            let limits = ThresholdTest::LogNormal.limits(boundaries, &summary, compat).unwrap();
            [limits.lower, limits.upper].map(|limit| (100.0 * limit.unwrap()).round() / 100.0)
        };
        let around = [98.0, 99.0, 100.0, 101.0, 102.0];
        assert_eq!(limits(around, Compat::Bencher062), [71.20, 134.18]);
        assert_eq!(limits(around, Compat::Present), [70.49, 134.89]);
        assert_eq!(limits([100.0; 5], Compat::Bencher062), [71.41, 134.00]);
        assert_eq!(limits([100.0; 5], Compat::Present), [70.70, 134.70]);
    }

    #[test]
    fn the_five_values_of_the_source_have_its_limits() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        let summary = HistorySummary::of(&five, Compat::Present);
        let upper = |test: ThresholdTest, boundary| {
            let boundaries = Boundaries { lower: None, upper: Some(boundary) };
            test.limits(boundaries, &summary, Compat::Present).unwrap().upper.unwrap()
        };
        assert_eq!(upper(ThresholdTest::Percentage, 0.5), 4.5);
        assert_eq!(upper(ThresholdTest::Iqr, 1.5), 6.0);
        assert!((upper(ThresholdTest::DeltaIqr, 1.5) - 4.406_25).abs() < 1e-12);
        let log_normal = upper(ThresholdTest::LogNormal, 0.85);
        assert!((log_normal - 5.033_731_460_873_885).abs() < 1e-12, "{log_normal}");
    }
}
