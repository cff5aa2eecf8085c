//! The words of a run, as in `cargo perftest show`.

use crate::reading::{SessionRun, Standing};
use crate::report::{run_report, sparkline};
use perftest_core::words::short_verdict;

/// Returns the whole report: the evidence, the next steps, and the course of the history. Of a comparison
/// with another revision, the answer and the course.
pub(super) fn report_text(it: &SessionRun) -> String {
    let course = ("course", sparkline(&it.course, false));
    if let Some(answer) = &it.compared {
        return format!("{answer}\n  {:<9} {}", course.0, course.1);
    }
    let report = run_report(&it.run, &it.evidence, None, None);
    let lines = report.lines.into_iter().chain([course]);
    let lines: String = lines.map(|(name, text)| format!("\n  {name:<9} {text}")).collect();
    report.headline + &lines
}

/// Returns the finding in a few words.
pub(super) fn what(it: &SessionRun) -> String {
    it.compared.clone().unwrap_or_else(|| short_verdict(&it.evidence, &it.run.metric))
}

/// `3 failed, 1 undecided, 12 passed`; `no test has a verdict` for none.
pub(super) fn counts(counted: impl Fn(Standing) -> usize) -> String {
    let all = [
        (Standing::Failed, "failed"),
        (Standing::Reported, "worse in a test that only reports"),
        (Standing::Undecided, "undecided"),
        (Standing::NoBaseline, "without a baseline"),
        (Standing::Accepted, "accepted"),
        (Standing::Passed, "passed"),
    ];
    let known = all.into_iter().map(|(standing, words)| (counted(standing), words));
    let known: Vec<String> =
        known.filter(|(count, _)| *count > 0).map(|it| format!("{} {}", it.0, it.1)).collect();
    if known.is_empty() { "no test has a verdict".to_owned() } else { known.join(", ") }
}
