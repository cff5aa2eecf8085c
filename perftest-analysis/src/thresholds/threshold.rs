//! A configured threshold: a test, its boundaries, and the values of a history that it uses.
//!
//! Source: Bencher 0.6.12, with its rules on valid combinations. The new value is not among the
//! values that set its limits. With fewer values than configured there are no limits and no alarm.
//! Without any value not even `static` has limits: the first value never has a result. Where all values agree, the
//! limits of `z_score`, `t_test` and `log_normal` are that value. Bencher has none there, and misses a step of a count.

use super::{Boundaries, Compat, HistorySummary, PastValue, PastValues, ThresholdTest};
use perftest_core::model::Limits;
use std::fmt;

const MS_PER_S: u64 = 1_000;

/// A test with valid settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    test: ThresholdTest,
    boundaries: Boundaries,
    fewest: Option<u32>,
    most: Option<u32>,
    window_s: Option<u32>,
    compat: Compat,
}

/// Why settings are invalid together.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdError {
    /// The setting with the error.
    pub key: &'static str,
    /// What is wrong.
    pub problem: String,
    /// What follows it in a file of rules: the fix, where the problem does not contain it.
    pub hint: &'static str,
}

impl ThresholdError {
    fn new(key: &'static str, problem: impl Into<String>, hint: &'static str) -> Self {
        Self { key, problem: problem.into(), hint }
    }

    fn of_static(key: &'static str) -> Self {
        let problem = "a static test looks at no history: remove its sample sizes and its window";
        Self::new(key, problem, "")
    }
}

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ThresholdError {}

impl Threshold {
    /// Creates a test over the whole history.
    ///
    /// # Errors
    ///
    /// There is no boundary, the test does not take one of them, or they cross.
    ///
    /// ```
    /// use perftest_analysis::thresholds::{Boundaries, Threshold, ThresholdTest};
    /// let upper = |boundary| Boundaries { lower: None, upper: Some(boundary) };
    /// assert!(Threshold::new(ThresholdTest::TTest, upper(0.99)).is_ok());
    /// let error = Threshold::new(ThresholdTest::TTest, upper(99.0)).unwrap_err();
    /// assert!(error.to_string().contains("a probability from 0.5 to below 1, not 99"));
    /// ```
    pub fn new(test: ThresholdTest, boundaries: Boundaries) -> Result<Self, ThresholdError> {
        let Boundaries { lower, upper } = boundaries;
        if lower.or(upper).is_none() {
            let problem = "a threshold needs a lower or an upper boundary";
            let hint = ": write upper = 0.99 for a time, lower = 0.99 for what should be large";
            return Err(ThresholdError::new("test", problem, hint));
        }
        for (key, boundary) in [("lower", lower), ("upper", upper)] {
            let Some(boundary) = boundary else { continue };
            if let Some(takes) = test.objection(boundary) {
                let problem = format!("a boundary of {} is {takes}, not {boundary}", test.name());
                return Err(ThresholdError::new(key, problem, test.boundary_in_words()));
            }
        }
        if test == ThresholdTest::Static && lower > upper && upper.is_some() {
            let problem = "the lower boundary of a static test is above its upper one";
            return Err(ThresholdError::new("lower", problem, ": exchange them"));
        }
        let compat = Compat::Present;
        Ok(Self { test, boundaries, fewest: None, most: None, window_s: None, compat })
    }

    /// Sets the minimum and the maximum number of values; the newest are used.
    ///
    /// # Errors
    ///
    /// The test needs more values than the maximum, or the minimum is above the maximum.
    pub fn with_sample_sizes(
        self,
        fewest: Option<u32>,
        most: Option<u32>,
    ) -> Result<Self, ThresholdError> {
        Self::check_sample_sizes(self.test, fewest, most)?;
        Ok(Self { fewest, most, ..self })
    }

    /// Checks whether a test can use this many values.
    ///
    /// # Errors
    ///
    /// As for [`with_sample_sizes`](Self::with_sample_sizes).
    pub fn check_sample_sizes(
        test: ThresholdTest,
        fewest: Option<u32>,
        most: Option<u32>,
    ) -> Result<(), ThresholdError> {
        for (key, size) in [("min_sample_size", fewest), ("max_sample_size", most)] {
            let Some(size) = size else { continue };
            let needed = test.fewest_values().ok_or_else(|| ThresholdError::of_static(key))?;
            if size < needed {
                let test = test.name();
                let problem =
                    format!("{test} needs a sample size of at least {needed}, not {size}");
                return Err(ThresholdError::new(key, problem, ""));
            }
        }
        if fewest.zip(most).is_some_and(|(fewest, most)| fewest > most) {
            let problem = "the minimum sample size is above the maximum";
            return Err(ThresholdError::new("min_sample_size", problem, ": make it smaller"));
        }
        Ok(())
    }

