//! Bencher Metric Format: `{"benchmark": {"measure": {"value": 1.0}}}`.
//!
//! Source: <https://bencher.dev/docs/reference/bencher-metric-format/>. The bounds of a value are no
//! measurements, and each tool has its own: they are left out.

use super::import_error::{LineProblem, parse_json};
use super::imported_run::{ImportedFile, RunOrigin};
use super::unit::{higher, lower};
use perftest_core::model::Metric;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct BmfMetric {
    value: f64,
}

pub(super) fn read(text: &str) -> Result<ImportedFile, LineProblem> {
    let benchmarks: BTreeMap<String, BTreeMap<String, BmfMetric>> =
        parse_json(text, "Bencher Metric Format")?;
    let mut file = ImportedFile::default();
    for (benchmark, measures) in &benchmarks {
        for (measure, BmfMetric { value }) in measures {
            let (metric, factor) = metric_of_measure(measure);
            file.add(benchmark, &metric, &RunOrigin::default(), value * factor, 1);
        }
    }
    file.refuse_empty("it has no benchmark with a value")
}

/// The measures that Bencher has by itself, in its units; others are better when they are lower.
fn metric_of_measure(measure: &str) -> (Metric, f64) {
    match measure {
        "latency" => (Metric::wall(), 1.0),
        "throughput" => (higher("throughput", "ops/s"), 1.0),
        "build-time" => (lower("build-time", "ns"), 1e9),
        "file-size" => (lower("file-size", "bytes"), 1.0),
        other => (lower(other, ""), 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_of_a_benchmark_is_a_metric() {
        let text = r#"{"a/b": {"latency": {"value": 88.0, "lower_value": 87.0, "upper_value": 90},
                               "throughput": {"value": 5.5}, "build-time": {"value": 2.5}}}"#;
        let file = read(text).unwrap();
        let mut values: Vec<(&str, &str, f64)> = Vec::new();
        for run in &file.runs {
            values.push((&run.metric.name, &run.metric.unit, run.measurements[0].value));
        }
        values.sort_by_key(|(name, ..)| *name);
        let expected =
            [("build-time", "ns", 2.5e9), ("throughput", "ops/s", 5.5), ("wall", "ns", 88.0)];
        assert_eq!(values, expected);
        assert_eq!(file.runs[0].test_name(), "a::b");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, part) in [
            ("{\"a\": {\"latency\": {\"value\": 1}", 1, "ends too early"),
            ("{\n\"a\": {\"latency\": {}}}", 2, "missing field `value`"),
            ("{\n\"a\": {\"latency\": 5}}", 2, "not Bencher Metric Format"),
            ("test a ... bench: 1 ns/iter", 1, "no JSON"),
        ] {
            let problem = read(text).unwrap_err();
            assert_eq!(problem.line, Some(line), "{problem:?}");
            assert!(problem.problem.contains(part), "{problem:?}");
        }
        assert!(read("{}").unwrap_err().problem.contains("no benchmark"));
    }
}
