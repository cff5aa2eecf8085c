//! What `hyperfine --export-json` writes, of hyperfine 1 and 2. Times are seconds.

use super::import_error::{LineProblem, parse_json};
use super::imported_run::{ImportedFile, RunOrigin};
use crate::stats::time_ms;
use perftest_core::model::Metric;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

const WHAT: &str = "what hyperfine --export-json writes";
const NS_PER_S: f64 = 1e9;

#[derive(Deserialize)]
struct Export {
    results: Vec<CommandResult>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    start_time: Option<String>,
}

/// The results of one command, by the keys of hyperfine 1 or 2.
#[derive(Deserialize)]
struct CommandResult {
    command: String,
    name: Option<String>,
    times: Option<Vec<f64>>,
    user: Option<f64>,
    system: Option<f64>,
    #[serde(default)]
    memory_usage_byte: Vec<f64>,
    #[serde(default)]
    exit_codes: Vec<Option<i64>>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    measurements: Option<Vec<CommandMeasurement>>,
}

#[derive(Deserialize)]
struct CommandMeasurement {
    time_wall_clock: Quantity,
    time_user: Option<Quantity>,
    time_system: Option<Quantity>,
    memory_peak_resident: Option<Quantity>,
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
struct Quantity {
    value: f64,
}

pub(super) fn read(text: &str) -> Result<ImportedFile, LineProblem> {
    let Export { results, metadata } = parse_json(text, WHAT)?;
    let started_ms = metadata.start_time.as_deref().and_then(time_ms);
    let origin = RunOrigin { started_ms, ..RunOrigin::default() };
    let names = names(&results)?;
    let mut file = ImportedFile::default();
    for (result, name) in results.iter().zip(&names) {
        let mut add = |metric: &Metric, value: f64, factor: f64| {
            file.add(name, metric, &origin, value * factor, 1);
        };
        let mut failed = result.exit_codes.iter().filter(|code| **code != Some(0)).count();
        match (&result.measurements, &result.times) {
            (Some(measurements), _) => {
                for it in measurements {
                    add(&Metric::wall(), it.time_wall_clock.value, NS_PER_S);
                    let others = [
                        (Metric::user_time(), &it.time_user, NS_PER_S),
                        (Metric::system_time(), &it.time_system, NS_PER_S),
                        (Metric::peak_resident(), &it.memory_peak_resident, 1.0),
                    ];
                    for (metric, quantity, factor) in others {
                        quantity.iter().for_each(|it| add(&metric, it.value, factor));
                    }
                    failed += usize::from(it.exit_code.is_some_and(|code| code != 0));
                }
            }
            (None, Some(times)) => {
                times.iter().for_each(|time| add(&Metric::wall(), *time, NS_PER_S));
                // Means of all runs of the command: hyperfine 1 writes no others.
                let means =
                    [(Metric::user_time(), result.user), (Metric::system_time(), result.system)];
                for (metric, mean) in means {
                    mean.into_iter().for_each(|mean| add(&metric, mean, NS_PER_S));
                }
                let bytes = result.memory_usage_byte.iter();
                bytes.for_each(|bytes| add(&Metric::peak_resident(), *bytes, 1.0));
            }
            (None, None) => {
                return Err(LineProblem::of_file(format!(
                    "`{name}` has no `times`: make the file again with --export-json"
                )));
            }
        }
        if failed > 0 {
            file.notes.push(format!("`{name}` failed in {failed} of its runs"));
        }
    }
    file.refuse_empty("it has no result: `results` is empty")
}

/// The name of each command, with its parameters where several have one name. What else differs, such as `--prepare`,
/// is not in the file.
fn names(results: &[CommandResult]) -> Result<Vec<String>, LineProblem> {
    let plain = |result: &CommandResult| result.name.as_ref().unwrap_or(&result.command).clone();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    results.iter().for_each(|result| *counts.entry(plain(result)).or_default() += 1);
    let name = |result: &CommandResult| {
        let name = plain(result);
        if counts[&name] == 1 {
            return name;
        }
        let parameters = result.parameters.iter().map(|(key, value)| format!("/{key}={value}"));
        name + &parameters.collect::<String>()
    };
    let names: Vec<String> = results.iter().map(name).collect();
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        None => Ok(names),
        Some(name) => Err(LineProblem::of_file(format!(
            "two results are named `{name}`: give each a name with `hyperfine -n NAME`, or rename one in the file"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::imported_run::ImportedRun;

    fn values(text: &str) -> Vec<(String, String, Vec<f64>)> {
        let of = |run: ImportedRun| {
            let values = run.measurements.iter().map(|it| it.value).collect();
            (run.benchmark, run.metric.name, values)
        };
        read(text).unwrap().runs.into_iter().map(of).collect()
    }

    #[test]
    fn seconds_become_nanoseconds_and_every_time_is_a_measurement() {
        let text = r#"{"results": [{"command": "sleep 0.1", "mean": 0.1, "stddev": null, "median": 0.1,
            "user": 0.001, "system": 0.002, "min": 0.1, "max": 0.2, "times": [0.1, 0.25],
            "memory_usage_byte": [1024, 2048], "exit_codes": [0, 1]}]}"#;
        let name = || "sleep 0.1".to_owned();
        assert_eq!(
            values(text),
            [
                (name(), "wall".into(), vec![1e8, 2.5e8]),
                (name(), "user".into(), vec![1e6]),
                (name(), "system".into(), vec![2e6]),
                (name(), "peak_rss".into(), vec![1024.0, 2048.0]),
            ]
        );
        assert_eq!(read(text).unwrap().notes, ["`sleep 0.1` failed in 1 of its runs"]);
    }

    #[test]
    fn the_second_version_has_a_time_and_a_list_of_measurements() {
        let text = r#"{"schema_version": 2, "metadata": {"start_time": "2026-01-03T00:00:00Z"},
            "results": [{"command": "a", "name": "b", "measurements": [
                {"time_wall_clock": {"value": 2.0, "unit": "second"},
                 "time_user": {"value": 1.0, "unit": "second"}, "exit_code": 0}]}]}"#;
        let expected = [
            ("b".to_owned(), "wall".to_owned(), vec![2e9]),
            ("b".into(), "user".into(), vec![1e9]),
        ];
        assert_eq!(values(text), expected);
        let started = read(text).unwrap().runs[0].origin.started_ms;
        assert_eq!(started, Some(1_767_398_400_000));
    }

