//! Bencher Metric Format.

use crate::reading::{SessionRun, SessionView};
use perftest_core::model::Metric;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Measures that Bencher has by itself, and the unit in which they mean the same as a metric of this name.
const OF_BENCHER: [(&str, Option<&str>); 4] = [
    // Of wall time alone.
    ("latency", None),
    ("throughput", Some("ops/s")),
    ("build-time", Some("s")),
    ("file-size", Some("bytes")),
];

/// The values of a session: benchmark, measure, value with its bounds. Of several testbeds the newest run
/// of a benchmark counts, as a report to Bencher is of one testbed.
pub(crate) fn bmf(session: &SessionView) -> String {
    let mut runs: Vec<&SessionRun> = session.runs.iter().collect();
    // A measure has the same name in every session, whatever was slow in it.
    runs.sort_by_key(|it| (&it.run.metric.name, it.run.started_ms));
    let (mut benchmarks, mut owners) = (Map::new(), HashMap::new());
    for it in runs {
        let (benchmark, metric) = (&it.run.benchmark, &it.run.metric);
        let name = measure(metric);
        let numbered = |number| match number {
            1 => name.clone(),
            _ => format!("{name}-{number}"),
        };
        let is_own =
            |name: &String| *owners.entry((benchmark, name.clone())).or_insert(metric) == metric;
        let name = (1..).map(numbered).find(is_own).unwrap_or_default();
        let Some(now) = it.evidence.now.filter(|now| now.estimate.is_finite()) else { continue };
        let mut value = json!({ "value": now.estimate });
        for (key, bound) in [("lower_value", now.lower), ("upper_value", now.upper)] {
            if bound.is_finite() {
                value[key] = bound.into();
            }
        }
        let measures = benchmarks.entry(benchmark.to_string());
        let measures = measures.or_insert_with(|| Value::Object(Map::new()));
        measures[name] = value;
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

/// Bencher's name of a metric: `latency` is its built-in measure, in nanoseconds.
fn measure(metric: &Metric) -> String {
    if *metric == Metric::wall() {
        return "latency".to_owned();
    }
    let name = slug(&metric.name);
    let is_other = |(measure, unit): &(&str, Option<&str>)| {
        *measure == name && *unit != Some(metric.unit.as_str())
    };
    if !OF_BENCHER.iter().any(is_other) {
        return name;
    }
    let with_unit = slug(&format!("{name} {}", metric.unit));
    if with_unit == name { format!("{name}-value") } else { with_unit }
}

/// Lower-case words with hyphens between.
fn slug(text: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_alphanumeric();
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|it| !is_kept(it)).filter(|it| !it.is_empty()).collect();
    if words.is_empty() { "value".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Direction, Interval, Run};
    use perftest_store::conformance::example_run;

    fn of(metric: Metric, value: f64) -> SessionRun {
        let run = Run { metric, ..example_run(0) };
        let mut evidence = run.evidence.clone().unwrap();
        evidence.now = Some(Interval { estimate: value, lower: value, upper: value });
        SessionRun { run, evidence, course: Vec::new(), compared: None }
    }

    fn own(name: &str, unit: &str) -> Metric {
        Metric { name: name.into(), unit: unit.into(), direction: Direction::Lower }
    }

    /// The measures of one benchmark with their values.
    fn measures(runs: Vec<SessionRun>) -> Vec<(String, f64)> {
        let text = bmf(&SessionView { runs, ..SessionView::default() });
        let benchmarks: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let measures = benchmarks.values().next().unwrap().as_object().unwrap();
        measures.iter().map(|(name, it)| (name.clone(), it["value"].as_f64().unwrap())).collect()
    }

    #[test]
    fn a_metric_that_is_named_as_a_measure_of_bencher_has_its_unit_in_its_name() {
        let runs = vec![
            of(Metric::wall(), 57.0),
            of(own("latency", "ms"), 3.5),
            of(own("Build time", "%"), 7.0),
            of(own("file-size", "bytes"), 9.0),
        ];
        let expected =
            [("build-time-value", 7.0), ("file-size", 9.0), ("latency", 57.0), ("latency-ms", 3.5)];
        assert_eq!(measures(runs), expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn two_metrics_of_one_name_in_bencher_are_both_there_in_whatever_order() {
        let (spaced, hyphen) = (own("cache misses", ""), own("cache-misses", ""));
        let runs = vec![of(hyphen.clone(), 2.0), of(spaced.clone(), 1.0)];
        let expected = [("cache-misses".to_owned(), 1.0), ("cache-misses-2".to_owned(), 2.0)];
        assert_eq!(measures(runs.clone()), expected);
        assert_eq!(measures(runs.into_iter().rev().collect()), expected);
        // Of one metric the newest run counts.
        let mut newer = of(spaced.clone(), 3.0);
        newer.run.started_ms += 1;
        let expected = [("cache-misses".to_owned(), 3.0)];
        assert_eq!(measures(vec![newer, of(spaced, 1.0)]), expected);
    }

    #[test]
    fn a_measure_keeps_its_name_in_a_session_where_another_metric_has_no_value() {
        let runs =
            vec![of(own("cache misses", ""), f64::INFINITY), of(own("cache-misses", ""), 2.0)];
        assert_eq!(measures(runs), [("cache-misses-2".to_owned(), 2.0)]);
    }
}
