//! What a run of tests came to: the worst first, what is fine as one count.

use super::{Histogram, counted, sparkline, width, wrapped, write_line};
use crate::ended_test::{EndedTest, Urgency};
use crate::grouped::grouped;
use anstyle::{AnsiColor, Style};
use perftest_core::words::{one_line, quantity};
use std::io::{self, Write};

/// Columns of the word that a test begins with.
const MARGIN: usize = 16;
/// Most columns of a line where the terminal does not say.
const WIDTH: usize = 100;
/// Values of which a histogram shows more than a sparkline.
const FEWEST_IN_HISTOGRAM: usize = 10;

/// A test of the summary.
#[derive(Debug)]
pub(crate) struct SummarisedTest {
    pub(crate) test: EndedTest,
    /// The values of its newest runs with their unit, this one last; empty where none is recorded.
    pub(crate) course: Vec<f64>,
    pub(crate) unit: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
}

/// Writes the tests, which come the worst first. Those about which there is nothing to do are one
/// count, unless `all` are listed.
pub(crate) fn write_run_summary(
    tests: &[SummarisedTest],
    all: bool,
    ascii: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\n{}", headline(tests, all))?;
    let is_listed = |it: &&SummarisedTest| all || it.test.urgency() != Urgency::Fine;
    let mut listed = tests.iter().filter(is_listed).peekable();
    if listed.peek().is_some() {
        writeln!(out)?;
    }
    let mut has_histogram = false;
    for it in listed {
        write_test(it, ascii, out)?;
        // One picture is enough to see: the worst has it.
        if it.test.urgency() == Urgency::Red && !has_histogram {
            has_histogram = true;
            write_histogram(it, ascii, out)?;
        }
        if let Some(hint) = &it.hint {
            writeln!(out, "{:MARGIN$}{}", "", one_line(hint))?;
        }
    }
    Ok(())
}

/// `9 tests: 1 slower, 1 unclear, 7 green (--all lists every test)`
fn headline(tests: &[SummarisedTest], all: bool) -> String {
    let is_folded = !all && tests.iter().any(|it| it.test.urgency() == Urgency::Fine);
    let more = if is_folded { " (--all lists every test)" } else { "" };
    format!("{}: {}{more}", counted(tests.len(), "test"), counts(tests))
}

/// `1 slower, 1 unclear, 7 green`
pub(super) fn counts(tests: &[SummarisedTest]) -> String {
    let counts: Vec<String> = grouped(tests.iter().map(|it| (it.test.in_words(), it)))
        .iter()
        .map(|(word, such)| format!("{} {word}", such.len()))
        .collect();
    if counts.is_empty() { "no test ran".to_owned() } else { counts.join(", ") }
}

fn write_test(it: &SummarisedTest, ascii: bool, out: &mut dyn Write) -> io::Result<()> {
    let style = style(it.test.urgency());
    let (word, name) = (it.test.in_words(), one_line(it.test.benchmark.as_str()).into_owned());
    writeln!(out, "{style}{word:<MARGIN$}{style:#}{name}")?;
    let outcome = it.test.outcome.as_ref();
    let words = outcome.and_then(|it| it.line.as_deref().or(it.note.as_deref()));
    let room = width().unwrap_or(WIDTH).min(WIDTH).saturating_sub(MARGIN);
    for line in wrapped(words.unwrap_or_default(), room) {
        write_line(out, &format_args!("{:MARGIN$}{line}", ""))?;
    }
    if it.course.len() > 1 {
        let newest = &it.course[it.course.len().saturating_sub(room)..];
        writeln!(out, "{:MARGIN$}{}", "", sparkline(newest, ascii))?;
    }
    Ok(())
}

