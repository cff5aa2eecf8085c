//! The report on a recorded run.

use perftest_core::model::{Evidence, Run};
use perftest_core::words::{Report, ReportSubject, one_line, report};

/// Names of lines about why a test is slower.
const CAUSE: &str = "cause";
const FUNCTIONS: &str = "functions";

/// Puts the verdict of a run into words. `accepted_for` is the reason of the acceptance that was applied,
/// if it is known.
pub(crate) fn run_report(run: &Run, evidence: &Evidence, accepted_for: Option<&str>) -> Report {
    report(
        evidence,
        &ReportSubject {
            test: run.benchmark.as_str(),
            again: None,
            metric: &run.metric,
            environment: &run.environment,
            testbed: &run.testbed,
            revision: &run.revision,
            accepted_for,
        },
    )
}

/// The same report with the functions that explain the difference, below its cause.
pub(crate) fn with_functions(mut report: Report, functions: Option<&str>) -> Report {
    if let Some(functions) = functions {
        let place = report.lines.iter().take_while(|(name, _)| *name == CAUSE).count();
        report.lines.insert(place, (FUNCTIONS, one_line(functions).into_owned()));
    }
    report
}

/// The lines of a report about why a test is slower, by name: what else changed, and the functions.
pub(crate) fn cause_lines(report: &Report) -> impl Iterator<Item = (&'static str, &str)> {
    let is_cause = |(name, _): &&(&str, String)| [CAUSE, FUNCTIONS].contains(name);
    report.lines.iter().filter(is_cause).map(|(name, text)| (*name, text.as_str()))
}
