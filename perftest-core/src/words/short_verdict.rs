//! A verdict in a few words, for places with room for one sentence.

use super::ratio::{by_how_much, ratio, ratio_to_history, same_code};
use super::{not_alone, plain_quantity, quantity};
use crate::model::{Evidence, Metric, Reason};

/// The finding for a body that is too short to be measured.
pub(super) const NOT_MEASURABLE: &str =
    "not measurable: the body adds less than 1 ns to an empty loop";

/// Returns the finding of a verdict, without its evidence.
///
/// ```text
/// 1.35x slower, at least 1.28x
/// ```
pub fn short_verdict(evidence: &Evidence, metric: &Metric) -> String {
    let ratio = ratio(evidence, metric).unwrap_or_else(|| "not compared".to_owned());
    match evidence.reason {
        Reason::Green if evidence.is_accepted() => format!("accepted: {ratio}"),
        Reason::Green | Reason::Improved => ratio,
        Reason::Unaccepted => format!("improved {ratio} and not accepted yet"),
        Reason::Red => by_how_much(evidence, metric),
        Reason::OverLimit => {
            let limit = plain_quantity(evidence.limit.unwrap_or_default(), &metric.unit);
            let now = evidence.now.map(|now| quantity(now.estimate, &metric.unit));
            format!("over its limit of {limit}: {}", now.unwrap_or_default())
        }
        Reason::Unclear => format!("unclear: {ratio}"),
        Reason::Unstable => format!("unstable: {ratio}"),
        Reason::NoBaseline => format!(
            "no baseline yet: {} of {} comparable runs before this one",
            evidence.baseline_runs, evidence.baseline_needed
        ),
        Reason::NotMeasurable => NOT_MEASURABLE.to_owned(),
        Reason::NotAlone => format!("no verdict: {}", not_alone(&evidence.notes)),
        Reason::Untrusted => "no verdict: the machine was in no state to measure".to_owned(),
        Reason::SameCode => same_code(evidence, metric),
        Reason::MachineSlower => {
            let ratio = ratio_to_history(evidence, metric).unwrap_or(ratio);
            match evidence.paired_result.as_ref().filter(|_| evidence.is_accepted()) {
                Some(pairs) => {
                    format!(
                        "machine slower: {ratio}, of which the code is {:.2}x and accepted",
                        pairs.ratio
                    )
                }
                None => format!("machine slower: {ratio}, but not by the code"),
            }
        }
    }
}
