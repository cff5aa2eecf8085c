//! What `--benchmark_format=json` of Google Benchmark prints.
//!
//! Source: <https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>. Each
//! repetition is a measurement. Of a file with aggregates alone the median is taken.

use super::import_error::{LineProblem, parse_json};
use super::imported_run::{ImportedFile, RunOrigin, machine_text};
use super::unit::{higher, lower, nanoseconds_in};
use crate::stats::time_ms;
use perftest_core::model::Metric;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const WHAT: &str = "what --benchmark_format=json of Google Benchmark prints";

#[derive(Deserialize)]
struct GoogleReport {
    #[serde(default)]
    context: GoogleContext,
    benchmarks: Vec<Entry>,
}

#[derive(Default, Deserialize)]
struct GoogleContext {
    date: Option<String>,
    #[serde(default)]
    host_name: String,
    num_cpus: Option<u64>,
    library_build_type: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    iterations: Option<u64>,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    bytes_per_second: Option<f64>,
    items_per_second: Option<f64>,
    #[serde(default)]
    error_occurred: bool,
    error_message: Option<String>,
    /// Since version 1.8: it ended itself without a result.
    #[serde(default)]
    skipped: bool,
    skip_message: Option<String>,
    /// Counters of the author's own, and what newer versions add.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// Keys of an entry that are no counters.
const NOT_COUNTERS: [&str; 8] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "rms",
    "cpu_coefficient",
    "real_coefficient",
];

pub(super) fn read(text: &str) -> Result<ImportedFile, LineProblem> {
    let report = parse_json(text, WHAT).or_else(|_| parse_json(&with_numbers_of_json(text), WHAT));
    let GoogleReport { context, benchmarks } = report?;
    let machine = [
        ("host", context.host_name),
        ("cpus", context.num_cpus.map_or(String::new(), |count| count.to_string())),
    ];
    let origin = RunOrigin {
        started_ms: context.date.as_deref().and_then(time_ms),
        machine: machine_text(machine),
        ..RunOrigin::default()
    };
    let mut file = ImportedFile::default();
    if context.library_build_type.as_deref() == Some("debug") {
        file.notes.push("Google Benchmark itself was built without optimisation".into());
    }
    let repeated: BTreeSet<&str> =
        benchmarks.iter().filter(|it| !it.is_aggregate()).map(Entry::name).collect();
    let mut counters = BTreeSet::new();
    for entry in &benchmarks {
        if let Some(note) = entry.without_result() {
            // Each repetition has one.
            if !file.notes.contains(&note) {
                file.notes.push(note);
            }
            continue;
        }
        let is_median = entry.aggregate_name.as_deref() == Some("median");
        if !entry.is_aggregate() || is_median && !repeated.contains(entry.name()) {
            entry.add_to(&mut file, &origin)?;
            counters.extend(entry.counters());
        }
    }
    if !counters.is_empty() {
        let names = counters.into_iter().collect::<Vec<_>>().join(", ");
        file.notes
            .push(format!("counters are left out, because it is unknown what is better: {names}"));
    }
    file.refuse_empty("it has no result: `benchmarks` has neither a repetition nor a median")
}

/// Google Benchmark prints these numbers, which JSON has not: of a counter that is divided by zero, and of the
/// variation of one that is zero. Each is at the end of a line, behind its key.
const NO_JSON_NUMBERS: [&str; 3] = ["\": NaN", "\": Infinity", "\": -Infinity"];

/// The text with `null` for numbers that JSON has not.
fn with_numbers_of_json(text: &str) -> String {
    let finite = |line: &str| {
        let pair = line.trim_end_matches(',');
        match NO_JSON_NUMBERS.iter().find_map(|it| pair.strip_suffix(it)) {
            Some(key) => format!("{key}\": null{}", &line[pair.len()..]),
            None => line.to_owned(),
        }
    };
    text.lines().map(finite).collect::<Vec<_>>().join("\n")
}

