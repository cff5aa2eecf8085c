//! CSV with one row a commit, as Otava reads it.

use jiff::Timestamp;
use perftest_core::model::{Run, Sample};
use perftest_core::words::one_line;
use std::collections::BTreeMap;

/// The runs of a series, under its heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CsvColumn {
    pub(crate) heading: String,
    runs: Vec<Run>,
}

impl CsvColumn {
    /// Takes the runs that compare: those of commits of this branch, with the configuration of the newest of them.
    /// Takes every branch where the name is empty.
    pub(crate) fn new(heading: String, mut runs: Vec<Run>, branch: &str) -> Self {
        let is_of_branch = |run: &Run| branch.is_empty() || run.revision.branch == branch;
        runs.retain(|run| is_of_commit(run) && is_of_branch(run));
        let present = runs.last().map(|newest| newest.config.clone());
        runs.retain(|run| Some(&run.config) == present.as_ref());
        Self { heading, runs }
    }
}

/// Orders commits by their times in seconds, and those of one second by their first runs.
type CommitTime = (u64, u64);

/// A row for each commit, oldest first: its time, the commit, and the median of its runs for each series.
pub(crate) fn csv(columns: &[CsvColumn]) -> String {
    let mut rows: BTreeMap<(CommitTime, &str), Vec<Vec<f64>>> = BTreeMap::new();
    let times = commit_times(columns);
    for (index, column) in columns.iter().enumerate() {
        for run in &column.runs {
            let commit = run.revision.commit.as_str();
            let (Some(value), Some(time)) = (run.center(), times.get(commit)) else {
                continue;
            };
            let row =
                rows.entry((*time, commit)).or_insert_with(|| vec![Vec::new(); columns.len()]);
            row[index].push(value);
        }
    }
    let headings = columns.iter().map(|column| column.heading.as_str());
    let mut text = line(["time", "commit"].into_iter().chain(headings));
    for (((time_s, _), commit), values) in &rows {
        let values = values.iter().map(|values| median(values));
        let cells: Vec<String> =
            [time(*time_s), (*commit).to_owned()].into_iter().chain(values).collect();
        text.push_str(&line(cells.iter().map(String::as_str)));
    }
    text
}

/// A run of committed code that was measured as any other.
fn is_of_commit(run: &Run) -> bool {
    !run.revision.commit.is_empty() && !run.revision.dirty && run.is_first_try() && run.is_fit()
}

/// The time of each commit: its own, else that of its first run.
fn commit_times(columns: &[CsvColumn]) -> BTreeMap<&str, CommitTime> {
    let mut times = BTreeMap::new();
    for run in columns.iter().flat_map(|column| &column.runs) {
        let own = Some(run.revision.order).filter(|order| *order > 0);
        let time = (own.unwrap_or(run.started_ms / 1_000), run.started_ms);
        let known = times.entry(run.revision.commit.as_str()).or_insert(time);
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

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Measurement;
    use perftest_store::conformance::example_run;

    /// The run of a commit with the time of this commit in seconds.
    fn run(ordinal: u64, commit: &str, order: u64, value: f64) -> Run {
        let mut run = example_run(ordinal);
        run.measurements = vec![Measurement::of_value(value)];
        (run.on_processor_time, run.suspects) = (Vec::new(), Vec::new());
        run.revision.commit = commit.to_owned();
        run.revision.branch = "main".to_owned();
        (run.revision.order, run.revision.dirty) = (order, false);
        run
    }

    /// The commits and values of the rows.
    fn rows(runs: Vec<Run>, branch: &str) -> Vec<String> {
        let text = csv(&[CsvColumn::new("t".to_owned(), runs, branch)]);
        let row = |line: &str| line.split_once(',').map(|(_, row)| row.to_owned());
        text.lines().skip(1).filter_map(row).collect()
    }

    #[test]
    fn commits_of_one_second_keep_the_order_of_the_record() {
        let runs = vec![run(0, "b", 5, 1.0), run(1, "a", 5, 2.0), run(2, "c", 4, 3.0)];
        assert_eq!(rows(runs, ""), ["c,3", "b,1", "a,2"]);
    }

    #[test]
    fn a_column_has_one_branch_and_the_configuration_of_its_newest_run() {
        let mut topic = run(3, "d", 4, 4.0);
        topic.revision.branch = "topic".to_owned();
        let debug = Run { config: "debug".to_owned(), ..run(0, "a", 1, 90.0) };
        let runs = vec![debug, run(1, "b", 2, 2.0), run(2, "c", 3, 3.0), topic];
        assert_eq!(rows(runs.clone(), "main"), ["b,2", "c,3"]);
        assert_eq!(rows(runs, ""), ["b,2", "c,3", "d,4"]);
    }
}
