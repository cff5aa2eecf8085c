//! Rules over a history, with a minimum effect beside each and combined by AND and OR.
//!
//! Definition: a criterion alarms on a side, and its alarm counts where the value judged is at least the
//! minimum effect away from the baseline. `All` alarms where every rule of it does, on the same side;
//! `Any` where one does. A rule that cannot judge does not alarm: `Any` passes it over, `All` waits for it.
//! The value judged is the median of those taken now, the baseline what the criterion compares with, or
//! else the median of the history.

use super::{PastValue, RustcPerf, Side, SignificanceTest, Threshold};
use crate::model::{Sample, Tolerance};
use std::fmt;

/// What is judged.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The values before, one a run, oldest first.
    pub past: &'a [PastValue],
    /// The values of now, one a run of the same code.
    pub now: &'a Sample,
    /// When they were taken, milliseconds since the Unix epoch.
    pub now_ms: u64,
}

/// What is asked of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Whether they are within the limits of a threshold.
    Threshold(Threshold),
    /// Whether rustc-perf's rule calls the change relevant.
    RustcPerf(RustcPerf),
    /// Whether a test tells them from the newest values before.
    Significance {
        /// The test.
        test: SignificanceTest,
        /// Its level, two-sided.
        alpha: f64,
        /// How many values before.
        newest: usize,
    },
    /// Nothing but the minimum effect.
    Change,
}

/// A rule.
///
/// ```
/// use perftest_core::model::{Sample, Tolerance};
/// use perftest_core::thresholds::{Boundaries, Criterion, Finding, Judged, PastValue, Rule};
/// use perftest_core::thresholds::{Side, Threshold, ThresholdTest};
/// let boundaries = Boundaries { lower: None, upper: Some(0.99) };
/// let t_test = Criterion::Threshold(Threshold::new(ThresholdTest::TTest, boundaries).unwrap());
/// let five_percent = Some(Tolerance::new(0.05).unwrap());
/// let rule = Rule::One { criterion: t_test, minimum_effect: five_percent };
/// let past: Vec<PastValue> = (0..30)
///     .map(|run| PastValue { value: 100.0 + (run % 3) as f64, started_ms: run })
///     .collect();
/// let judge = |value: f64| {
///     let now = Sample::new(vec![value]).unwrap();
///     rule.judge(&Judged { past: &past, now: &now, now_ms: 30 })
/// };
/// // Beyond the limit, but by less than anybody cares about.
/// assert_eq!(judge(104.0), Finding::Quiet);
/// assert!(matches!(judge(110.0), Finding::Alarm { side: Side::Upper, .. }));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// A criterion and the smallest change that matters.
    One {
        /// What is asked.
        criterion: Criterion,
        /// Smaller changes never alarm; `None` for the bare rule of others.
        minimum_effect: Option<Tolerance>,
    },
    /// AND.
    All(Vec<Rule>),
    /// OR.
    Any(Vec<Rule>),
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The value is out of line.
    Alarm {
        /// Which way.
        side: Side,
        /// The value judged.
        value: f64,
        /// What it is compared with.
        baseline: f64,
        /// The criteria that say so, each with its settings.
        by: Vec<String>,
    },
    /// It is not.
    Quiet,
    /// Nothing can be said, and why.
    Unjudged(String),
}

impl Rule {
    /// Judges values against those before.
    pub fn judge(&self, judged: &Judged) -> Finding {
        match self {
            Self::One { criterion, minimum_effect } => {
                criterion.judge(judged).with_minimum(*minimum_effect)
            }
            Self::All(rules) => all(rules.iter().map(|rule| rule.judge(judged))),
            Self::Any(rules) => any(rules.iter().map(|rule| rule.judge(judged))),
        }
    }
}

/// The first alarm, with what speaks for the same side; else quiet if a rule could judge.
fn any(findings: impl Iterator<Item = Finding>) -> Finding {
    let joined = findings.reduce(|one, other| match (one, other) {
        (
            Finding::Alarm { side, value, baseline, by },
            Finding::Alarm { side: too, by: more, .. },
        ) => {
            let by = if side == too { [by, more].concat() } else { by };
            Finding::Alarm { side, value, baseline, by }
        }
        (alarm @ Finding::Alarm { .. }, _) | (_, alarm @ Finding::Alarm { .. }) => alarm,
        (Finding::Unjudged(why), Finding::Unjudged(too)) => Finding::Unjudged(why + "; " + &too),
        _ => Finding::Quiet,
    });
    joined.unwrap_or_else(no_rule)
}

