//! `--list`: one line a test on standard output and nothing else.

use super::arguments::{Arguments, IgnoredTests, ResultFormat};
use super::target::Target;
use crate::perf_test::PerfTest;
use serde_json::json;

/// Returns the lines that list `tests`. Nextest lists twice at the same time, so this function
/// changes nothing outside the process.
pub(super) fn list(target: Target, tests: &[PerfTest], arguments: &Arguments) -> Vec<String> {
    let listed: Vec<&PerfTest> = tests
        .iter()
        .filter(|test| arguments.selects(&test.listed_name()))
        .filter(|test| arguments.ignored != IgnoredTests::Only || test.ignore.is_some())
        .collect();
    let kind = match target {
        Target::Test => "test",
        Target::Bench => "benchmark",
    };
    let names = listed.iter().map(|test| format!("{}: {kind}", test.listed_name()));
    match arguments.format {
        ResultFormat::Terse => names.collect(),
        ResultFormat::Pretty => {
            // As in libtest: no blank line above the count if the list is empty.
            let gap = (!listed.is_empty()).then(String::new);
            let (tests, benchmarks) = target.counts(listed.len());
            let count = format!("{}, {}", counted(tests, "test"), counted(benchmarks, "benchmark"));
            names.chain(gap).chain([count]).collect()
        }
        ResultFormat::Json => json_lines(target, &listed),
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn json_lines(target: Target, listed: &[&PerfTest]) -> Vec<String> {
    let (count, benchmarks) = target.counts(listed.len());
    let started = json!({ "type": "suite", "event": "discovery" });
    let tests = listed.iter().map(|test| {
        json!({
            "type": "test",
            "event": "discovered",
            "name": test.listed_name(),
            "ignore": test.ignore.is_some(),
            "ignore_message": test.ignore.unwrap_or_default(),
            "source_path": test.file,
            "start_line": test.line,
        })
    });
    let completed = json!({
        "type": "suite",
        "event": "completed",
        "tests": count,
        "benchmarks": benchmarks,
        "total": listed.len(),
        "ignored": listed.iter().filter(|test| test.ignore.is_some()).count(),
    });
    [started].into_iter().chain(tests).chain([completed]).map(|line| line.to_string()).collect()
}