    #[test]
    fn commands_of_one_name_differ_by_their_parameters() {
        let one = r#"{"command": "x", "times": [1], "parameters": {"n": "1"}}"#;
        let two = r#"{"command": "x", "times": [2], "parameters": {"n": "2"}}"#;
        let names: Vec<String> = values(&format!(r#"{{"results": [{one}, {two}]}}"#))
            .into_iter()
            .map(|(name, ..)| name)
            .collect();
        assert_eq!(names, ["x/n=1", "x/n=2"]);
    }

    #[test]
    fn two_results_of_one_name_are_not_one_run() {
        // As `hyperfine --prepare 'make clean' --prepare true make make` writes them.
        let make = r#"{"command": "make", "times": [1, 2]}"#;
        let problem = read(&format!(r#"{{"results": [{make}, {make}]}}"#)).unwrap_err().problem;
        assert!(problem.starts_with("two results are named `make`: give each"), "{problem}");
    }

    #[test]
    fn a_file_without_times_is_refused_with_the_way_to_make_them() {
        let problem = read(r#"{"results": [{"command": "x", "mean": 1}]}"#).unwrap_err().problem;
        assert!(problem.contains("--export-json"), "{problem}");
        assert!(read(r#"{"results": []}"#).is_err());
        let torn = read("{\"results\": [\n{\"command\": \"x\",").unwrap_err();
        assert!(torn.problem.contains("ends too early") && torn.line == Some(2), "{torn:?}");
    }
}
