//! The report on a recorded run.

use perftest_core::model::{Evidence, Run};
use perftest_core::words::{Report, ReportSubject, one_line, report};

/// Puts the verdict of a run into words.
pub(crate) fn run_report(run: &Run, evidence: &Evidence) -> Report {
    report(
        evidence,
        &ReportSubject {
            test: run.benchmark.as_str(),
            again: None,
            metric: &run.metric,
            environment: &run.environment,
            testbed: &run.testbed,
            revision: &run.revision,
        },
    )
}

/// The same with the functions that explain the difference, below its cause.
pub(crate) fn run_report_with(run: &Run, evidence: &Evidence, functions: Option<&str>) -> Report {
    let mut report = run_report(run, evidence);
    if let Some(functions) = functions {
        let place = report.lines.iter().take_while(|(name, _)| *name == "cause").count();
        report.lines.insert(place, ("functions", one_line(functions).into_owned()));
    }
    report
}
