//! Rules over a history: criteria with a minimum effect, combined by AND and OR.
//!
//! Definition: a criterion alarms on a side, and the alarm counts if the value is at least the
//! minimum effect away from the baseline. `All` alarms if every rule in it does, on the same side;
//! `Any` if one does: on the side that fails, if one alarms there. A rule without a result does not
//! alarm: `Any` skips it, `All` waits for it.
//! The value is each run's own, or the median over the runs of the code if samples are compared.
//! The baseline is that of the criterion, or else the median of the history.

use super::findings::{all_of, any_of, with_minimum};
use super::limits::{at_least_away, beyond_both, beyond_either};
use super::{Criterion, JudgedValue};
use perftest_core::model::{Limits, RuleResult, Tolerance};
use std::fmt;

/// A rule.
///
/// ```
/// use perftest_core::model::{RuleResult, LimitSide, Tolerance};
/// use perftest_analysis::thresholds::{
///     Boundaries, Criterion, JudgedValue, PastValues, PastValue, Rule, Threshold, ThresholdTest,
/// };
/// let boundaries = Boundaries { lower: None, upper: Some(0.99) };
/// let t_test = Criterion::Threshold(Threshold::new(ThresholdTest::TTest, boundaries).unwrap());
/// let five_percent = Some(Tolerance::new(0.05).unwrap());
/// let rule = Rule::One { criterion: t_test, minimum_effect: five_percent };
/// let past: PastValues = (0..30)
///     .map(|run| PastValue { value: 100.0 + (run % 3) as f64, started_ms: run })
///     .collect();
/// let judged = |value| JudgedValue { past: &past, repeats: 0, value, now_ms: 30, failing: None };
/// let judge = |value| rule.judge(&judged(value));
/// // The value is beyond the limit, but by less than matters.
/// assert_eq!(judge(104.0), RuleResult::Quiet);
/// assert!(matches!(judge(110.0), RuleResult::Alarm { side: LimitSide::Upper, .. }));
/// assert_eq!(rule.to_string(), "t_test upper=0.99 effect=0.05");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// A criterion and the smallest change that matters.
    One {
        /// The criterion.
        criterion: Criterion,
        /// Smaller changes never alarm; `None` for the rule as the other tool has it.
        minimum_effect: Option<Tolerance>,
    },
    /// AND.
    All(Vec<Rule>),
    /// OR.
    Any(Vec<Rule>),
}

impl Rule {
    /// Judges a value by the values before.
    pub fn judge(&self, judged: &JudgedValue) -> RuleResult {
        match self {
            Self::One { criterion, minimum_effect } => {
                with_minimum(criterion.judge(judged), *minimum_effect)
            }
            Self::All(rules) => all_of(rules.iter().map(|rule| rule.judge(judged))),
            Self::Any(rules) => any_of(rules.iter().map(|rule| rule.judge(judged)), judged.failing),
        }
    }

    /// Returns the values between which the rule is quiet. `None` if it depends on more than the
    /// value, or is not quiet between two numbers.
    ///
    /// A side that no value can break has no limit. A value on a limit is quiet, but for a limit that the minimum
    /// effect sets: there the change is as large as the minimum effect, and the rule alarms.
    pub fn limits(&self, judged: &JudgedValue) -> Option<Limits> {
        match self {
            Self::One { criterion, minimum_effect } => {
                let limits = criterion.limits(judged)?;
                let Some(least) = minimum_effect else {
                    return Some(limits);
                };
                let baseline = limits.baseline?;
                // A static limit on the far side of the baseline: values beyond it alarm on both
                // sides of the level, so the rule is not quiet between two numbers.
                let is_far = limits.upper.is_some_and(|upper| upper < baseline)
                    || limits.lower.is_some_and(|lower| lower > baseline);
                (!is_far).then(|| at_least_away(limits, least.share() * baseline.abs()))
            }
            Self::All(rules) => {
                let limits = rules.iter().map(|rule| rule.limits(judged));
                limits.reduce(|one, other| Some(beyond_both(one?, other?)))?
            }
            Self::Any(rules) => {
                // A rule without a result is skipped, but not one that depends on more than the
                // value.
                let can_judge =
                    |rule: &&Rule| !matches!(rule.judge(judged), RuleResult::Unjudged(_));
                let limits = rules.iter().filter(can_judge).map(|rule| rule.limits(judged));
                limits.reduce(|one, other| Some(beyond_either(one?, other?)))?
            }
        }
    }
}