impl Entry {
    /// Without what an aggregate adds.
    fn name(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    /// Why it has no result, if it has none.
    fn without_result(&self) -> Option<String> {
        let (what, message) = match (self.error_occurred, self.skipped) {
            (true, _) => ("failed", &self.error_message),
            (false, true) => ("was skipped", &self.skip_message),
            (false, false) => return None,
        };
        let why = message.as_deref().unwrap_or("no message");
        Some(format!("`{}` {what} and is left out: {why}", self.name()))
    }

    fn is_aggregate(&self) -> bool {
        self.run_type.as_deref() == Some("aggregate") || self.aggregate_name.is_some()
    }

    fn counters(&self) -> impl Iterator<Item = &str> {
        let is_number = |value: &Value| value.is_number() || value.is_null();
        let counters = self
            .others
            .iter()
            .filter(move |(key, value)| is_number(value) && !NOT_COUNTERS.contains(&key.as_str()));
        counters.map(|(key, _)| key.as_str())
    }

    fn add_to(&self, file: &mut ImportedFile, origin: &RunOrigin) -> Result<(), LineProblem> {
        let name = self.name();
        let unit = self.time_unit.as_deref().unwrap_or("ns");
        let nanoseconds = nanoseconds_in(unit).ok_or_else(|| {
            LineProblem::of_file(format!("`{name}` has the unit `{unit}`, which is no time"))
        })?;
        let real_time = self.real_time.ok_or_else(|| {
            LineProblem::of_file(format!("`{name}` has no `real_time`: make the file again"))
        })?;
        // Of a median these are the repetitions.
        let iterations = if self.is_aggregate() { None } else { self.iterations };
        let values = [
            (Metric::wall(), Some(real_time), nanoseconds),
            (lower("cpu", "ns"), self.cpu_time, nanoseconds),
            (higher("bytes_per_second", "bytes/s"), self.bytes_per_second, 1.0),
            (higher("items_per_second", "items/s"), self.items_per_second, 1.0),
        ];
        for (metric, value, factor) in values {
            if let Some(value) = value {
                file.add(name, &metric, origin, value * factor, iterations.unwrap_or(1).max(1));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::imported_run::ImportedRun;

    // Written by hand after the user guide of Google Benchmark.
    const CONTEXT: &str = r#""context": {"date": "2026-01-03T00:00:00+00:00", "host_name": "box",
        "executable": "./bench", "num_cpus": 8, "mhz_per_cpu": 3000, "library_build_type": "release"}"#;

    fn wall(text: &str) -> Vec<(String, Vec<f64>)> {
        let runs = read(text).unwrap().runs.into_iter().filter(|run| run.metric.name == "wall");
        let values = |run: ImportedRun| {
            (run.benchmark, run.measurements.iter().map(|it| it.value).collect())
        };
        runs.map(values).collect()
    }

    #[test]
    fn repetitions_are_measurements_and_aggregates_of_them_are_not() {
        let entry = |index: u32, time: f64| {
            format!(
                r#"{{"name": "sum/8", "run_name": "sum/8", "run_type": "iteration", "repetitions": 2,
                     "repetition_index": {index}, "threads": 1, "iterations": 10, "real_time": {time},
                     "cpu_time": 1.5, "time_unit": "us", "hits": 7}}"#
            )
        };
        let median = r#"{"name": "sum/8_median", "run_name": "sum/8", "run_type": "aggregate",
            "aggregate_name": "median", "iterations": 2, "real_time": 9, "cpu_time": 9, "time_unit": "us"}"#;
        let text = format!(
            "{{{CONTEXT}, \"benchmarks\": [{}, {}, {median}]}}",
            entry(0, 2.0),
            entry(1, 3.0)
        );
        assert_eq!(wall(&text), [("sum/8".to_owned(), vec![2000.0, 3000.0])]);
        let file = read(&text).unwrap();
        assert_eq!(file.runs[0].origin.machine, "host=box; cpus=8");
        assert_eq!(file.runs[0].origin.started_ms, Some(1_767_398_400_000));
        assert_eq!(file.runs[0].measurements[0].iterations, 10);
        assert!(file.notes[0].ends_with("hits"), "{:?}", file.notes);
        let alone = format!("{{{CONTEXT}, \"benchmarks\": [{median}]}}");
        assert_eq!(wall(&alone), [("sum/8".to_owned(), vec![9000.0])]);
    }

    #[test]
    fn a_counter_that_is_no_number_is_left_out_by_name() {
        let text = "{\"benchmarks\": [{\r\n  \"name\": \"a\\\": NaN\",\r\n  \"real_time\": 5.0,\r\n\
                    \x20 \"bytes_per_second\": Infinity,\r\n  \"loss\": -Infinity,\r\n  \"share\": NaN\r\n}]}\n";
        assert_eq!(wall(text), [("a\": NaN".to_owned(), vec![5.0])]);
        assert!(read(text).unwrap().notes[0].ends_with(": loss, share"));
        let torn = read(&text.replace("5.0,", "5.0")).unwrap_err();
        assert_eq!(torn.line, Some(4), "{torn:?}");
    }

    #[test]
    fn a_benchmark_that_failed_or_was_skipped_is_left_out_by_name() {
        let text = r#"{"benchmarks": [
            {"name": "a", "error_occurred": true, "error_message": "no file"},
            {"name": "c", "skipped": true, "skip_message": "no disk", "iterations": 0,
             "real_time": 0, "cpu_time": 0, "time_unit": "ns"},
            {"name": "b", "real_time": 5, "cpu_time": 5, "time_unit": "ns", "iterations": 1}]}"#;
        assert_eq!(wall(text), [("b".to_owned(), vec![5.0])]);
        let notes =
            ["`a` failed and is left out: no file", "`c` was skipped and is left out: no disk"];
        assert_eq!(read(text).unwrap().notes, notes);
        let unit = r#"{"benchmarks": [{"name": "b", "real_time": 5, "time_unit": "laps"}]}"#;
        assert!(read(unit).unwrap_err().problem.contains("`laps`"));
        assert!(read(r#"{"benchmarks": []}"#).is_err());
    }
}
