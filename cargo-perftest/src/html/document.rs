//! What a report is about.

use super::{OverviewRow, for_script};
use serde_json::Value;

/// A report before it is written.
#[derive(Debug)]
pub(crate) struct ReportDocument {
    pub(crate) project: String,
    /// Of the tool.
    pub(crate) version: &'static str,
    /// When it was made, milliseconds since the Unix epoch.
    pub(crate) made_ms: u64,
    /// Most runs of a test that are in it.
    pub(crate) limit: usize,
    /// What could not be read, a sentence each.
    pub(crate) problems: Vec<String>,
    /// In the order in which they are read.
    pub(crate) entries: Vec<ReportEntry>,
}

/// One history.
#[derive(Debug)]
pub(crate) struct ReportEntry {
    pub(crate) row: OverviewRow,
    /// What its own view shows, as the text of a block: thousands of histories are in one report, and their runs would not
    /// fit into memory.
    pub(crate) data: String,
}

impl ReportEntry {
    pub(crate) fn new(row: OverviewRow, data: &Value) -> Self {
        Self { row, data: for_script(&data.to_string()) }
    }
}

impl ReportDocument {
    /// The worst section first; in it the largest degradation, in either direction.
    pub(crate) fn sort(&mut self) {
        let distance = |entry: &ReportEntry| {
            entry.row.ratio.map_or(0.0, |ratio| ratio.estimate.max(f64::MIN_POSITIVE).ln().abs())
        };
        self.entries.sort_by(|one, other| {
            let by_section = one.row.section().cmp(&other.row.section());
            by_section.then_with(|| distance(other).total_cmp(&distance(one)))
        });
    }
}
