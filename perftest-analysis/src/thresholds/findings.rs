//! Combines the results of several rules.

use perftest_core::model::RuleResult::{self, Alarm, Quiet, Unjudged};
use perftest_core::model::{LimitSide, Tolerance};

/// A change that misses the minimum effect by this share of it still counts, because 7% of 100 is 7.000000000000001
/// as a product of floating-point numbers. A convention: far above the rounding of one product, 1e-16, and far below
/// any effect.
const ROUNDING: f64 = 1e-12;

/// Makes a result quiet if the change is below the minimum effect.
pub(super) fn with_minimum(finding: RuleResult, minimum_effect: Option<Tolerance>) -> RuleResult {
    let Alarm { value, baseline, .. } = finding else {
        return finding;
    };
    let least = minimum_effect.map_or(0.0, |tolerance| tolerance.share());
    match (value - baseline).abs() >= (1.0 - ROUNDING) * least * baseline.abs() {
        true => finding,
        false => Quiet,
    }
}

/// Returns the first alarm on the failing side, or else the first one, with all alarms on the same side; or else quiet
/// if a rule had a result.
pub(super) fn any_of(
    findings: impl Iterator<Item = RuleResult>,
    failing: Option<LimitSide>,
) -> RuleResult {
    let joined = findings.reduce(|one, other| match (one, other) {
        (Alarm { side, .. }, alarm @ Alarm { side: too, .. })
            if side != too && failing == Some(too) =>
        {
            alarm
        }
        (Alarm { side, value, baseline, by }, Alarm { side: too, by: more, .. }) => {
            let by = if side == too { [by, more].concat() } else { by };
            Alarm { side, value, baseline, by }
        }
        (alarm @ Alarm { .. }, _) | (_, alarm @ Alarm { .. }) => alarm,
        (Unjudged(why), Unjudged(too)) => Unjudged(why + "; " + &too),
        _ => Quiet,
    });
    joined.unwrap_or_else(of_no_rule)
}

/// Returns an alarm if all alarm on the same side; quiet if one is quiet, or else unjudged if one
/// is.
pub(super) fn all_of(findings: impl Iterator<Item = RuleResult>) -> RuleResult {
    let joined = findings.reduce(|one, other| match (one, other) {
        (Alarm { side, value, baseline, by }, Alarm { side: too, by: more, .. }) if side == too => {
            Alarm { side, value, baseline, by: [by, more].concat() }
        }
        (Quiet, _) | (_, Quiet) => Quiet,
        (Unjudged(why), Unjudged(too)) => Unjudged(why + "; " + &too),
        (unjudged @ Unjudged(_), _) | (_, unjudged @ Unjudged(_)) => unjudged,
        (Alarm { .. }, Alarm { .. }) => Quiet,
    });
    joined.unwrap_or_else(of_no_rule)
}

fn of_no_rule() -> RuleResult {
    Unjudged("there is no rule".into())
}
