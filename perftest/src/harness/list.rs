//! `--list`: one line a test on standard output and nothing else.

use super::arguments::{Arguments, Format, Ignored};
use crate::perf_test::PerfTest;
use serde_json::json;

/// The lines that list `tests`. Nextest asks twice at the same time, so making them touches
/// nothing outside.
pub(crate) fn list(tests: &[PerfTest], arguments: &Arguments) -> Vec<String> {
    let listed: Vec<&PerfTest> = tests
        .iter()
        .filter(|test| arguments.selects(&test.listed_name()))
        .filter(|test| arguments.ignored != Ignored::Only || test.ignore.is_some())
        .collect();
    let names = listed.iter().map(|test| format!("{}: test", test.listed_name()));
    match arguments.format {
        Format::Terse => names.collect(),
        Format::Pretty => {
            let count = listed.len();
            let plural = if count == 1 { "test" } else { "tests" };
            // As libtest: no blank line above the count of nothing.
            let gap = (count > 0).then(String::new);
            names.chain(gap).chain([format!("{count} {plural}, 0 benchmarks")]).collect()
        }
        Format::Json => json_lines(&listed),
    }
}

fn json_lines(listed: &[&PerfTest]) -> Vec<String> {
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
        "tests": listed.len(),
        "benchmarks": 0,
        "total": listed.len(),
        "ignored": listed.iter().filter(|test| test.ignore.is_some()).count(),
    });
    [started].into_iter().chain(tests).chain([completed]).map(|line| line.to_string()).collect()
}
