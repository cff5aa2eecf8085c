//! The commands of `cargo perftest stats`, one a file: numbers in, text and a JSON object out.

mod changepoints;
#[cfg(test)]
mod coarse_clock_tests;
mod compare;
mod comparison;
mod printed;
mod quantile_rows;
mod summary;
mod threshold;

pub(crate) use changepoints::changepoints;
pub(crate) use compare::compare;
pub(crate) use printed::compare_printed;
pub(crate) use summary::summary;
pub(crate) use threshold::threshold;

use serde_json::Value;

/// An answer, for people and for programs.
pub(crate) struct StatsOutput {
    pub(crate) text: String,
    pub(crate) json: Value,
}

/// Formats rows with labels; further rows of a label go below it.
fn labelled(rows: &[(&str, Vec<String>)]) -> String {
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (label, lines) in rows {
        let labels = std::iter::once(*label).chain(std::iter::repeat(""));
        for (label, line) in labels.zip(lines) {
            text += &format!("{label:<width$}  {line}\n");
        }
    }
    text
}

/// Formats a change in percent of the value before; empty if that was 0.
fn format_change(before: f64, after: f64) -> String {
    let percent = 100.0 * (after - before) / before.abs();
    if percent.is_finite() { format!("{percent:+.1}%") } else { String::new() }
}

/// Formats notes below an answer.
fn noted(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {note}\n")).collect()
}
