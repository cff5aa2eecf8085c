//! Step kinds combined with AND and OR.
//!
//! Definition: a rule is a kind with its threshold, or several rules of which all or any have to fire.
//! The number that is shown is that of the kind with the highest priority among those that fired,
//! and among all where none did. Source: Skia Perf's compound rules (state of August 2026).
//! Behaviour: AND of a size (percent) and a significance (cohen, Mann-Whitney) is what holds false alarms
//! down; a kind that cannot be computed does not fire and shows nothing.

use perftest_analysis::detect::{StepKind, StepStatus};

/// When a trace has a step worth telling.
#[derive(Debug, Clone, PartialEq)]
pub enum StepRule {
    /// The kind reaches the threshold.
    Kind(StepKind, f32),
    /// Every rule fires; none at all never does.
    All(Vec<StepRule>),
    /// At least one rule fires.
    Any(Vec<StepRule>),
}

/// The result of a rule for a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleAnswer {
    /// Whether it fired.
    pub triggered: bool,
    /// The size of the regression that is shown, without its sign.
    pub value: Option<f32>,
    /// Whether each of the rules directly inside fired.
    pub parts: Vec<bool>,
}

/// What one kind found.
struct StepOfKind {
    fired: bool,
    priority: u8,
    value: f32,
}

impl StepRule {
    /// The result of the rule for `values`. No deviation below `min_deviation` divides.
    ///
    /// ```
    /// use perftest_analysis::detect::StepKind;
    /// use perftest_conformance::detect::StepRule;
    /// let size = StepRule::Kind(StepKind::Percent, 0.5);
    /// let clear = StepRule::Kind(StepKind::Cohen, 2.0);
    /// let trace = [10.0, 10.1, 9.9, 12.0, 12.1, 11.9];
    /// let answer = StepRule::All(vec![size, clear]).judge(&trace, 0.001);
    /// assert_eq!((answer.triggered, answer.parts), (false, vec![false, true]));
    /// ```
    pub fn judge(&self, values: &[f32], min_deviation: f32) -> RuleAnswer {
        let mut findings = Vec::new();
        let mut judged = |rule: &Self| rule.fires(values, min_deviation, &mut findings);
        let (triggered, parts) = match self {
            Self::Kind(..) => (judged(self), Vec::new()),
            Self::All(rules) => {
                let parts: Vec<bool> = rules.iter().map(judged).collect();
                (!parts.is_empty() && parts.iter().all(|fired| *fired), parts)
            }
            Self::Any(rules) => {
                let parts: Vec<bool> = rules.iter().map(judged).collect();
                (parts.contains(&true), parts)
            }
        };
        // The first of equals: `max_by_key` would take the last.
        let shown = findings.iter().rev().max_by_key(|finding| (finding.fired, finding.priority));
        RuleAnswer { triggered, value: shown.map(|finding| finding.value), parts }
    }

    fn fires(&self, values: &[f32], min_deviation: f32, findings: &mut Vec<StepOfKind>) -> bool {
        match self {
            Self::Kind(kind, threshold) => {
                let Some(fit) = kind.fit(values, *threshold, min_deviation) else {
                    return false;
                };
                let fired = fit.status != StepStatus::Uninteresting;
                let value = fit.regression.abs();
                findings.push(StepOfKind { fired, priority: priority(*kind), value });
                fired
            }
            // Every rule is asked, whatever the others found: its number may be the one shown.
            Self::All(rules) => {
                let fired = rules.iter().filter(|rule| rule.fires(values, min_deviation, findings));
                fired.count() == rules.len() && !rules.is_empty()
            }
            Self::Any(rules) => {
                let fired = rules.iter().filter(|rule| rule.fires(values, min_deviation, findings));
                fired.count() > 0
            }
        }
    }
}

/// The rank of a kind where several fired: the number of the highest is shown.
fn priority(kind: StepKind) -> u8 {
    match kind {
        StepKind::Original => 1,
        StepKind::MannWhitney => 2,
        StepKind::Absolute | StepKind::Const => 3,
        StepKind::Percent | StepKind::PercentMedian => 4,
        StepKind::Cohen => 5,
        StepKind::Stepiness => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: [f32; 6] = [10.0, 10.1, 9.9, 20.0, 20.1, 19.9];

    fn percent(threshold: f32) -> StepRule {
        StepRule::Kind(StepKind::Percent, threshold)
    }

    fn absolute(threshold: f32) -> StepRule {
        StepRule::Kind(StepKind::Absolute, threshold)
    }

    #[test]
    fn what_fired_is_shown_before_what_has_priority() {
        let rule = StepRule::Any(vec![percent(1.5), absolute(5.0)]);
        let answer = rule.judge(&TRACE, 0.01);
        assert!(answer.triggered);
        assert!((answer.value.unwrap() - 10.0).abs() < 1e-4);
        let both = StepRule::Any(vec![absolute(5.0), percent(0.5)]).judge(&TRACE, 0.01);
        assert!((both.value.unwrap() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn rules_nest() {
        let inner = StepRule::Any(vec![percent(1.5), absolute(5.0)]);
        let answer = StepRule::All(vec![inner, absolute(1.0)]).judge(&TRACE, 0.01);
        assert_eq!((answer.triggered, answer.parts), (true, vec![true, true]));
    }

    #[test]
    fn a_rule_without_rules_and_a_trace_without_values_do_not_fire() {
        assert!(!StepRule::All(Vec::new()).judge(&TRACE, 0.01).triggered);
        assert!(!StepRule::Any(Vec::new()).judge(&TRACE, 0.01).triggered);
        let answer = absolute(0.0).judge(&[], 0.01);
        assert_eq!((answer.triggered, answer.value), (false, None));
    }
}