    /// Uses only values of the last seconds.
    ///
    /// # Errors
    ///
    /// The test uses no history, or the window is empty.
    pub fn with_window_s(self, window_s: u32) -> Result<Self, ThresholdError> {
        Self::check_window_s(self.test, window_s)?;
        Ok(Self { window_s: Some(window_s), ..self })
    }

    /// Checks whether a test can use a window of time.
    ///
    /// # Errors
    ///
    /// As for [`with_window_s`](Self::with_window_s).
    pub fn check_window_s(test: ThresholdTest, window_s: u32) -> Result<(), ThresholdError> {
        test.fewest_values().ok_or_else(|| ThresholdError::of_static("window"))?;
        if window_s == 0 {
            let problem = "a window has to be above 0 seconds";
            return Err(ThresholdError::new("window", problem, ""));
        }
        Ok(())
    }

    /// Uses the formulas of a release.
    pub fn with_compat(self, compat: Compat) -> Self {
        Self { compat, ..self }
    }

    /// The test.
    pub fn test(&self) -> ThresholdTest {
        self.test
    }

    /// Returns the limits of a value measured at `now_ms`, from the values before it, oldest first.
    /// `None` if there are too few values or the test has no limits.
    pub fn limits(&self, past: &[PastValue], now_ms: u64) -> Option<Limits> {
        self.limits_of_used(past, now_ms).ok()
    }

    /// Returns the limits from all values before, or else why there are none.
    pub(super) fn limits_or_why(
        &self,
        past: &PastValues,
        now_ms: u64,
    ) -> Result<Limits, &'static str> {
        let values = past.values();
        let are_all = values.len() <= self.most() && past.is_since(self.since_ms(now_ms));
        if are_all {
            return self.limits_of(&past.summary(self.compat), past.agreed());
        }
        self.limits_of_used(values, now_ms)
    }

    fn most(&self) -> usize {
        self.most.map_or(usize::MAX, |most| most as usize)
    }

    fn since_ms(&self, now_ms: u64) -> u64 {
        let window_ms = self.window_s.map_or(u64::MAX, |seconds| u64::from(seconds) * MS_PER_S);
        now_ms.saturating_sub(window_ms)
    }

    fn limits_of_used(&self, past: &[PastValue], now_ms: u64) -> Result<Limits, &'static str> {
        let since_ms = self.since_ms(now_ms);
        let is_in_window = |it: &&PastValue| it.started_ms >= since_ms;
        let newest_first = past.iter().rev().filter(is_in_window).take(self.most());
        let newest_first: Vec<f64> = newest_first.map(|it| it.value).collect();
        let newest = newest_first.first().copied();
        let agreed = newest.filter(|newest| {
            newest.is_finite() && newest_first.iter().all(|value| value == newest)
        });
        self.limits_of(&self.test.summary_of(&newest_first, self.compat), agreed)
    }

    /// `agreed` is the value that all have.
    fn limits_of(
        &self,
        summary: &HistorySummary,
        agreed: Option<f64>,
    ) -> Result<Limits, &'static str> {
        let limits = self.test.limits(self.boundaries, summary, self.compat);
        let usual = self.test.fewest_values().unwrap_or(1) as usize;
        match (summary.size.unwrap_or(0), limits) {
            (size, _) if size < self.fewest.unwrap_or(1) as usize => Err("too few values before"),
            (_, Some(limits)) => Ok(limits),
            (size, None) if size < usual => Err("too few values before"),
            (_, None) => {
                let agreed = agreed.filter(|_| self.test.is_by_deviation());
                agreed.map(|value| self.limits_at(value)).ok_or(self.test.lack())
            }
        }
    }

    fn limits_at(&self, value: f64) -> Limits {
        let Boundaries { lower, upper } = self.boundaries;
        Limits { baseline: Some(value), lower: lower.map(|_| value), upper: upper.map(|_| value) }
    }
}