impl fmt::Display for Rule {
    /// Formats the rule in one line: rules with the same text give the same results.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |rules: &[Self]| {
            let texts: Vec<String> = rules.iter().map(ToString::to_string).collect();
            texts.join("; ")
        };
        match self {
            Self::One { criterion, minimum_effect: None } => criterion.fmt(f),
            Self::One { criterion, minimum_effect: Some(least) } => {
                // 1.05 and 5% are the same.
                write!(f, "{criterion} effect={}", (least.share() * 1e9).round() / 1e9)
            }
            Self::All(rules) => write!(f, "all({})", joined(rules)),
            Self::Any(rules) => write!(f, "any({})", joined(rules)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thresholds::{
        Boundaries, PastValue, PastValues, SignificanceTest, Threshold, ThresholdTest,
    };
    use perftest_core::model::LimitSide;

    fn share(share: f64) -> Option<Tolerance> {
        Some(Tolerance::new(share).unwrap())
    }

    fn threshold(
        test: ThresholdTest,
        [lower, upper]: [Option<f64>; 2],
        minimum_effect: Option<Tolerance>,
    ) -> Rule {
        let threshold = Threshold::new(test, Boundaries { lower, upper }).unwrap();
        Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect }
    }

    fn fixed(upper: f64) -> Rule {
        threshold(ThresholdTest::Static, [Some(0.0), Some(upper)], None)
    }

    fn change(least: f64) -> Rule {
        Rule::One { criterion: Criterion::Change { newest: 30 }, minimum_effect: share(least) }
    }

    /// Returns a rule that needs more values than this history has.
    fn mute() -> Rule {
        let upper = Boundaries { lower: None, upper: Some(0.99) };
        let threshold = Threshold::new(ThresholdTest::ZScore, upper).unwrap();
        let threshold = threshold.with_sample_sizes(Some(99), None).unwrap();
        Rule::One { criterion: Criterion::Threshold(threshold), minimum_effect: None }
    }

    fn by_ranks(alpha: f64) -> Rule {
        let test = SignificanceTest::MannWhitney;
        let criterion = Criterion::Significance { test, alpha, newest: 30 };
        Rule::One { criterion, minimum_effect: None }
    }

    fn judge(rule: &Rule, value: f64) -> RuleResult {
        rule.judge(&JudgedValue::alone(&PastValues::of(&[100.0; 10]), value))
    }

    fn side_of(finding: &RuleResult) -> Option<LimitSide> {
        match finding {
            RuleResult::Alarm { side, .. } => Some(*side),
            _ => None,
        }
    }

    #[test]
    fn one_of_any_is_enough_and_all_have_to_agree() {
        let rules = vec![fixed(105.0), change(0.1)];
        let (any, all) = (Rule::Any(rules.clone()), Rule::All(rules));
        assert_eq!(side_of(&judge(&any, 106.0)), Some(LimitSide::Upper));
        assert_eq!(judge(&all, 106.0), RuleResult::Quiet);
        assert_eq!(side_of(&judge(&all, 111.0)), Some(LimitSide::Upper));
        assert_eq!(judge(&any, 103.0), RuleResult::Quiet);
    }

    #[test]
    fn everything_that_alarms_is_named() {
        let RuleResult::Alarm { by, baseline, .. } =
            judge(&Rule::Any(vec![fixed(105.0), mute(), change(0.1)]), 120.0)
        else {
            panic!("no alarm");
        };
        assert_eq!(by, ["static lower=0 upper=105", "change max=30"]);
        assert_eq!(baseline, 100.0);
    }

    #[test]
    fn alarms_on_different_sides_do_not_agree() {
        let above = threshold(ThresholdTest::Static, [None, Some(50.0)], None);
        assert_eq!(side_of(&judge(&above, 60.0)), Some(LimitSide::Upper));
        assert_eq!(side_of(&judge(&change(0.1), 60.0)), Some(LimitSide::Lower));
        assert_eq!(judge(&Rule::All(vec![above, change(0.1)]), 60.0), RuleResult::Quiet);
    }

    #[test]
    fn what_cannot_judge_is_passed_over_by_any_and_waited_for_by_all() {
        let (loud, quiet) = (change(0.1), change(0.5));
        let is_unjudged = |rules: Rule| matches!(judge(&rules, 120.0), RuleResult::Unjudged(_));
        assert!(is_unjudged(mute()));
        assert!(is_unjudged(Rule::Any(vec![mute(), mute()])));
        assert!(is_unjudged(Rule::All(vec![loud.clone(), mute()])));
        assert!(is_unjudged(Rule::All(Vec::new())) && is_unjudged(Rule::Any(Vec::new())));
        assert_eq!(judge(&Rule::Any(vec![mute(), quiet.clone()]), 120.0), RuleResult::Quiet);
        assert_eq!(judge(&Rule::All(vec![mute(), quiet]), 120.0), RuleResult::Quiet);
        assert!(side_of(&judge(&Rule::Any(vec![mute(), loud]), 120.0)).is_some());
    }

    #[test]
    fn without_a_history_nothing_is_judged() {
        let none = PastValues::default();
        let judged = JudgedValue::alone(&none, 1.0);
        assert!(matches!(change(0.1).judge(&judged), RuleResult::Unjudged(_)));
        assert_eq!(change(0.1).limits(&judged), None);
    }

    #[test]
    fn every_criterion_finds_a_doubled_value() {
        let value = |run: u32| 100.0 + f64::from(run % 4) + if run < 40 { 0.0 } else { 100.0 };
        let past: PastValues = (0..44_u32)
            .map(|run| PastValue { value: value(run), started_ms: run.into() })
            .collect();
        let before: PastValues = past.values()[..40].iter().copied().collect();
        let significance = |test| Criterion::Significance { test, alpha: 0.01, newest: 10 };
        let first = JudgedValue { now_ms: 44, ..JudgedValue::alone(&before, 204.0) };
        let repeated = JudgedValue { past: &past, repeats: 4, ..first };
        for (criterion, judged) in [
            (significance(SignificanceTest::MannWhitney), repeated),
            (significance(SignificanceTest::Welch), repeated),
            (Criterion::Change { newest: 30 }, first),
        ] {
            let rule = Rule::One { criterion, minimum_effect: share(0.2) };
            assert_eq!(side_of(&rule.judge(&judged)), Some(LimitSide::Upper), "{criterion}");
        }
    }

    #[test]
    fn a_rule_alarms_where_its_limits_are_broken() {
        let percentage =
            |lower, upper| threshold(ThresholdTest::Percentage, [lower, upper], share(0.031));
        let upper = percentage(None, Some(0.02));
        let both = Rule::Any(vec![percentage(Some(0.1), Some(0.07)), mute()]);
        for rule in [
            fixed(105.0),
            fixed(95.0),
            change(0.1),
            upper.clone(),
            both.clone(),
            Rule::Any(vec![fixed(105.0), change(0.1), upper.clone()]),
            Rule::All(vec![change(0.1), both.clone()]),
            Rule::All(vec![upper, both]),
        ] {
            let past = PastValues::of(&[100.0; 10]);
            for value in (0..200_u32).map(|step| 50.5 + 0.5 * f64::from(step)) {
                let judged = JudgedValue::alone(&past, value);
                let limits = rule.limits(&judged).unwrap();
                if limits.lower == Some(value) || limits.upper == Some(value) {
                    continue;
                }
                let broken = limits.broken_by(value);
                assert_eq!(side_of(&rule.judge(&judged)), broken, "{rule} at {value}: {limits:?}");
            }
        }
    }

    #[test]
    fn a_given_limit_is_reported_as_it_is_however_far_the_level_is_from_it() {
        let past = PastValues::of(&[150.0; 10]);
        let judged = JudgedValue::alone(&past, 149.0);
        let limits = fixed(100.0).limits(&judged).unwrap();
        assert_eq!((limits.lower, limits.upper), (Some(0.0), Some(100.0)));
        assert_eq!(side_of(&fixed(100.0).judge(&judged)), limits.broken_by(149.0));
        let Rule::One { criterion, .. } = fixed(100.0) else { panic!("it is one") };
        let ten_percent = Rule::One { criterion, minimum_effect: share(0.1) };
        assert_eq!(ten_percent.limits(&judged), None, "110 and 170 alarm, 149 does not");
    }

    #[test]
    fn a_rule_that_looks_at_more_than_the_value_has_no_limits() {
        let past = PastValues::of(&[100.0; 10]);
        let judged = JudgedValue { repeats: 3, ..JudgedValue::alone(&past, 120.0) };
        for rule in [
            Rule::Any(vec![change(0.1), by_ranks(0.01)]),
            Rule::All(vec![change(0.1), by_ranks(0.01)]),
            Rule::All(vec![change(0.1), mute()]),
            Rule::Any(Vec::new()),
        ] {
            assert_eq!(rule.limits(&judged), None, "{rule}");
        }
    }

    #[test]
    fn the_text_of_a_rule_has_all_that_it_judges_by() {
        let nested = Rule::All(vec![change(0.05), Rule::Any(vec![fixed(5.0), by_ranks(0.01)])]);
        let text = "all(change max=30 effect=0.05; any(static lower=0 upper=5; mann_whitney alpha=0.01 max=30))";
        assert_eq!(nested.to_string(), text);
        assert_ne!(by_ranks(0.01).to_string(), by_ranks(0.05).to_string());
    }
}
