//! Markdown, for the summary of a job and for comments.

use super::report_text::{counts, what};
use crate::reading::{SessionRun, SessionView, Standing};
use crate::report::{code, folded_tables};
use crate::series::in_words;
use perftest_core::words::{markdown_text, quantity, quoted};

/// GitHub refuses a summary above 1 MiB; the test binaries write to it, too.
pub(crate) const LARGEST_SUMMARY: usize = 900 * 1024;
/// Letters of a name that are shown.
const LONGEST_NAME: usize = 120;
/// The session in at most `limit` bytes: findings in a table, and below it, folded, what passed. Where
/// there is no room, what passed is cut first.
pub(crate) fn markdown(session: &SessionView, limit: usize) -> String {
    let is_passed = |it: &&SessionRun| it.standing() >= Standing::Accepted;
    let (passed, found): (Vec<&SessionRun>, Vec<&SessionRun>) =
        session.runs.iter().partition(is_passed);
    let sum = counts(|standing| session.count(standing));
    let mut text = format!("### Performance tests: {sum}\n\n{}", of_runs(session));
    let more = more(&found);
    let rows = |of: &[&SessionRun]| of.iter().map(|it| row(it)).collect::<Vec<_>>();
    let headings = ["", "test", " now", " baseline", "verdict", "detects"];
    let room = limit.saturating_sub(text.len() + more.len());
    let name = format!("{} passed", passed.len());
    text += &folded_tables(&headings, &rows(&found), (&name, &rows(&passed)), room);
    text + &more
}

/// The command that shows more of the worst test. A name that is too long to be read is no help.
fn more(found: &[&SessionRun]) -> String {
    let name = found.first().map(|worst| worst.run.benchmark.to_string());
    name.filter(|name| name.chars().count() <= LONGEST_NAME).map_or_else(String::new, |name| {
        format!("\nMore: {}\n", code(&format!("cargo perftest show {}", quoted(&name))))
    })
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

fn row(it: &SessionRun) -> Vec<String> {
    let (run, evidence) = (&it.run, &it.evidence);
    let value = |value: f64| markdown_text(&quantity(value, &run.metric.unit));
    let mark = match it.standing() {
        Standing::Failed => "❌",
        Standing::Reported | Standing::Undecided => "⚠️",
        Standing::NoBaseline => "🆕",
        Standing::Accepted | Standing::Passed => "✅",
    };
    let detects =
        evidence.smallest_detectable.map(|it| format!("from {:.0}%", (100.0 * it).ceil()));
    vec![
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
