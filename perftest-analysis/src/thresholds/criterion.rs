//! Criteria for a value, given the values before it.

use super::{PastValue, PastValues, SignificanceTest, Threshold};
use perftest_core::model::{LimitSide, Limits, RuleResult, Sample};
use std::fmt;

const NO_NUMBER: &str = "a value before is no number";

/// The input of a criterion.
#[derive(Debug, Clone, Copy)]
pub struct JudgedValue<'a> {
    /// The values before, one a run.
    pub past: &'a PastValues,
    /// Number of the newest values with the same code as this one. A criterion that compares
    /// samples takes them with the value as the present sample. Other criteria take each value by
    /// itself.
    pub repeats: usize,
    /// The value.
    pub value: f64,
    /// The time of the value, milliseconds since the Unix epoch.
    pub now_ms: u64,
    /// The only side on which an alarm is a failure; `None` if both sides are, or neither.
    pub failing: Option<LimitSide>,
}

/// A criterion for values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// The value is within the limits of a threshold.
    Threshold(Threshold),
    /// A test distinguishes the values of this code from the newest values of others.
    Significance {
        /// The test.
        test: SignificanceTest,
        /// Its level, two-sided.
        alpha: f64,
        /// Number of values of others.
        newest: usize,
    },
    /// Only the minimum effect counts, against the median of the newest values before.
    Change {
        /// Number of those values.
        newest: usize,
    },
}

/// The values that a criterion compares.
struct CriterionInput {
    side: Option<LimitSide>,
    value: f64,
    baseline: f64,
}

impl JudgedValue<'_> {
    /// Returns the values of this code, and the newest ones of others.
    fn samples(&self, newest: usize) -> Option<(Sample, Sample)> {
        let repeats = self.past.newest(self.repeats);
        let others = &self.past.values()[..self.past.values().len() - repeats.len()];
        let before = plain(&others[others.len().saturating_sub(newest)..]);
        let mut now = plain(repeats);
        now.push(self.value);
        Some((Sample::new(before).ok()?, Sample::new(now).ok()?))
    }

    /// Returns the median of the newest values before.
    fn middle(&self, newest: usize) -> Option<f64> {
        Sample::median_of(&plain(self.past.newest(newest)))
    }
}

fn plain(values: &[PastValue]) -> Vec<f64> {
    values.iter().map(|it| it.value).collect()
}

impl Criterion {
    pub(super) fn judge(&self, judged: &JudgedValue) -> RuleResult {
        match self.compare(judged) {
            Ok(CriterionInput { side: Some(side), value, baseline }) => {
                RuleResult::Alarm { side, value, baseline, by: vec![self.to_string()] }
            }
            Ok(_) => RuleResult::Quiet,
            Err(why) => RuleResult::Unjudged(format!("{}: {why}", self.name())),
        }
    }

    /// Returns the values between which the criterion is quiet, without a minimum effect. `None` if
    /// it has no result, or depends on more than the value.
    pub(super) fn limits(&self, judged: &JudgedValue) -> Option<Limits> {
        match self {
            Self::Threshold(threshold) => {
                let limits = threshold.limits_or_why(judged.past, judged.now_ms).ok()?;
                let baseline = limits.baseline.or_else(|| judged.past.median());
                Some(Limits { baseline, ..limits })
            }
            Self::Change { newest } => {
                let middle = judged.middle(*newest);
                middle.map(|_| Limits { baseline: middle, lower: middle, upper: middle })
            }
            Self::Significance { .. } => None,
        }
    }

    /// The name in configurations: `t_test`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Threshold(threshold) => threshold.test().name(),
            Self::Significance { test, .. } => test.name(),
            Self::Change { .. } => "change",
        }
    }

    fn compare(&self, judged: &JudgedValue) -> Result<CriterionInput, &'static str> {
        let value = judged.value;
        if judged.past.values().is_empty() {
            return Err("there are no values before");
        }
        match self {
            Self::Threshold(threshold) => {
                let limits = threshold.limits_or_why(judged.past, judged.now_ms)?;
                let middle = || judged.past.median().ok_or(NO_NUMBER);
                let baseline = limits.baseline.map_or_else(middle, Ok)?;
                Ok(CriterionInput { side: limits.broken_by(value), value, baseline })
            }
            Self::Significance { test, alpha, newest } => {
                let samples = judged.samples(*newest);
                let (before, now) = samples.ok_or("there are no values of other code before")?;
                let side = test.side(&before, &now, *alpha)?;
                Ok(CriterionInput { side, value: now.median(), baseline: before.median() })
            }
            Self::Change { newest } => {
                let baseline = judged.middle(*newest).ok_or(NO_NUMBER)?;
                Ok(CriterionInput { side: side(value, baseline), value, baseline })
            }
        }
    }
}

fn side(value: f64, baseline: f64) -> Option<LimitSide> {
    match value.partial_cmp(&baseline)? {
        std::cmp::Ordering::Less => Some(LimitSide::Lower),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(LimitSide::Upper),
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold(threshold) => threshold.fmt(f),
            Self::Significance { alpha, newest, .. } => {
                write!(f, "{} alpha={alpha} max={newest}", self.name())
            }
            Self::Change { newest } => write!(f, "change max={newest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<'a> JudgedValue<'a> {
        /// A value of code of its own, after these.
        pub(in crate::thresholds) fn alone(past: &'a PastValues, value: f64) -> Self {
            Self { past, repeats: 0, value, now_ms: 1, failing: None }
        }
    }

    #[test]
    fn repeats_of_the_code_are_the_sample_of_now_and_not_of_before() {
        let others = [100.0, 101.0, 102.0, 103.0, 100.0, 101.0, 102.0, 103.0];
        let all = PastValues::of(&[&others[..], &[200.0, 201.0, 202.0, 203.0]].concat());
        let test = SignificanceTest::MannWhitney;
        let criterion = Criterion::Significance { test, alpha: 0.01, newest: 10 };
        let judge =
            |repeats| criterion.judge(&JudgedValue { repeats, ..JudgedValue::alone(&all, 204.0) });
        let RuleResult::Alarm { value, baseline, .. } = judge(4) else { panic!("{:?}", judge(4)) };
        assert_eq!((value, baseline), (202.0, 101.5));
        assert!(matches!(judge(0), RuleResult::Unjudged(_)), "one value proves nothing");
        assert!(matches!(judge(12), RuleResult::Unjudged(_)), "there is nothing else");
    }

    #[test]
    fn a_change_is_reported_against_the_newest_values_alone() {
        let all = PastValues::of(&[1.0, 1.0, 1.0, 5.0, 5.0]);
        let judged = JudgedValue::alone(&all, 5.0);
        assert_eq!(Criterion::Change { newest: 2 }.judge(&judged), RuleResult::Quiet);
        assert_ne!(Criterion::Change { newest: 5 }.judge(&judged), RuleResult::Quiet);
    }

    #[test]
    fn values_that_are_no_numbers_are_not_judged() {
        let none = PastValues::of(&[f64::NAN]);
        let finding = Criterion::Change { newest: 2 }.judge(&JudgedValue::alone(&none, 5.0));
        assert!(matches!(finding, RuleResult::Unjudged(_)), "{finding:?}");
    }
}
