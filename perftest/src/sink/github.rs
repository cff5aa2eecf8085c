//! What a job of GitHub Actions gets beside the output: each failed test as an annotation at its line,
//! and the findings as a table in the summary of the step.

use crate::session_totals::{NotableTest, SessionTotals};
use perftest_core::list::IntoList;
use perftest_core::text::Text;
use perftest_core::words::{AnnotationKind, annotation, markdown_text};
use perftest_store::{open_regular, read_regular_text};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// GitHub shows so many annotations of a kind in a step.
const MOST_ANNOTATIONS: usize = 10;
/// Rows that one process adds to the summary.
const MOST_ROWS: usize = 50;
/// GitHub refuses a summary above 1 MiB; others write to it, too.
const LARGEST_SUMMARY: u64 = 512 * 1024;

const HEADINGS: &str = "| performance test | now | finding |\n|---|---:|---|\n";

/// The lines that annotate the failed tests, worst first; empty where none failed.
pub(crate) fn annotations(totals: &SessionTotals) -> String {
    let findings = totals.worst_first();
    let failed: Vec<&&NotableTest> =
        findings.iter().filter(|it| it.has_failed && !it.is_repeated).into_list();
    let shown = failed.iter().take(MOST_ANNOTATIONS);
    let mut lines: Vec<String> = shown
        .map(|it| annotation(AnnotationKind::Error, Some(&it.source), "", &it.line()))
        .into_list();
    if failed.len() > MOST_ANNOTATIONS {
        let more = failed.len() - MOST_ANNOTATIONS;
        let message = format!("{more} more perf tests failed; the log has all of them");
        lines.push(annotation(AnnotationKind::Notice, None, "", &message));
    }
    lines.iter().map(|line| format!("{line}\n")).joined("")
}

/// Adds the findings to the summary of the step. Under a runner with a process a test the rows of all
/// processes are one table.
///
/// # Errors
/// When the file cannot be written. The outcome of a test never depends on that.
pub(crate) fn add_to_summary(totals: &SessionTotals, file: &Path) -> io::Result<()> {
    if fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() > LARGEST_SUMMARY) {
        return Ok(());
    }
    let text = match read_regular_text(file, 2 * LARGEST_SUMMARY) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let Some(added) = table(totals, &text) else { return Ok(()) };
    let mut file = open_regular(file, File::options().append(true).create(true))?;
    file.write_all(added.as_bytes())
}

/// What is to be added behind `before`; `None` without a finding.
fn table(totals: &SessionTotals, before: &str) -> Option<String> {
    let findings = totals.worst_first();
    let new: Vec<&&NotableTest> = findings.iter().filter(|it| !it.is_repeated).into_list();
    if new.is_empty() {
        return None;
    }
    let mut rows = new.iter().take(MOST_ROWS).map(|it| row(it)).joined("");
    if new.len() > MOST_ROWS {
        rows.push_str(&format!("| and {} more | | |\n", new.len() - MOST_ROWS));
    }
    let ours = before.rfind(HEADINGS).map(|start| &before[start..]);
    let goes_on = ours.is_some_and(|table| table.each_line().all(|line| line.starts_with('|')));
    let gap = if before.is_empty() { "" } else { "\n\n" };
    Some(if goes_on { rows } else { format!("{gap}{HEADINGS}{rows}") })
}

fn row(finding: &NotableTest) -> String {
    let mark = if finding.has_failed { "❌" } else { "⚠️" };
    let (name, value) = (markdown_text(&finding.name), markdown_text(&finding.value));
    let what = markdown_text(&finding.what);
    format!("| {mark} <code>{name}</code> | {value} | {what} |\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{TestEnd, TestReport};
    use perftest_core::model::{BenchmarkId, SourcePlace};
    use perftest_store::conformance::scratch;
    use std::time::Duration;

    fn failed(names: impl IntoIterator<Item = String>) -> SessionTotals {
        let mut totals = SessionTotals::default();
        for name in names {
            let end = TestEnd::Failed("1.35x | <b>slower</b>".into());
            let report = TestReport {
                benchmark: BenchmarkId::from_recorded(&name),
                name,
                again: String::new(),
                place: String::new(),
                end,
                spent: Duration::ZERO,
            };
            totals.add(&report, || SourcePlace { file: "tests/perf.rs".into(), line: 37 });
        }
        totals
    }

    #[test]
    fn ten_failed_tests_are_annotated_and_the_others_are_counted() {
        let lines = annotations(&failed((0..13).map(|number| format!("t{number}"))));
        assert_eq!(lines.matches("::error file=tests/perf.rs,line=37::t").count(), 10);
        assert!(lines.ends_with("::notice::3 more perf tests failed; the log has all of them\n"));
        assert_eq!(annotations(&SessionTotals::default()), "");
    }

    #[test]
    fn a_name_injects_nothing() {
        let hostile = "a\n::error::forged|<img>`".to_owned();
        let totals = failed([hostile]);
        assert_eq!(annotations(&totals).lines().count(), 1);
        let table = table(&totals, "").unwrap();
        assert_eq!(table.lines().count(), 3, "{table}");
        assert_eq!(table.lines().last().unwrap().matches('|').count(), 4, "{table}");
        assert!(!table.contains("<img>") && !table.contains("<b>"), "{table}");
    }

    #[test]
    fn the_rows_of_several_processes_are_one_table() {
        let directory = scratch("step-summary");
        let file = directory.join("summary.md");
        for name in ["a", "b"] {
            add_to_summary(&failed([name.to_owned()]), &file).unwrap();
        }
        add_to_summary(&SessionTotals::default(), &file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!((text.matches(HEADINGS).count(), text.lines().count()), (1, 4), "{text}");
        fs::write(&file, text + "\nSomething else\n").unwrap();
        add_to_summary(&failed(["c".to_owned()]), &file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap().matches(HEADINGS).count(), 2);
    }

    #[test]
    fn a_summary_that_is_full_stays_as_it_is_and_what_is_no_file_is_an_error() {
        let directory = scratch("full-summary");
        assert!(add_to_summary(&failed(["a".to_owned()]), &directory).is_err());
        let file = directory.join("summary.md");
        let full = "x".repeat(LARGEST_SUMMARY as usize + 1);
        fs::write(&file, &full).unwrap();
        add_to_summary(&failed(["a".to_owned()]), &file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap().len(), full.len());
    }
}
