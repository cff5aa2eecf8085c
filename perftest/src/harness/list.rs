//! `--list`: one line a test on standard output and nothing else.

use super::arguments::{Arguments, ResultFormat};
use super::target::Target;
use crate::perf_test::PerfTest;
use perftest_core::list::IntoList;
use perftest_store::JsonObject;

/// Returns the lines that list `tests`. Nextest lists twice at the same time, so this function
/// changes nothing outside the process.
pub(super) fn list(target: Target, tests: &[PerfTest], arguments: &Arguments) -> Vec<String> {
    let listed: Vec<&PerfTest> = tests.iter().filter(|test| arguments.lists(test)).into_list();
    let kind = match target {
        Target::Test => "test",
        Target::Bench => "benchmark",
    };
    let names = || listed.iter().map(|test| format!("{}: {kind}", test.listed_name())).into_list();
    match arguments.format {
        ResultFormat::Terse => names(),
        ResultFormat::Pretty => {
            let mut lines = names();
            // As in libtest: no blank line above the count if the list is empty.
            if !lines.is_empty() {
                lines.push(String::new());
            }
            let (tests, benchmarks) = target.counts(listed.len());
            let count = format!("{}, {}", counted(tests, "test"), counted(benchmarks, "benchmark"));
            lines.push(count);
            lines
        }
        ResultFormat::Json => json_lines(target, &listed),
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn json_lines(target: Target, listed: &[&PerfTest]) -> Vec<String> {
    let (count, benchmarks) = target.counts(listed.len());
    let event = |event: &str| JsonObject::new().with("type", "suite").with("event", event);
    let mut lines = vec![event("discovery").to_string()];
    for test in listed {
        let mut object = JsonObject::new().with("type", "test").with("event", "discovered");
        object.put("name", test.listed_name());
        object.put("ignore", test.ignore.is_some());
        object.put("ignore_message", test.ignore.unwrap_or_default());
        object.put("source_path", test.place.file);
        object.put("start_line", test.place.line);
        lines.push(object.to_string());
    }
    let mut completed = event("completed");
    completed.put("tests", count);
    completed.put("benchmarks", benchmarks);
    completed.put("total", listed.len());
    completed.put("ignored", listed.iter().count_where(|test| test.ignore.is_some()));
    lines.push(completed.to_string());
    lines
}