/// Where the earlier runs are, and below them the present one.
fn write_histogram(it: &SummarisedTest, ascii: bool, out: &mut dyn Write) -> io::Result<()> {
    let Some((now, earlier)) = it.course.split_last() else {
        return Ok(());
    };
    if earlier.len() < FEWEST_IN_HISTOGRAM || width().is_some_and(|it| it < MARGIN + 70) {
        return Ok(());
    }
    let from = it.course.iter().copied().fold(f64::INFINITY, f64::min);
    let to = it.course.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let picture = Histogram { from, to, ascii };
    let ends = picture.ends(&quantity(from, &it.unit), &quantity(to, &it.unit));
    let marks = format!("{} now", picture.marks([*now].into_iter()));
    for line in picture.rows(earlier).into_iter().chain([marks, ends]) {
        writeln!(out, "{:MARGIN$}{line}", "")?;
    }
    Ok(())
}

fn style(urgency: Urgency) -> Style {
    match urgency {
        Urgency::Broken | Urgency::Red => AnsiColor::Red.on_default().bold(),
        Urgency::Unknown | Urgency::Open => AnsiColor::Yellow.on_default().bold(),
        Urgency::Fine => AnsiColor::Green.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Reason;

    fn summarised(name: &str, reason: Reason, course: Vec<f64>) -> SummarisedTest {
        let test = EndedTest::judged(name, Some(reason), Some(1.36));
        let hint = Some(format!("why: cargo perftest show {name}"));
        let hint = hint.filter(|_| test.urgency() == Urgency::Red);
        SummarisedTest { test, course, unit: "ns".to_owned(), hint }
    }

    fn text(tests: &[SummarisedTest], all: bool) -> String {
        let mut out = Vec::new();
        write_run_summary(tests, all, true, &mut out).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn greens_are_one_count_and_a_red_has_its_line_its_course_and_one_hint() {
        let tests = [
            summarised("codec::slow", Reason::Red, vec![10.0, 10.0, 14.0]),
            summarised("codec::open", Reason::Unclear, Vec::new()),
            summarised("codec::fine", Reason::Green, vec![5.0]),
            summarised("codec::good", Reason::Green, vec![5.0]),
        ];
        let folded = text(&tests, false);
        let expected = "\n4 tests: 1 slower, 1 unclear, 2 green (--all lists every test)\n\n\
                        slower          codec::slow\n                \
                        12.04 us 1.39x slower, at least 1.36x\n                __#\n                \
                        why: cargo perftest show codec::slow\n\
                        unclear         codec::open\n                \
                        12.04 us 1.39x slower, at least 1.36x\n";
        assert_eq!(folded, expected);
        let all = text(&tests, true);
        assert!(all.starts_with("\n4 tests: 1 slower, 1 unclear, 2 green\n\nslower "), "{all}");
        assert!(all.contains("\ngreen           codec::fine\n"), "{all}");
    }

    #[test]
    fn an_accepted_test_is_counted_apart_from_the_greens() {
        let accepted = SummarisedTest {
            test: EndedTest::accepted("c"),
            ..summarised("c", Reason::Green, Vec::new())
        };
        let [a, b] = ["a", "b"].map(|name| summarised(name, Reason::Green, Vec::new()));
        let text = text(&[a, b, accepted], false);
        assert_eq!(text, "\n3 tests: 2 green, 1 accepted (--all lists every test)\n");
    }

    #[test]
    fn the_worst_red_shows_where_its_earlier_runs_are_and_where_it_is() {
        let course: Vec<f64> = (0..20).map(|n| 100.0 + f64::from(n % 4)).chain([140.0]).collect();
        let reds = [
            summarised("worst", Reason::Red, course.clone()),
            summarised("less", Reason::Red, course),
        ];
        let text = text(&reds, false);
        assert_eq!(text.matches("^ now\n").count(), 1, "{text}");
        assert!(text.contains("100.0 ns") && text.contains("140.0 ns"), "{text}");
    }

    #[test]
    fn neither_name_nor_output_of_a_test_begins_a_line_of_its_own() {
        let name = "a\n::error::forged\u{1b}[31m\u{202e}";
        let text = text(&[summarised(name, Reason::Red, Vec::new())], false);
        assert!(text.lines().all(|line| !line.starts_with("::")), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }

    #[test]
    fn a_run_that_is_all_green_is_one_line() {
        let text = text(&[summarised("a", Reason::Green, Vec::new())], false);
        assert_eq!(text, "\n1 test: 1 green (--all lists every test)\n");
    }
}