/// An alarm where all alarm on the same side; quiet if one is, and else unjudged if one is.
fn all(findings: impl Iterator<Item = Finding>) -> Finding {
    let joined = findings.reduce(|one, other| match (one, other) {
        (
            Finding::Alarm { side, value, baseline, by },
            Finding::Alarm { side: too, by: more, .. },
        ) if side == too => Finding::Alarm { side, value, baseline, by: [by, more].concat() },
        (Finding::Quiet, _) | (_, Finding::Quiet) => Finding::Quiet,
        (Finding::Unjudged(why), Finding::Unjudged(too)) => Finding::Unjudged(why + "; " + &too),
        (unjudged @ Finding::Unjudged(_), _) | (_, unjudged @ Finding::Unjudged(_)) => unjudged,
        (Finding::Alarm { .. }, Finding::Alarm { .. }) => Finding::Quiet,
    });
    joined.unwrap_or_else(no_rule)
}

fn no_rule() -> Finding {
    Finding::Unjudged("there is no rule".into())
}

impl Finding {
    /// Quiet where the change is smaller than the minimum effect.
    fn with_minimum(self, minimum_effect: Option<Tolerance>) -> Self {
        let Self::Alarm { value, baseline, .. } = self else {
            return self;
        };
        let least = minimum_effect.map_or(0.0, |tolerance| tolerance.share());
        match (value - baseline).abs() >= least * baseline.abs() {
            true => self,
            false => Self::Quiet,
        }
    }
}

impl Criterion {
    fn judge(&self, judged: &Judged) -> Finding {
        let value = judged.now.median();
        let past: Vec<f64> = judged.past.iter().map(|it| it.value).collect();
        let Some(middle) = Sample::median_of(&past) else {
            return Finding::Unjudged(format!("{self}: there are no values before"));
        };
        let (side, baseline) = match self.side(judged, &past, value, middle) {
            Ok((Some(side), baseline)) => (side, baseline),
            Ok((None, _)) => return Finding::Quiet,
            Err(why) => return Finding::Unjudged(format!("{self}: {why}")),
        };
        Finding::Alarm { side, value, baseline, by: vec![self.to_string()] }
    }

    /// The side that alarms, and what the value is compared with.
    fn side(
        &self,
        judged: &Judged,
        past: &[f64],
        value: f64,
        middle: f64,
    ) -> Result<(Option<Side>, f64), &'static str> {
        match self {
            Self::Threshold(threshold) => {
                let limits = threshold.limits(judged.past, judged.now_ms);
                let limits = limits.ok_or("too few values before, or no spread")?;
                Ok((limits.broken_by(value), limits.baseline.unwrap_or(middle)))
            }
            Self::RustcPerf(rule) => {
                let old = past[past.len() - 1];
                let answer = rule.judge(past, old, value).ok_or("the value before is 0")?;
                Ok((answer.is_relevant.then(|| side(value, old)).flatten(), old))
            }
            Self::Significance { test, alpha, newest } => {
                let newest = past[past.len().saturating_sub(*newest)..].to_vec();
                let before =
                    Sample::new(newest).map_err(|_| "there are no values to compare with")?;
                Ok((test.side(&before, judged.now, *alpha)?, before.median()))
            }
            Self::Change => Ok((side(value, middle), middle)),
        }
    }
}

