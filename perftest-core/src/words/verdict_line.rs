//! One line that says how a test ended and what that rests on.

use super::settled_by::{may_be_over_limit, settled_by};
use super::{plain_quantity, quantity, rare, smallest_seen, throughput, worse};
use crate::model::{Evidence, Metric, Reason, Work};

/// What stands behind `ok` or `FAILED`: never a bare tick, always what it rests on. `work` is what
/// one iteration gets through, where that is known.
pub fn verdict_line(evidence: &Evidence, metric: &Metric, work: Option<Work>) -> String {
    let now =
        evidence.now.map_or_else(|| "-".to_owned(), |now| quantity(now.estimate, &metric.unit));
    let throughput = work.zip(evidence.now).and_then(|(it, now)| throughput(it, now.estimate));
    let throughput = throughput.map_or_else(String::new, |it| format!("{it:<15}  "));
    format!("{now:<11} {throughput}{}", said(evidence, metric))
}

fn said(evidence: &Evidence, metric: &Metric) -> String {
    let (measured, worse) = (measured(evidence), worse(metric));
    match evidence.reason {
        Reason::Green => {
            format!("{}  {measured}  {}{}", ratio(evidence), sees(evidence), note(evidence))
        }
        Reason::Improved => {
            format!(
                "{} improved  {measured}  {}{}",
                ratio(evidence),
                sees(evidence),
                note(evidence)
            )
        }
        Reason::Unaccepted => {
            format!("improved {} and not accepted yet  {measured}", ratio(evidence))
        }
        Reason::Red => {
            let (times, at_least) = (times(evidence), at_least(evidence));
            format!("{times} {worse}, at least {at_least}  {measured}  {}", sees(evidence))
        }
        Reason::OverLimit => {
            let limit = limit(evidence, metric);
            let Evidence { measurements, processes, .. } = evidence;
            format!(
                "over its limit of {limit}  {measurements} measurements in {processes} processes"
            )
        }
        Reason::Unclear if may_be_over_limit(evidence) => format!(
            "unclear: perhaps over its limit of {}  {measured}; {} would settle it{}",
            limit(evidence, metric),
            settled_by(evidence),
            note(evidence)
        ),
        Reason::Unclear => format!(
            "unclear: {} after {measured}; {} would settle it  {}{}",
            ratio(evidence),
            settled_by(evidence),
            sees(evidence),
            note(evidence)
        ),
        Reason::Unstable => format!(
            "unstable: runs differ by {:.0} %, too much to judge {:.0} % ({}); {} would settle it  \
             {}{}",
            100.0 * evidence.noise.unwrap_or_default(),
            100.0 * evidence.tolerance.share(),
            ratio(evidence),
            settled_by(evidence),
            sees(evidence),
            note(evidence)
        ),
        Reason::NoBaseline if !evidence.note.is_empty() => {
            format!("no baseline: {measured}{}", note(evidence))
        }
        Reason::NoBaseline => format!(
            "recorded {} of {}: no baseline yet",
            (evidence.baseline_runs + 1).min(evidence.baseline_needed),
            evidence.baseline_needed
        ),
        Reason::NotAlone => format!(
            "no verdict: {} but other tests ran at the same time; judge it alone: \
             cargo nextest run, or cargo test -- --test-threads=1",
            ratio(evidence)
        ),
        Reason::SameCode => {
            format!("slower, same code: {}  {measured}{}", ratio(evidence), note(evidence))
        }
        Reason::MachineSlower => {
            format!("machine slower: {}  {measured}{}", ratio(evidence), note(evidence))
        }
        Reason::Untrusted => {
            format!("no verdict: the machine was in no state to measure{}", note(evidence))
        }
    }
}

fn limit(evidence: &Evidence, metric: &Metric) -> String {
    plain_quantity(evidence.limit.unwrap_or_default(), &metric.unit)
}

fn ratio(evidence: &Evidence) -> String {
    evidence.degradation.map_or_else(
        || "not compared".to_owned(),
        |it| format!("{:.2}x [{:.2}, {:.2}]", it.estimate, it.lower, it.upper),
    )
}

fn times(evidence: &Evidence) -> String {
    evidence.degradation.map_or_else(String::new, |it| format!("{:.2}x", it.estimate))
}

fn at_least(evidence: &Evidence) -> String {
    evidence.degradation.map_or_else(String::new, |it| format!("{:.2}x", it.lower))
}

fn measured(evidence: &Evidence) -> String {
    let processes = match evidence.processes {
        0 | 1 => String::new(),
        many => format!(" in {many} processes"),
    };
    format!("{} measurements{processes} vs {} runs", evidence.measurements, evidence.baseline_runs)
}

/// What the test can see, and how often it would be wrong: "sees +8 %, false red <0.001 %".
fn sees(evidence: &Evidence) -> String {
    let Some(share) = evidence.sees else {
        return "sees nothing yet".to_owned();
    };
    let rate = evidence
        .false_red_rate
        .map_or_else(String::new, |rate| format!(", false red {}", rare(rate)));
    format!("sees {}{rate}", smallest_seen(share))
}

fn note(evidence: &Evidence) -> String {
    if evidence.note.is_empty() { String::new() } else { format!("  ({})", evidence.note) }
}
