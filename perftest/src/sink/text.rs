//! The lines of `cargo test`: one a test, or with `-q` one character, and the failures with their evidence at the end.

use super::{Sink, paint::Paint};
use crate::event::{
    Event, FinalSummary, JudgedSeries, MeasuredTest, TestEnd, TestReport, VersusTest,
};
use perftest_core::list::IntoList;
use perftest_core::model::{Outcome, Reason};
use perftest_core::words::{Report, ReportSubject, one_line, report, verdict_line, versus_report};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Warnings that this process has printed.
static WARNINGS: AtomicUsize = AtomicUsize::new(0);

/// Warnings that this process has printed.
pub(crate) fn warnings_so_far() -> usize {
    WARNINGS.load(Ordering::Relaxed)
}

/// One line a test, or one character.
pub(crate) struct TextSink {
    out: Box<dyn Write>,
    paint: Paint,
    is_terse: bool,
    /// What waits for the end of the line that has begun; `None` between the lines.
    held: Option<Vec<Aside>>,
}

/// A line of standard error.
enum Aside {
    Warning(String),
    Remark(String),
}

impl TextSink {
    pub(crate) fn new(out: Box<dyn Write>, paint: Paint) -> Self {
        Self { out, paint, is_terse: false, held: None }
    }

    /// One character a test, as `cargo test -q`.
    pub(crate) fn terse(out: Box<dyn Write>, paint: Paint) -> Self {
        Self { is_terse: true, ..Self::new(out, paint) }
    }

    /// Prints between the lines of tests: on a terminal both streams are one text.
    fn print_aside(&mut self, aside: Aside) {
        match (&mut self.held, aside) {
            (Some(held), aside) => held.push(aside),
            (None, Aside::Warning(text)) => warn(&text, self.paint),
            (None, Aside::Remark(text)) => remark(&text, self.paint),
        }
    }

