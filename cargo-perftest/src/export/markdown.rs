//! Markdown, for the summary of a job and for comments.

use super::report_text::{counts, what};
use crate::reading::{SessionRun, SessionView, Standing};
use crate::report::{MarkdownTable, code};
use crate::series::in_words;
use perftest_core::words::{markdown_text, quantity, quoted};

/// Letters of a name that are shown.
const LONGEST_NAME: usize = 120;
/// Room for what stands around the rows.
const FRAME: usize = 1_000;

/// The session in at most `limit` bytes: findings in a table, and below it, folded, what passed. Where
/// there is no room, what passed is cut first.
pub(crate) fn markdown(session: &SessionView, limit: usize) -> String {
    let is_passed = |it: &&SessionRun| it.standing() == Standing::Passed;
    let (passed, found): (Vec<&SessionRun>, Vec<&SessionRun>) =
        session.runs.iter().partition(is_passed);
    let sum = counts(|standing| session.count(standing));
    let mut text = format!("### Performance tests: {sum}\n\n{}", of_runs(session));
    if !found.is_empty() {
        text.push_str(&table(&found, limit.saturating_sub(text.len() + FRAME)));
        text.push('\n');
    }
    let room = limit.saturating_sub(text.len() + FRAME);
    if !passed.is_empty() && room > FRAME {
        let table = table(&passed, room);
        let count = passed.len();
        text.push_str(&format!(
            "<details><summary>{count} passed</summary>\n\n{table}\n</details>\n"
        ));
    }
    if let Some(worst) = found.first() {
        let name = worst.run.benchmark.to_string();
        let name: String = quoted(&name).chars().take(2 * LONGEST_NAME).collect();
        let command = code(&format!("cargo perftest show {name}"));
        text.push_str(&format!("\nMore: {command}\n"));
    }
    text
}

/// Where and of which code the runs are.
fn of_runs(session: &SessionView) -> String {
    let Some(SessionRun { run, .. }) = session.runs.first() else {
        return String::new();
    };
    let commit = match run.revision.commit.get(..9) {
        Some(commit) => format!(", commit {}", markdown_text(commit)),
        None => String::new(),
    };
    let changes = if run.revision.dirty { " with uncommitted changes" } else { "" };
    format!("On {}{commit}{changes}.\n\n", code(&shortened(&run.testbed)))
}

fn table(runs: &[&SessionRun], room: usize) -> String {
    let headings = ["", "test", " now", " baseline", "verdict", "detects"];
    let mut table = MarkdownTable::new(&headings, room);
    runs.iter().for_each(|it| table.push(&row(it)));
    table.finish()
}

fn row(it: &SessionRun) -> [String; 6] {
    let (run, evidence) = (&it.run, &it.evidence);
    let value = |value: f64| markdown_text(&quantity(value, &run.metric.unit));
    let mark = match it.standing() {
        Standing::Failed => "❌",
        Standing::Reported | Standing::Undecided => "⚠️",
        Standing::NoBaseline => "🆕",
        Standing::Passed => "✅",
    };
    let detects =
        evidence.smallest_detectable.map(|it| format!("from {:.0}%", (100.0 * it).ceil()));
    [
        mark.to_owned(),
        code(&shortened(&in_words(&run.benchmark, &run.metric))),
        evidence.now.map_or_else(String::new, |now| value(now.estimate)),
        evidence.before.map_or_else(String::new, |before| value(before.estimate)),
        markdown_text(&what(it)),
        detects.unwrap_or_default(),
    ]
}

/// The beginning and the end of a long name.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let half = LONGEST_NAME / 2;
    let text = |letters: &[char]| letters.iter().collect::<String>();
    format!("{}…{}", text(&letters[..half]), text(&letters[letters.len() - half..]))
}
