//! What `go test -bench` and libtest's `cargo bench` print, as `stats compare` reads it, too.
//!
//! All values of one benchmark in a file are measurements of one run. Where lines of Go name a `commit`
//! before them, each commit has a run of its own.

use super::import_error::LineProblem;
use super::imported_run::{ImportedFile, RunOrigin, machine_text};
use super::unit::{BenchmarkUnits, lower};
use crate::stats::{PrintedBy, PrintedValue, Printout, printout, time_ms};
use perftest_core::model::Metric;

/// The units in which Go and libtest print the time of an iteration.
const TIMES_OF_ITERATIONS: [&str; 2] = ["ns/op", "ns/iter"];

pub(super) fn read_go(text: &str) -> Result<ImportedFile, LineProblem> {
    read(text, PrintedBy::Go, "`BenchmarkName-8  100  123.4 ns/op`, as `go test -bench` prints it")
}

pub(super) fn read_libtest(text: &str) -> Result<ImportedFile, LineProblem> {
    read(
        text,
        PrintedBy::Libtest,
        "`test name ... bench:  1,234 ns/iter (+/- 56)`, as `cargo +nightly bench` prints it",
    )
}

fn read(text: &str, by: PrintedBy, line: &str) -> Result<ImportedFile, LineProblem> {
    let Printout { values, better, left_out, .. } =
        printout(text).map_err(|error| LineProblem::at(error.line, error.problem))?;
    let values: Vec<&PrintedValue> = values.iter().filter(|value| value.by == by).collect();
    let units = BenchmarkUnits::of(values.iter().map(|value| (name(value), value.unit.clone())));
    let mut file = ImportedFile::default();
    for value in values {
        let benchmark = name(value);
        let (mut metric, factor) = metric_of(&benchmark, &value.unit, &units);
        if let Some(direction) = better.get(&value.unit) {
            metric.direction = *direction;
        }
        let iterations = value.iterations.max(1);
        file.add(&benchmark, &metric, &origin(value), value.value * factor, iterations);
    }
    if left_out > 0 {
        file.notes.push(format!("lines that begin as a benchmark does and are none: {left_out}"));
    }
    file.refuse_empty(format!("no line is {line}"))
}

/// The metric of a unit of a benchmark, and the factor of its values. A unit of time but that of an iteration is of a number that the
/// author reports beside it.
fn metric_of(benchmark: &str, unit: &str, units: &BenchmarkUnits) -> (Metric, f64) {
    match units.metric_of(benchmark, unit) {
        (metric, _) if metric == Metric::wall() && !TIMES_OF_ITERATIONS.contains(&unit) => {
            (lower(unit, unit), 1.0)
        }
        known => known,
    }
}

fn name(value: &PrintedValue) -> String {
    match value.key("pkg") {
        "" => value.benchmark.clone(),
        package => format!("{package}/{}", value.benchmark),
    }
}

fn origin(value: &PrintedValue) -> RunOrigin {
    let commit = value.key("commit");
    let machine = ["goos", "goarch", "cpu"].map(|key| (key, value.key(key).to_owned()));
    RunOrigin {
        started_ms: time_ms(value.key("commit-time")).or_else(|| time_ms(value.key("date"))),
        commit: (!commit.is_empty()).then(|| commit.to_owned()),
        machine: machine_text(machine),
        ..RunOrigin::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Direction, Measurement};

    #[test]
    fn a_time_that_the_author_reports_is_a_metric_of_its_own() {
        let runs = read_go("BenchmarkX-8 100 12000 ns/op 35 ms 2 ms/op\n").unwrap().runs;
        let values: Vec<(&str, f64)> =
            runs.iter().map(|run| (run.metric.name.as_str(), run.measurements[0].value)).collect();
        assert_eq!(values, [("wall", 12_000.0), ("ms", 35.0), ("ms/op", 2.0)]);
    }

    #[test]
    fn two_units_of_one_benchmark_are_two_metrics() {
        let text = "BenchmarkX 100 9 ns/op 7 misses/op 70 misses 3 allocs/op 90 allocs\n\
                    BenchmarkX 100 9 ns/op 71 misses 8 misses/op\n\
                    BenchmarkY 100 9 ns/op 5 misses/op\n";
        let runs = read_go(text).unwrap().runs;
        let metrics: Vec<(&str, &str, Vec<f64>)> = runs
            .iter()
            .map(|run| {
                let values = run.measurements.iter().map(|it| it.value).collect();
                (run.benchmark.as_str(), run.metric.name.as_str(), values)
            })
            .collect();
        assert_eq!(
            metrics,
            [
                ("X", "wall", vec![9.0, 9.0]),
                ("X", "misses/op", vec![7.0, 8.0]),
                ("X", "misses", vec![70.0, 71.0]),
                ("X", "allocs/op", vec![3.0]),
                ("X", "allocs", vec![90.0]),
                ("Y", "wall", vec![9.0]),
                ("Y", "misses", vec![5.0]),
            ]
        );
    }

    #[test]
    fn repetitions_of_go_are_measurements_of_one_run_and_units_are_metrics() {
        let text = "goos: linux\ncpu: X\npkg: a/b\nBenchmarkFib/n=1-8 500 3.25 ns/op 16 B/op\n\
                    BenchmarkFib/n=1-8 400 3.5 ns/op 16 B/op\nUnit hits/s better=lower\n\
                    BenchmarkFib/n=1-8 1 7 hits/s\n";
        let runs = read_go(text).unwrap().runs;
        assert_eq!(runs[0].test_name(), "a::b::Fib::n=1-8");
        let wall: Vec<(f64, u64)> =
            runs[0].measurements.iter().map(|it| (it.value, it.iterations)).collect();
        assert_eq!(wall, [(3.25, 500), (3.5, 400)]);
        assert_eq!((runs.len(), runs[1].metric.name.as_str()), (3, "alloc_bytes"));
        assert_eq!(runs[2].metric.direction, Direction::Lower);
        assert_eq!(runs[0].origin.machine, "goos=linux; cpu=X");
    }

    #[test]
    fn each_commit_of_go_has_a_run_of_its_own() {
        let text = "commit: abc\ncommit-time: 2026-01-03T00:00:00Z\nBenchmarkA 1 5 ns/op\n\
                    commit: def\ncommit-time: 2026-01-04T00:00:00Z\nBenchmarkA 1 6 ns/op\n";
        let runs = read_go(text).unwrap().runs;
        let commits: Vec<Option<&str>> =
            runs.iter().map(|run| run.origin.commit.as_deref()).collect();
        assert_eq!(commits, [Some("abc"), Some("def")]);
        assert_eq!(runs[1].origin.started_ms, Some(1_767_484_800_000));
    }

    #[test]
    fn lines_of_libtest_become_nanoseconds_and_throughput() {
        let text = "test a::b ... bench:   1,234.5 ns/iter (+/- 7) = 83 MB/s\n";
        let runs = read_libtest(text).unwrap().runs;
        assert_eq!(runs[0].measurements, [Measurement::of_value(1234.5)]);
        assert_eq!(
            (runs[1].metric.name.as_str(), runs[1].metric.direction),
            ("throughput", Direction::Higher)
        );
        assert!(read_go(text).unwrap_err().problem.contains("go test -bench"));
        let torn = read_libtest("\ntest a ... bench: 12").unwrap_err();
        assert_eq!(torn.line, Some(2));
    }
}