fn side(value: f64, baseline: f64) -> Option<Side> {
    match value.partial_cmp(&baseline)? {
        std::cmp::Ordering::Less => Some(Side::Lower),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Side::Upper),
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold(threshold) => threshold.fmt(f),
            Self::RustcPerf(rule) => write!(f, "rustc_perf enough={}", rule.enough),
            Self::Significance { test, alpha, newest } => {
                write!(f, "{} alpha={alpha} newest={newest}", test.name())
            }
            Self::Change => f.write_str("change"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thresholds::{Boundaries, ThresholdTest};

    fn share(share: f64) -> Option<Tolerance> {
        Some(Tolerance::new(share).unwrap())
    }

    fn fixed(upper: f64) -> Rule {
        let boundaries = Boundaries { lower: Some(0.0), upper: Some(upper) };
        let threshold = Threshold::new(ThresholdTest::Static, boundaries).unwrap();
        Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect: None }
    }

    fn change(least: f64) -> Rule {
        Rule::One { criterion: Criterion::Change, minimum_effect: share(least) }
    }

    /// Needs spread, which the history here does not have.
    fn mute() -> Rule {
        let boundaries = Boundaries { lower: None, upper: Some(0.99) };
        let threshold = Threshold::new(ThresholdTest::ZScore, boundaries).unwrap();
        Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect: None }
    }

    fn judge(rule: &Rule, value: f64) -> Finding {
        let past = [PastValue { value: 100.0, started_ms: 0 }; 10];
        let now = Sample::new(vec![value]).unwrap();
        rule.judge(&Judged { past: &past, now: &now, now_ms: 1 })
    }

    fn side_of(finding: &Finding) -> Option<Side> {
        match finding {
            Finding::Alarm { side, .. } => Some(*side),
            _ => None,
        }
    }

    #[test]
    fn one_of_any_is_enough_and_all_have_to_agree() {
        let rules = vec![fixed(105.0), change(0.1)];
        let (any, all) = (Rule::Any(rules.clone()), Rule::All(rules));
        assert_eq!(side_of(&judge(&any, 106.0)), Some(Side::Upper));
        assert_eq!(judge(&all, 106.0), Finding::Quiet);
        assert_eq!(side_of(&judge(&all, 111.0)), Some(Side::Upper));
        assert_eq!(judge(&any, 103.0), Finding::Quiet);
    }

    #[test]
    fn everything_that_alarms_is_named() {
        let Finding::Alarm { by, baseline, .. } =
            judge(&Rule::Any(vec![fixed(105.0), mute(), change(0.1)]), 120.0)
        else {
            panic!("no alarm");
        };
        assert_eq!(by, ["static lower=0 upper=105", "change"]);
        assert_eq!(baseline, 100.0);
    }

    #[test]
    fn alarms_on_different_sides_do_not_agree() {
        let upside_down = Boundaries { lower: None, upper: Some(50.0) };
        let threshold = Threshold::new(ThresholdTest::Static, upside_down).unwrap();
        let above = Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect: None };
        assert_eq!(side_of(&judge(&above, 60.0)), Some(Side::Upper));
        assert_eq!(side_of(&judge(&change(0.1), 60.0)), Some(Side::Lower));
        assert_eq!(judge(&Rule::All(vec![above, change(0.1)]), 60.0), Finding::Quiet);
    }

    #[test]
    fn what_cannot_judge_is_passed_over_by_any_and_waited_for_by_all() {
        let (loud, quiet) = (change(0.1), change(0.5));
        let is_unjudged = |rules: Rule| matches!(judge(&rules, 120.0), Finding::Unjudged(_));
        assert!(is_unjudged(mute()));
        assert!(is_unjudged(Rule::Any(vec![mute(), mute()])));
        assert!(is_unjudged(Rule::All(vec![loud.clone(), mute()])));
        assert!(is_unjudged(Rule::All(Vec::new())) && is_unjudged(Rule::Any(Vec::new())));
        assert_eq!(judge(&Rule::Any(vec![mute(), quiet.clone()]), 120.0), Finding::Quiet);
        assert_eq!(judge(&Rule::All(vec![mute(), quiet]), 120.0), Finding::Quiet);
        assert!(side_of(&judge(&Rule::Any(vec![mute(), loud]), 120.0)).is_some());
    }

    #[test]
    fn without_a_history_nothing_is_judged() {
        let now = Sample::new(vec![1.0]).unwrap();
        let finding = change(0.1).judge(&Judged { past: &[], now: &now, now_ms: 1 });
        assert!(matches!(finding, Finding::Unjudged(_)));
    }

    #[test]
    fn every_criterion_finds_a_doubled_value() {
        let past: Vec<PastValue> = (0..40_u32)
            .map(|run| PastValue { value: 100.0 + f64::from(run % 4), started_ms: run.into() })
            .collect();
        let now = Sample::new(vec![200.0, 201.0, 202.0, 203.0, 204.0]).unwrap();
        let significance = |test| Criterion::Significance { test, alpha: 0.01, newest: 10 };
        for criterion in [
            Criterion::RustcPerf(RustcPerf::of_metric("wall-time")),
            significance(SignificanceTest::MannWhitney),
            significance(SignificanceTest::Welch),
            Criterion::Change,
        ] {
            let rule = Rule::One { criterion, minimum_effect: share(0.2) };
            let finding = rule.judge(&Judged { past: &past, now: &now, now_ms: 40 });
            assert_eq!(side_of(&finding), Some(Side::Upper), "{criterion}");
        }
    }
}
