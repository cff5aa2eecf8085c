//! CSV with one row a commit, as Otava reads it.

use jiff::Timestamp;
use perftest_core::model::{Run, Sample};
use perftest_core::words::one_line;
use std::collections::BTreeMap;

/// What each commit has of a series, without its runs: a store has more of them than memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CsvColumn {
    commits: BTreeMap<String, CommitValue>,
}

/// The median of the runs of a commit; `None` where they have no value.
#[derive(Debug, Clone, PartialEq)]
struct CommitValue {
    time: CommitTime,
    median: Option<f64>,
}

impl CsvColumn {
    /// Takes the runs that compare: those of commits of this branch, with the configuration of the newest of them.
    /// Takes every branch where the name is empty.
    pub(crate) fn new(runs: &[Run], branch: &str) -> Self {
        let is_of_branch = |run: &&Run| branch.is_empty() || run.revision.branch == branch;
        let taken = || runs.iter().filter(|run| is_of_commit(run)).filter(is_of_branch);
        let present = taken().next_back().map(|newest| &newest.config);
        let mut commits = BTreeMap::<&str, (CommitTime, Vec<f64>)>::new();
        for run in taken().filter(|run| Some(&run.config) == present) {
            let time = commit_time(run);
            let (known, values) =
                commits.entry(&run.revision.commit).or_insert_with(|| (time, Vec::new()));
            *known = time.min(*known);
            values.extend(run.center());
        }
        let value = |(time, values): (CommitTime, Vec<f64>)| CommitValue {
            time,
            median: Sample::median_of(&values),
        };
        let commits = commits.into_iter().map(|(commit, of)| (commit.to_owned(), value(of)));
        Self { commits: commits.collect() }
    }
}

/// Orders commits by their times in seconds, and those of one second by their first runs.
type CommitTime = (u64, u64);

/// The cells of a commit that have a value, each with the number of its column.
#[derive(Debug)]
struct CsvRow {
    time: CommitTime,
    cells: Vec<(usize, f64)>,
}

/// A row for each commit, oldest first: its time, the commit, and the median of its runs for each series.
#[derive(Debug, Default)]
pub(crate) struct CsvTable {
    headings: Vec<String>,
    rows: BTreeMap<String, CsvRow>,
}

impl CsvTable {
    /// Adds the column of a series.
    pub(crate) fn add(&mut self, heading: String, column: CsvColumn) {
        let number = self.headings.len();
        self.headings.push(heading);
        for (commit, CommitValue { time, median }) in column.commits {
            let row = || CsvRow { time, cells: Vec::new() };
            let row = self.rows.entry(commit).or_insert_with(row);
            row.time = time.min(row.time);
            row.cells.extend(median.map(|median| (number, median)));
        }
    }

    pub(crate) fn text(&self) -> String {
        let headings = self.headings.iter().map(String::as_str);
        let mut text = line(["time", "commit"].into_iter().chain(headings));
        let mut rows: Vec<(&String, &CsvRow)> = self.rows.iter().collect();
        rows.retain(|(_, row)| !row.cells.is_empty());
        rows.sort_by_key(|(commit, row)| (row.time, *commit));
        for (commit, row) in rows {
            let mut values = vec![String::new(); self.headings.len()];
            for (column, value) in &row.cells {
                values[*column] = value.to_string();
            }
            let (time_s, _) = row.time;
            let cells = [time(time_s), commit.clone()].into_iter().chain(values);
            text.push_str(&line(cells.collect::<Vec<_>>().iter().map(String::as_str)));
        }
        text
    }
}

/// A run of committed code that was measured as any other.
fn is_of_commit(run: &Run) -> bool {
    !run.revision.commit.is_empty() && !run.revision.dirty && run.is_first_try() && run.is_fit()
}

/// The time of the commit of a run: its own, else that of the run.
fn commit_time(run: &Run) -> CommitTime {
    let own = Some(run.revision.order).filter(|order| *order > 0);
    (own.unwrap_or(run.started_ms / 1_000), run.started_ms)
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
        let mut table = CsvTable::default();
        table.add("t".to_owned(), CsvColumn::new(&runs, branch));
        let text = table.text();
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
