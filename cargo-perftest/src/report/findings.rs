//! Prints findings on one screen.

use super::{width, wrapped};
use crate::doctor::{Finding, Severity};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

/// Most columns of a line.
const WIDTH: usize = 100;
/// Lines of the screen.
const HEIGHT: usize = 30;
/// Columns of the severity.
const MARGIN: usize = 9;

/// Writes findings, the worst first, under a title and a conclusion. If they fill more than a
/// screen, a note without advice is shortened to its fact.
pub(crate) fn write_findings(
    title: &str,
    findings: &[Finding],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut screen = Vec::new();
    write_screen(title, findings, |_| true, &mut screen)?;
    if screen.iter().filter(|&&byte| byte == b'\n').count() > HEIGHT {
        screen.clear();
        write_screen(title, findings, Finding::asks_for_something, &mut screen)?;
    }
    out.write_all(&screen)
}

fn write_screen(
    title: &str,
    findings: &[Finding],
    has_room: impl Fn(&Finding) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let worst = findings.first().map_or(Severity::Good, |finding| finding.severity);
    writeln!(out, "{title}")?;
    let style = style(worst);
    writeln!(out, "{style}{}{style:#}", conclusion(findings))?;
    writeln!(out)?;
    let good = findings.partition_point(|finding| finding.severity < Severity::Good);
    let (to_tell, good) = findings.split_at(good);
    for finding in to_tell {
        write_beside(finding.severity, &finding.fact, out)?;
        if has_room(finding) {
            write_advice(finding, out)?;
        }
    }
    // Healthy findings share as few lines as possible.
    let facts: Vec<&str> = good.iter().map(|finding| finding.fact.as_str()).collect();
    write_beside(Severity::Good, &facts.join("; "), out)
}

fn conclusion(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
    match (count(Severity::Unfit), count(Severity::Warning)) {
        (0, 0) => "fit for performance tests".into(),
        (0, 1) => "fit for performance tests, with 1 warning".into(),
        (0, warnings) => format!("fit for performance tests, with {warnings} warnings"),
        _ => "unfit for performance tests now".into(),
    }
}

/// Writes the effect of a finding and its advice, below the fact.
fn write_advice(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let (dim, margin) = (Style::new().dimmed(), " ".repeat(MARGIN));
    for line in lines_of(&format!("{} -> {}", finding.effect, finding.advice)) {
        writeln!(out, "{margin}{dim}{line}{dim:#}")?;
    }
    finding.add.iter().try_for_each(|line| writeln!(out, "{margin}    {line}"))
}

/// Writes a text beside its severity.
fn write_beside(severity: Severity, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let (style, mut margin) = (style(severity), severity.name());
    for line in lines_of(text) {
        writeln!(out, "{style}{margin:<MARGIN$}{style:#}{line}")?;
        margin = "";
    }
    Ok(())
}

/// A text in lines that fit beside the margin.
fn lines_of(text: &str) -> Vec<String> {
    wrapped(text, width().unwrap_or(WIDTH).min(WIDTH).saturating_sub(MARGIN))
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Unfit => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => AnsiColor::Cyan.on_default(),
        Severity::Good => AnsiColor::Green.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(findings: &[Finding]) -> String {
        let mut out = Vec::new();
        write_findings("here", findings, &mut out).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn no_line_is_wider_than_the_screen_and_no_word_is_lost() {
        let long = "word ".repeat(60);
        let text = screen(&[Finding::new(Severity::Warning, "x", &long, &long)]);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 120);
    }

    #[test]
    fn beyond_a_screen_a_note_with_nothing_to_do_is_its_fact_alone() {
        let of = |severity| Finding::new(severity, "x", "fact", "effect");
        let note = of(Severity::Note);
        let advised = || note.clone().advise("act");
        let listed = |notes: usize| {
            let mut findings = vec![of(Severity::Warning), advised()];
            findings.resize(2 + notes, note.clone());
            screen(&findings)
        };
        let on_one_screen = listed(11);
        assert_eq!(on_one_screen.lines().count(), 29);
        assert_eq!(on_one_screen.matches("effect").count(), 13);
        let beyond = listed(12);
        assert_eq!(beyond.lines().count(), 19);
        assert_eq!(beyond.matches("fact").count(), 14);
        assert!(beyond.contains("effect -> act"), "{beyond}");
        assert_eq!(beyond.matches("effect").count(), 2, "the warning keeps its effect: {beyond}");
    }

    #[test]
    fn the_conclusion_counts_what_matters() {
        let finding = |severity| Finding::new(severity, "x", "fact", "effect");
        let conclusion = |severities: &[Severity]| {
            let findings: Vec<Finding> = severities.iter().copied().map(finding).collect();
            screen(&findings).lines().nth(1).unwrap().to_owned()
        };
        assert_eq!(conclusion(&[]), "fit for performance tests");
        assert_eq!(conclusion(&[Severity::Note]), "fit for performance tests");
        assert!(conclusion(&[Severity::Warning; 2]).ends_with("with 2 warnings"));
        let unfit = conclusion(&[Severity::Unfit, Severity::Warning]);
        assert_eq!(unfit, "unfit for performance tests now");
    }

    #[test]
    fn what_is_in_order_shares_a_line() {
        let good = |fact: &str| Finding::new(Severity::Good, "x", fact, "effect");
        let text = screen(&[good("one"), good("two")]);
        assert!(text.ends_with("\ngood     one; two\n"), "{text}");
    }

    #[test]
    fn lines_to_add_stand_as_they_are() {
        let finding = Finding::new(Severity::Note, "x", "fact", "effect").advise("add:");
        let text = screen(&[finding.add(vec!["[a]".into(), "b  =  1".into()])]);
        let expected =
            "note     fact\n         effect -> add:\n             [a]\n             b  =  1\n";
        assert!(text.ends_with(expected), "{text}");
    }
}
