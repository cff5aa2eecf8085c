//! The ingest format of Skia Perf, version 1.

use crate::reading::{SessionRun, SessionView};
use perftest_core::model::Direction;
use perftest_core::words::one_line;
use serde_json::{Value, json};

/// The commits of the runs of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Commits<'a> {
    /// Of all.
    One(&'a str),
    /// No run knows its commit, or there is no run.
    Unknown,
    /// A file is of one commit, and the session is not.
    Several,
}

impl<'a> Commits<'a> {
    pub(crate) fn of(session: &'a SessionView) -> Self {
        let mut commits: Vec<&str> =
            session.runs.iter().map(|it| it.run.revision.commit.as_str()).collect();
        commits.retain(|commit| !commit.is_empty());
        commits.dedup();
        match commits.as_slice() {
            [] => Self::Unknown,
            [one] => Self::One(one),
            _ => Self::Several,
        }
    }
}

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
