//! One line that says how a test ended and what that rests on.

use super::quantity;
use crate::model::{Evidence, Metric, Reason};

/// What stands behind `ok` or `FAILED`: never a bare tick, always what it rests on.
pub fn verdict_line(evidence: &Evidence, metric: &Metric) -> String {
    let now =
        evidence.now.map_or_else(|| "-".to_owned(), |now| quantity(now.estimate, &metric.unit));
    format!("{now:<11} {}", said(evidence))
}

fn said(evidence: &Evidence) -> String {
    let measured = measured(evidence);
    match evidence.reason {
        Reason::Green => {
            format!("{}  {measured}  {}{}", ratio(evidence), sees(evidence), note(evidence))
        }
        Reason::Improved => {
            format!("{} improved  {measured}  {}", ratio(evidence), sees(evidence))
        }
        Reason::Red => {
            format!("{} slower, at least {}  {measured}", times(evidence), at_least(evidence))
        }
        Reason::Unclear => format!(
            "unclear: {} after {measured}; more time (budget = ..) or a quieter machine would \
             settle it{}",
            ratio(evidence),
            note(evidence)
        ),
        Reason::Unstable => format!(
            "unstable: runs differ too much to judge {:.0} % ({}); sees only {}",
            100.0 * evidence.tolerance.share(),
            ratio(evidence),
            seen(evidence)
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
        Reason::Untrusted => {
            format!("no verdict: the machine was in no state to measure{}", note(evidence))
        }
    }
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

fn sees(evidence: &Evidence) -> String {
    format!("sees {}", seen(evidence))
}

fn seen(evidence: &Evidence) -> String {
    evidence
        .sees
        .map_or_else(|| "nothing yet".to_owned(), |share| format!("+{:.0} %", 100.0 * share))
}

fn note(evidence: &Evidence) -> String {
    if evidence.note.is_empty() { String::new() } else { format!("  ({})", evidence.note) }
}
