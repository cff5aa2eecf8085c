//! CSV with one row a commit, as Otava reads it.

use jiff::Timestamp;
use perftest_core::model::{Run, Sample};
use perftest_core::words::one_line;
use std::collections::BTreeMap;

/// The runs of a series, under its heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CsvColumn {
    pub(crate) heading: String,
    pub(crate) runs: Vec<Run>,
}

/// Orders commits by their times; those without are ordered by their first run.
type CommitKey = (u64, String);

/// A row for each commit, oldest first: its time, the commit, and the median of its runs for each series.
pub(crate) fn csv(columns: &[CsvColumn]) -> String {
    let mut rows: BTreeMap<CommitKey, Vec<Vec<f64>>> = BTreeMap::new();
    let firsts = first_times(columns);
    for (index, column) in columns.iter().enumerate() {
        for run in column.runs.iter().filter(|run| is_of_commit(run)) {
            let (Some(value), Some(time)) = (run.center(), firsts.get(&run.revision.commit)) else {
                continue;
            };
            let key = (*time, run.revision.commit.clone());
            let row = rows.entry(key).or_insert_with(|| vec![Vec::new(); columns.len()]);
            row[index].push(value);
        }
    }
    let headings = columns.iter().map(|column| column.heading.as_str());
    let mut text = line(["time", "commit"].into_iter().chain(headings));
    for ((time_s, commit), values) in &rows {
        let values = values.iter().map(|values| median(values));
        let cells: Vec<String> =
            [time(*time_s), commit.clone()].into_iter().chain(values).collect();
        text.push_str(&line(cells.iter().map(String::as_str)));
    }
    text
}

/// A run of committed code that was measured as any other.
fn is_of_commit(run: &Run) -> bool {
    !run.revision.commit.is_empty() && !run.revision.dirty && run.is_first_try() && run.is_fit()
}

/// The time of each commit in seconds: its own, else that of its first run.
fn first_times(columns: &[CsvColumn]) -> BTreeMap<String, u64> {
    let mut times = BTreeMap::new();
    for run in columns.iter().flat_map(|column| &column.runs).filter(|run| is_of_commit(run)) {
        let own = Some(run.revision.order).filter(|order| *order > 0);
        let time = own.unwrap_or(run.started_ms / 1_000);
        let known = times.entry(run.revision.commit.clone()).or_insert(time);
        *known = time.min(*known);
    }
    times
}

fn median(values: &[f64]) -> String {
    Sample::median_of(values).map_or_else(String::new, |value| value.to_string())
}

fn time(seconds: u64) -> String {
    let moment = i64::try_from(seconds).ok().and_then(|it| Timestamp::from_second(it).ok());
    moment.map_or_else(String::new, |moment| moment.to_string())
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.map(cell).collect::<Vec<_>>().join(",") + "\n"
}

/// Source of the quotes: RFC 4180. Spreadsheets would calculate what begins as a formula.
fn cell(text: &str) -> String {
    let text = one_line(text);
    let formula = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    let text = format!("{formula}{text}");
    if text.contains([',', '"', ';']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
