//! A recorded run as a report and as JSON.

use super::{extend, object_of};
use perftest_core::fields::fields_of_evidence;
use perftest_core::model::{BenchmarkId, Evidence, Run};
use perftest_core::words::{Report, ReportSubject, report};
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

/// Puts the verdict of a run into words. `accepted_for` is the reason of the acceptance that was applied,
/// and `functions` are those that explain the difference, as far as they are known.
pub(crate) fn run_report(
    run: &Run,
    evidence: &Evidence,
    accepted_for: Option<&str>,
    functions: Option<&str>,
) -> Report {
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
            functions,
        },
    )
}
