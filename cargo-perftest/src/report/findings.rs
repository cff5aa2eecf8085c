//! Findings on one screen.

use crate::doctor::{Finding, Severity};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

/// Columns of the screen.
const WIDTH: usize = 100;
/// Columns of the severity.
const MARGIN: usize = 9;

/// Writes findings that come the worst first, under a title and a conclusion.
pub(crate) fn write_findings(
    title: &str,
    findings: &[Finding],
    out: &mut dyn Write,
) -> io::Result<()> {
    let worst = findings.first().map_or(Severity::Good, |finding| finding.severity);
    writeln!(out, "{title}")?;
    let style = style(worst);
    writeln!(out, "{style}{}{style:#}", conclusion(findings))?;
    writeln!(out)?;
    let good = findings.partition_point(|finding| finding.severity < Severity::Good);
    let (to_tell, good) = findings.split_at(good);
    to_tell.iter().try_for_each(|finding| write_finding(finding, out))?;
    // What is in order is told in as few lines as it takes.
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

/// The fact, and below it what it does and what to do.
fn write_finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    write_beside(finding.severity, &finding.fact, out)?;
    let (dim, margin) = (Style::new().dimmed(), " ".repeat(MARGIN));
    for line in wrapped(&format!("{} -> {}", finding.effect, finding.advice)) {
        writeln!(out, "{margin}{dim}{line}{dim:#}")?;
    }
    finding.add.iter().try_for_each(|line| writeln!(out, "{margin}    {line}"))
}

/// A text beside its severity.
fn write_beside(severity: Severity, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let (style, mut margin) = (style(severity), severity.name());
    for line in wrapped(text) {
        writeln!(out, "{style}{margin:<MARGIN$}{style:#}{line}")?;
        margin = "";
    }
    Ok(())
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Unfit => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => AnsiColor::Cyan.on_default(),
        Severity::Good => AnsiColor::Green.on_default(),
    }
}

/// A text in lines that fit beside the margin, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH - MARGIN => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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