    /// Prints; a closed pipe fails no test.
    fn print(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl Sink for TextSink {
    fn take(&mut self, event: &Event<'_>) {
        let paint = self.paint;
        match event {
            Event::SuiteStarted { tests, shuffle, machine } => {
                self.print(&headline(*tests, *shuffle, *machine));
            }
            Event::TestStarted { .. } if self.is_terse => {}
            Event::TestStarted { name } => {
                self.print(&format!("test {name} ... "));
                self.held = Some(Vec::new());
            }
            Event::TestEnded(test) if self.is_terse => self.print(&match test.outcome() {
                Outcome::Passed => paint.good("."),
                Outcome::Failed => paint.bad("F"),
                Outcome::Ignored => paint.doubtful("i"),
            }),
            Event::TestEnded(test) => {
                self.print(&format!("{}\n{}", ending(test, paint), beside(test, paint)));
                let held = self.held.take().unwrap_or_default();
                held.into_iter().for_each(|aside| self.print_aside(aside));
            }
            Event::Warning(text) => self.print_aside(Aside::Warning((*text).to_owned())),
            Event::Remark(text) => self.print_aside(Aside::Remark((*text).to_owned())),
            Event::SuiteEnded(summary) => self.print(&closing(summary, paint)),
        }
    }
}

/// `running 3 perf tests (shuffle seed: 7) on local/1a2b3c (2 CPUs)`
fn headline(tests: usize, shuffle: Option<u64>, machine: Option<&str>) -> String {
    let plural = if tests == 1 { "test" } else { "tests" };
    let order = shuffle.map_or_else(String::new, |seed| format!(" (shuffle seed: {seed})"));
    let place = machine.map_or_else(String::new, |machine| format!(" on {machine}"));
    format!("\nrunning {tests} perf {plural}{order}{place}\n")
}

/// Bold on standard error, past every capture.
pub(super) fn warn(text: &str, paint: Paint) {
    WARNINGS.fetch_add(1, Ordering::Relaxed);
    let text = paint.bold(&format!("!! {text}"));
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints dim on standard error, so that standard output has results only.
pub(super) fn remark(text: &str, paint: Paint) {
    let text = paint.dim(&format!("   {text}"));
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Formats the text behind the name of a test.
pub(super) fn ending(test: &TestReport, paint: Paint) -> String {
    let line = test.line();
    match &test.end {
        TestEnd::Ignored(None) => paint.doubtful("ignored"),
        TestEnd::Ignored(Some(_)) => format!("{}, {line}", paint.doubtful("ignored")),
        TestEnd::Smoke(_) => format!("{}      {line}", paint.good("ok")),
        TestEnd::Failed(_) => paint.bad("FAILED"),
        TestEnd::Unjudged(it) => match it.outcome {
            Outcome::Failed => format!("{}  {line}", paint.bad("FAILED")),
            _ => format!("{}      {}", paint.good("ok"), paint.doubtful(&line)),
        },
        TestEnd::Judged(it) => verdict(test.outcome(), it.gravest.evidence.reason, &line, paint),
        TestEnd::Compared(it) => verdict(test.outcome(), it.compared.reason, &line, paint),
    }
}

fn verdict(outcome: Outcome, reason: Reason, line: &str, paint: Paint) -> String {
    match (outcome, reason) {
        (Outcome::Failed, _) => format!("{}  {line}", paint.bad("FAILED")),
        (_, Reason::Green | Reason::Improved) => format!("{}      {line}", paint.good("ok")),
        (_, reason) if reason.outcome() == Outcome::Failed => {
            format!("{}      {}  (report only)", paint.good("ok"), paint.doubtful(line))
        }
        _ => format!("{}      {}", paint.good("ok"), paint.doubtful(line)),
    }
}

/// The other series of a test, one a line.
pub(super) fn beside(test: &TestReport, paint: Paint) -> String {
    let TestEnd::Judged(judged) = &test.end else {
        return String::new();
    };
    let line = |name: &str, text: &str| {
        let name = if name.is_empty() { "the whole" } else { name };
        format!("     {name:<12} {}\n", paint.dim(text))
    };
    let others = judged.others.iter();
    let others = others.map(|it| {
        line(&it.series_kind.name(), &verdict_line(&it.evidence, &it.series_kind, it.work))
    });
    let without_verdict =
        judged.without_verdict.iter().map(|(name, why)| line(name, &format!("no verdict: {why}")));
    others.joined("") + &without_verdict.joined("")
}

/// The report of a failed test, under its name.
pub(crate) fn failure(test: &TestReport) -> String {
    format!("\n---- {} ({})\n{}\n", test.name, test.place, why(test))
}

/// Formats why a test failed, and the next step.
pub(super) fn why(test: &TestReport) -> String {
    match (&test.end, test.hindrance()) {
        (_, Some(hindrance)) => format!(
            "{}\n  next      fix it, or let such tests pass: on_unjudged = \"pass\" in perftest.toml, \
             or PERFTEST_ON_UNJUDGED=pass",
            one_line(&hindrance.obstacle.to_string())
        ),
        (TestEnd::Failed(why), _) => why.clone(),
        (TestEnd::Judged(judged), _) => evidence(test, judged),
        (TestEnd::Compared(it), _) => comparison(test, it),
        (TestEnd::Unjudged(_) | TestEnd::Smoke(_) | TestEnd::Ignored(_), _) => String::new(),
    }
}

/// Formats the evidence of the verdict, and of the failed verdicts on further series.
fn evidence(test: &TestReport, judged: &MeasuredTest) -> String {
    let fails = |it: &&JudgedSeries| it.outcome == Outcome::Failed;
    let others = judged.others.iter().filter(fails);
    let reports = [&judged.gravest].into_iter().chain(others).map(|it| of_series(test, it, judged));
    reports.joined("\n\n")
}

fn of_series(test: &TestReport, series: &JudgedSeries, judged: &MeasuredTest) -> String {
    let benchmark = series.series_kind.benchmark(&test.benchmark);
    let report = report(
        &series.evidence,
        &ReportSubject {
            test: benchmark.as_str(),
            again: Some(&test.again),
            metric: &series.series_kind.metric(),
            environment: &judged.environment,
            testbed: &judged.testbed,
            revision: &judged.revision,
            accepted_for: None,
            functions: None,
        },
    );
    series.prefix() + &in_lines(report)
}

/// Formats the measurements of a comparison.
fn comparison(test: &TestReport, compared: &VersusTest) -> String {
    in_lines(versus_report(&compared.versus(), &test.again, &compared.environment))
}

fn in_lines(report: Report) -> String {
    let lines = report.lines.iter().map(|(name, text)| format!("\n  {name:<9} {text}"));
    report.headline + &lines.joined("")
}

/// Failures with their evidence, and libtest's closing line.
fn closing(summary: &FinalSummary, paint: Paint) -> String {
    let mut text = String::new();
    if !summary.failed.is_empty() {
        text.push_str("\nfailures:\n");
        text.extend(summary.failed.iter().map(failure));
        text.push_str("\nfailures:\n");
        text.extend(summary.failed.iter().map(|test| format!("    {}\n", test.name)));
    }
    let result = if summary.failed.is_empty() { paint.good("ok") } else { paint.bad("FAILED") };
    text.push_str(&format!(
        "\ntest result: {result}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out; \
         finished in {:.2}s\n\n",
        summary.passed,
        summary.failed.len(),
        summary.ignored,
        summary.filtered_out,
        summary.spent.as_secs_f64()
    ));
    if !summary.last_lines.is_empty() {
        text.push_str(&last_lines(&summary.last_lines));
        text.push('\n');
    }
    text
}

/// The last lines of a session, below what a test runner prints.
pub(crate) fn last_lines(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, text)| format!("  {name:<9} {text}\n")).joined("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Color;
    use perftest_core::model::BenchmarkId;
    use std::io::sink;
    use std::time::Duration;

    #[test]
    fn the_first_line_has_the_seed_of_a_random_order() {
        assert_eq!(headline(1, None, None), "\nrunning 1 perf test\n");
        let shuffled = headline(3, Some(7), Some("local/1a2b3c"));
        assert_eq!(shuffled, "\nrunning 3 perf tests (shuffle seed: 7) on local/1a2b3c\n");
    }

    #[test]
    fn no_warning_splits_the_line_of_a_test() {
        let mut text = TextSink::new(Box::new(sink()), Paint::of(Color::Never));
        let before = warnings_so_far();
        text.take(&Event::TestStarted { name: "sort" });
        text.take(&Event::Warning("held"));
        text.take(&Event::Remark("held too"));
        assert_eq!(text.held.as_ref().map(Vec::len), Some(2));
        let report = TestReport {
            name: "sort".into(),
            benchmark: BenchmarkId::from_recorded("sort"),
            again: String::new(),
            place: String::new(),
            end: TestEnd::Ignored(None),
            spent: Duration::ZERO,
        };
        text.take(&Event::TestEnded(&report));
        assert!(text.held.is_none());
        assert!(warnings_so_far() > before, "it was printed behind the line");
    }
}
