//! A recorded run as a report and as JSON.

use super::{extend, object_of};
use perftest_core::fields::fields_of_evidence;
use perftest_core::model::{BenchmarkId, Evidence, Run};
use perftest_core::words::{Report, ReportSubject, one_line, report};
use serde_json::{Value, json};

/// Returns a run with the evidence of its verdict. `median` is the median of its own process,
/// without the fresh processes of a confirmation.
pub(crate) fn run_as_json(event: &str, run: &Run) -> Value {
    let mut value = json!({
        "event": event,
        "v": 1,
        "id": run.id.as_str(),
        "session": run.session,
        "attempt": run.attempt,
        "benchmark": run.benchmark.as_str(),
        "file": run.source.as_ref().map(|source| &source.file),
        "line": run.source.as_ref().map(|source| source.line),
        "testbed": run.testbed,
        "metric": run.metric.name,
        "unit": run.metric.unit,
        "started_ms": run.started_ms,
        "commit": run.revision.commit,
        "branch": run.revision.branch,
        "dirty": run.revision.dirty,
        "config": run.config,
        "median": run.center(),
        "measurements": run.measurements.len(),
        "counts_for_baseline": run.counts_for_baseline,
        "rule": run.rule,
        "spent_ns": run.spent_ns,
        "tags": run.environment.tags.iter().map(|tag| tag.name()).collect::<Vec<_>>(),
        "marks": run.flags,
        "acceptance": run.acceptance,
        "formerly": run.formerly.as_ref().map(BenchmarkId::as_str),
    });
    if let Some(evidence) = &run.evidence {
        extend(&mut value, Value::Object(object_of(fields_of_evidence(evidence))));
    }
    value
}

/// The marks of the run and its conditions.
pub(crate) fn marks(run: &Run) -> Vec<String> {
    let tags = run.environment.tags.iter().map(|tag| tag.name().to_owned());
    let accepted = run.acceptance.iter().map(|id| format!("accepted:{id}"));
    let formerly = run.formerly.iter().map(|name| format!("formerly:{name}"));
    tags.chain(run.flags.iter().cloned()).chain(accepted).chain(formerly).collect()
}

/// Names of lines about why a test is slower.
const CAUSE: &str = "cause";
const FUNCTIONS: &str = "functions";

/// Puts the verdict of a run into words. `accepted_for` is the reason of the acceptance that was applied,
/// if it is known.
pub(crate) fn run_report(run: &Run, evidence: &Evidence, accepted_for: Option<&str>) -> Report {
    report(
        evidence,
        &ReportSubject {
            test: run.benchmark.as_str(),
            again: None,
            metric: &run.metric,
            environment: &run.environment,
            testbed: &run.testbed,
            revision: &run.revision,
            accepted_for,
        },
    )
}

/// The same report with the functions that explain the difference, below its cause.
pub(crate) fn with_functions(mut report: Report, functions: Option<&str>) -> Report {
    if let Some(functions) = functions {
        let place = report.lines.iter().take_while(|(name, _)| *name == CAUSE).count();
        report.lines.insert(place, (FUNCTIONS, one_line(functions).into_owned()));
    }
    report
}

/// The lines of a report about why a test is slower, by name: what else changed, and the functions.
pub(crate) fn cause_lines(report: &Report) -> impl Iterator<Item = (&'static str, &str)> {
    let is_cause = |(name, _): &&(&str, String)| [CAUSE, FUNCTIONS].contains(name);
    report.lines.iter().filter(is_cause).map(|(name, text)| (*name, text.as_str()))
}
