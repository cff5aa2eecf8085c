//! The ingest format of Skia Perf, version 1.

use crate::reading::{SessionRun, SessionView};
use perftest_core::model::Direction;
use perftest_core::words::one_line;
use serde_json::{Value, json};

/// The values of a session of one commit.
pub(crate) fn skia(session: &SessionView, commit: &str) -> String {
    let results: Vec<Value> = session.runs.iter().filter_map(result).collect();
    let file = json!({
        "version": 1,
        "git_hash": commit,
        "key": { "project": key(&session.project) },
        "results": results,
    });
    format!("{file:#}\n")
}

fn result(it: &SessionRun) -> Option<Value> {
    let (run, now) = (&it.run, it.evidence.now?);
    let better = match run.metric.direction {
        Direction::Lower => "down",
        Direction::Higher => "up",
    };
    let statistics = [("median", now.estimate), ("min", now.lower), ("max", now.upper)];
    let statistics = statistics.into_iter().filter(|(_, value)| value.is_finite());
    let statistics: Vec<Value> =
        statistics.map(|(name, value)| json!({ "value": name, "measurement": value })).collect();
    Some(json!({
        "key": {
            "test": key(run.benchmark.as_str()),
            "metric": key(&run.metric.name),
            "unit": key(&run.metric.unit),
            "testbed": key(&run.testbed),
            "improvement_direction": better,
        },
        "measurements": { "stat": statistics },
    }))
}

/// A value of a key: `,` and `=` separate keys in the name of a trace.
fn key(text: &str) -> String {
    one_line(text).replace([',', '='], "_")
}
