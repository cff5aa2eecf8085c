//! The questions of `cargo perftest stats`, one a file: numbers in, words and an object out.

mod bench;
mod bounds;
mod changepoints;
mod compare;
mod comparison;
mod effect;
mod functions;
mod modes;
mod outliers;
mod quantiles;
mod step;
mod summary;
mod threshold;

pub(crate) use bench::bench;
pub(crate) use bounds::bounds;
pub(crate) use changepoints::changepoints;
pub(crate) use compare::compare;
pub(crate) use effect::effect;
pub(crate) use functions::{ratio, shift};
pub(crate) use modes::modes;
pub(crate) use outliers::outliers;
pub(crate) use quantiles::quantiles;
pub(crate) use step::step;
pub(crate) use summary::summary;
pub(crate) use threshold::threshold;

use serde_json::Value;

/// An answer, for people and for programs.
pub(crate) struct StatsOutput {
    pub(crate) text: String,
    pub(crate) json: Value,
}

/// Rows of a label and what it stands for; further rows of the same label go below.
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

/// A change in percent of what was before; nothing where that was 0.
fn format_change(before: f64, after: f64) -> String {
    let percent = 100.0 * (after - before) / before.abs();
    if percent.is_finite() { format!("{percent:+.1}%") } else { String::new() }
}

/// Notes below an answer.
fn noted(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {note}\n")).collect()
}
