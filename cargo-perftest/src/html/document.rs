//! The content of a report.

use super::{OverviewRow, for_script};
use serde_json::Value;

/// A report before it is written.
#[derive(Debug)]
pub(crate) struct ReportDocument {
    pub(crate) project: String,
    /// Version of the tool.
    pub(crate) version: &'static str,
    /// When it was made, milliseconds since the Unix epoch.
    pub(crate) made_ms: u64,
    /// Largest number of runs of a test.
    pub(crate) limit: usize,
    /// One sentence for each file that could not be read.
    pub(crate) problems: Vec<String>,
    /// The histories, in the order of the report.
    pub(crate) entries: Vec<ReportEntry>,
}

/// One history.
#[derive(Debug)]
pub(crate) struct ReportEntry {
    pub(crate) row: OverviewRow,
    /// The data of its own view as the text of a block. Thousands of histories are in one report, and their
    /// runs would not fit into memory.
    pub(crate) data: String,
}

impl ReportEntry {
    pub(crate) fn new(row: OverviewRow, data: &Value) -> Self {
        Self { row, data: for_script(&data.to_string()) }
    }
}

impl ReportDocument {
    /// Sorts by section, the worst first, and within a section by the largest degradation in either direction.
    pub(crate) fn sort(&mut self) {
        let distance = |ReportEntry { row, .. }: &ReportEntry| match (&row.from, row.ratio) {
            // From or to 0 is farther than any ratio.
            (Some(_), _) => f64::INFINITY,
            (None, Some(ratio)) => ratio.estimate.max(f64::MIN_POSITIVE).ln().abs(),
            (None, None) => 0.0,
        };
        self.entries.sort_by(|one, other| {
            let by_section = one.row.section.cmp(&other.row.section);
            by_section.then_with(|| distance(other).total_cmp(&distance(one)))
        });
    }
}
