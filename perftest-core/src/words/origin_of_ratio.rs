//! Where the ratio of a red, or of a verdict by pairs, comes from.

use super::ratio::without_ratio;
use crate::model::{Direction, Evidence, Metric, Reason};

/// Explains the ratio where the printed values do not divide to it: each value is the median of one side, and
/// the ratio is the median over pairs or processes.
pub(super) fn origin_of_ratio(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let degradation = evidence.degradation?.estimate;
    let is_explained = match evidence.reason {
        Reason::Red => true,
        // Its ratio is to the history.
        Reason::MachineSlower => false,
        _ => evidence.paired_result.is_some(),
    };
    if !is_explained || without_ratio(evidence, metric).is_some() {
        return None;
    }
    let now = evidence.now?.estimate;
    let (origin, name, other) = match &evidence.paired_result {
        Some(pairs) => ("the median ratio of the pairs", "last good", pairs.now),
        None => ("the median of the processes", "baseline", evidence.before?.estimate),
    };
    let divided = match metric.direction {
        Direction::Lower => now / other,
        Direction::Higher => other / now,
    };
    let (ratio, divided) = (format!("{degradation:.2}x"), format!("{divided:.2}x"));
    (ratio != divided).then(|| format!("{ratio} is {origin}, not `now` divided by `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Policy, Step, StepAnswer, Trial};
    use crate::model::{Baseline, BaselineRule, Interval, Measurement, PairedResult};
    use std::time::Duration;

    fn red(now: f64) -> Evidence {
        let policy = Policy { max_measurements: Some(1), ..Policy::default() };
        let baseline = Baseline::empty(&BaselineRule::default());
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        let measurement = Measurement::of_value(now);
        trial.observe(StepAnswer::Measured(measurement), Duration::ZERO);
        let Step::Done(evidence) = trial.step() else {
            panic!("one measurement was asked for");
        };
        let of = |value| Some(Interval { estimate: value, lower: value, upper: value });
        Evidence {
            reason: Reason::Red,
            degradation: of(1.3),
            before: of(90.0),
            paired_result: Some(PairedResult { now: 100.0, ratio: 1.3, ..PairedResult::default() }),
            ..*evidence
        }
    }

    #[test]
    fn values_that_do_not_divide_to_the_ratio_are_explained() {
        let of = |evidence: &Evidence| origin_of_ratio(evidence, &Metric::wall());
        let expected = "1.30x is the median ratio of the pairs, not `now` divided by `last good`";
        assert_eq!(of(&red(135.0)).as_deref(), Some(expected));
        assert_eq!(of(&red(130.2)), None, "they divide to it");
        let alone = Evidence { paired_result: None, ..red(135.0) };
        let expected = "1.30x is the median of the processes, not `now` divided by `baseline`";
        assert_eq!(of(&alone).as_deref(), Some(expected));
        let unclear = Evidence { reason: Reason::Unclear, ..red(135.0) };
        assert_eq!(of(&unclear), of(&red(135.0)));
        assert_eq!(of(&Evidence { paired_result: None, ..unclear }), None, "of one process");
        let machine_slower = Evidence { reason: Reason::MachineSlower, ..red(135.0) };
        assert_eq!(of(&machine_slower), None);
    }

    #[test]
    fn a_rate_is_divided_the_other_way_round() {
        let rate = Metric { direction: Direction::Higher, ..Metric::wall() };
        assert_eq!(origin_of_ratio(&red(100.0 / 1.3), &rate), None);
        assert!(origin_of_ratio(&red(130.0), &rate).is_some());
    }
}
