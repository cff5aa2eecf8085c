//! A run as JSON.

use super::{center, extend, object_of};
use perftest_core::fields::fields_of_evidence;
use perftest_core::model::{BenchmarkId, Run};
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
        "median": center(run),
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