impl fmt::Display for Threshold {
    /// Formats the settings in one line, which is stored beside the results.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.test.name())?;
        for (side, boundary) in [("lower", self.boundaries.lower), ("upper", self.boundaries.upper)]
        {
            if let Some(boundary) = boundary {
                write!(f, " {side}={boundary}")?;
            }
        }
        for (name, setting) in
            [("min", self.fewest), ("max", self.most), ("window_s", self.window_s)]
        {
            if let Some(setting) = setting {
                write!(f, " {name}={setting}")?;
            }
        }
        match self.compat {
            Compat::Present => Ok(()),
            Compat::Bencher062 => f.write_str(" compat=0.6.2"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(test: ThresholdTest, boundary: f64) -> Threshold {
        Threshold::new(test, Boundaries { lower: None, upper: Some(boundary) }).unwrap()
    }

    /// Returns one value a second, oldest first.
    fn past(values: &[f64]) -> Vec<PastValue> {
        let dated = values.iter().zip(0..);
        dated
            .map(|(value, second)| PastValue { value: *value, started_ms: second * 1_000 })
            .collect()
    }

    #[test]
    fn the_first_value_is_never_judged_not_even_by_a_static_test() {
        let limit = upper(ThresholdTest::Static, 5.0);
        assert_eq!(limit.limits(&[], 0), None);
        assert_eq!(limit.limits(&past(&[9.0]), 1_000).and_then(|it| it.upper), Some(5.0));
    }

    #[test]
    fn too_few_values_have_no_limits() {
        let percentage = upper(ThresholdTest::Percentage, 0.5);
        let asking = percentage.with_sample_sizes(Some(3), None).unwrap();
        assert_eq!(asking.limits(&past(&[1.0, 1.0]), 2_000), None);
        assert!(asking.limits(&past(&[1.0, 1.0, 1.0]), 3_000).is_some());
    }

    #[test]
    fn where_all_values_agree_the_limits_of_a_deviation_are_that_value() {
        for test in [ThresholdTest::ZScore, ThresholdTest::TTest, ThresholdTest::LogNormal] {
            for value in [12.0, 0.0] {
                let flat = past(&[value; 5]);
                let on_it = Limits { baseline: Some(value), lower: None, upper: Some(value) };
                let newest = upper(test, 0.99).with_sample_sizes(None, Some(3)).unwrap();
                assert_eq!(newest.limits(&flat, 5_000), Some(on_it), "{test:?}");
                let of_all = upper(test, 0.99).limits_or_why(&PastValues::of(&[value; 5]), 5_000);
                assert_eq!(of_all, Ok(on_it), "{test:?}");
            }
            assert_eq!(upper(test, 0.99).limits(&past(&[12.0]), 1_000), None, "one is too few");
            let endless = PastValues::of(&[f64::INFINITY; 5]);
            assert!(upper(test, 0.99).limits_or_why(&endless, 5_000).is_err());
        }
    }

    #[test]
    fn the_newest_values_count_and_those_in_the_window() {
        let percentage = upper(ThresholdTest::Percentage, 0.0);
        let values = past(&[100.0, 100.0, 2.0, 4.0]);
        let mean = |it: Threshold| it.limits(&values, 4_000).unwrap().baseline.unwrap();
        assert_eq!(mean(percentage), 51.5);
        assert_eq!(mean(percentage.with_sample_sizes(None, Some(2)).unwrap()), 3.0);
        assert_eq!(mean(percentage.with_window_s(1).unwrap()), 4.0);
        assert_eq!(mean(percentage.with_window_s(u32::MAX).unwrap()), 51.5);
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let t_test = upper(ThresholdTest::TTest, 0.99);
        let crossed = Boundaries { lower: Some(2.0), upper: Some(1.0) };
        let key = |refused: Result<Threshold, ThresholdError>| refused.unwrap_err().key;
        assert_eq!(key(Threshold::new(ThresholdTest::Static, crossed)), "lower");
        assert!(Threshold::new(ThresholdTest::Percentage, crossed).is_ok());
        let lower = Boundaries { lower: Some(2.0), upper: None };
        assert!(Threshold::new(ThresholdTest::Static, lower).is_ok());
        let none = Boundaries::default();
        assert_eq!(key(Threshold::new(ThresholdTest::Iqr, none)), "test");
        let wrong_upper = Boundaries { lower: Some(0.99), upper: Some(99.0) };
        assert_eq!(key(Threshold::new(ThresholdTest::TTest, wrong_upper)), "upper");
        assert_eq!(key(t_test.with_window_s(0)), "window");
        assert_eq!(key(t_test.with_sample_sizes(Some(64), Some(2))), "min_sample_size");
        assert_eq!(key(t_test.with_sample_sizes(None, Some(1))), "max_sample_size");
        let fixed = upper(ThresholdTest::Static, 1.0);
        assert_eq!(key(fixed.with_window_s(60)), "window");
        assert_eq!(key(fixed.with_sample_sizes(Some(2), None)), "min_sample_size");
    }

    #[test]
    fn the_settings_are_reported_in_one_line() {
        let asking = upper(ThresholdTest::TTest, 0.99).with_sample_sizes(None, Some(64)).unwrap();
        assert_eq!(asking.to_string(), "t_test upper=0.99 max=64");
        let former = asking.with_compat(Compat::Bencher062);
        assert_eq!(former.to_string(), "t_test upper=0.99 max=64 compat=0.6.2");
    }
}
