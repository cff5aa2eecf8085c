//! Bencher Metric Format.

use crate::reading::{SessionRun, SessionView};
use perftest_core::model::Metric;
use serde_json::{Map, Value, json};

/// The values of a session: benchmark, measure, value with its bounds. Of several testbeds the newest run
/// of a benchmark counts, as a report to Bencher is of one testbed.
pub(crate) fn bmf(session: &SessionView) -> String {
    let mut runs: Vec<&SessionRun> = session.runs.iter().collect();
    runs.sort_by_key(|it| it.run.started_ms);
    let mut benchmarks = Map::new();
    for it in runs {
        let Some(now) = it.evidence.now.filter(|now| now.estimate.is_finite()) else { continue };
        let mut value = json!({ "value": now.estimate });
        for (key, bound) in [("lower_value", now.lower), ("upper_value", now.upper)] {
            if bound.is_finite() {
                value[key] = bound.into();
            }
        }
        let benchmark = benchmarks.entry(it.run.benchmark.to_string());
        let measures = benchmark.or_insert_with(|| Value::Object(Map::new()));
        measures[measure(&it.run.metric)] = value;
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

/// Bencher's name of a metric: `latency` is its built-in measure, in nanoseconds.
fn measure(metric: &Metric) -> String {
    if *metric == Metric::wall() {
        return "latency".to_owned();
    }
    let is_kept = |letter: char| letter.is_ascii_alphanumeric();
    let name = metric.name.to_lowercase();
    let words: Vec<&str> = name.split(|it| !is_kept(it)).filter(|it| !it.is_empty()).collect();
    if words.is_empty() { "value".to_owned() } else { words.join("-") }
}
