//! The metrics of a test that are listed: those of its newest execution, and those of imported runs.

use crate::format::{Fields, LineError, check_version, decode_metric};
use crate::keep_reading::{KeepReading, flags, is_fresh_process, is_run};
use crate::{Series, Testbeds};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Run};
use perftest_core::order::sort_by;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Records that are read without a further metric before the imported ones of a file count as found. A convention: as
/// many as `changepoints` reads.
const MOST_WITHOUT_FURTHER: usize = 1_000;

/// The series of one file that are listed.
///
/// A test measures all its metrics in each execution: one that the newest execution lacks was given up. Imported runs
/// of one benchmark are of several files, each with some metrics, and each metric counts.
#[derive(Default)]
pub(crate) struct ListedMetrics {
    /// The newest first.
    found: Vec<ListedSeries>,
    /// The newest id of a run that was not imported: ids follow each other in time.
    execution: Option<String>,
    /// Most runs of other executions between two series of one.
    most_others: usize,
    /// Runs of other executions since its last line.
    others: usize,
    /// Whether the newest run is imported.
    pub(crate) has_imports: bool,
    /// Lines since the last further metric.
    without_further: usize,
}

/// A series, and its newest run.
struct ListedSeries {
    series: Series,
    id: String,
    started_ms: u64,
    is_imported: bool,
}

impl ListedSeries {
    /// Returns whether this is the metric of another one whose run is newer, in whatever unit.
    fn is_replaced_by(&self, newer: &Self) -> bool {
        self.series == newer.series
            || self.id != newer.id && place(&self.series) == place(&newer.series)
    }
}

impl ListedMetrics {
    /// Looks for the series of an execution among at most so many runs of others in a row.
    pub(crate) fn among(most_others: usize) -> Self {
        Self { most_others, ..Self::default() }
    }

    /// Reads the next older line of an execution. Ends at an imported run.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        let Some(series) = listed_series(fields)? else { return Ok(ControlFlow::Continue(())) };
        if series.is_imported {
            self.has_imports = self.execution.is_none();
            return Ok(ControlFlow::Break(()));
        }
        if self.is_of_other_execution(&series) {
            return Ok(self.pass_other());
        }
        self.others = 0;
        self.add(series);
        Ok(ControlFlow::Continue(()))
    }

    /// Reads the next older line of a file with imported runs. Takes the newest run of each of their metrics, and the
    /// newest execution.
    pub(crate) fn take_line_of_imports(&mut self, line: &[u8]) -> KeepReading {
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        self.without_further += 1;
        if let Some(series) = listed_series(fields)?
            && (series.is_imported || !self.is_of_other_execution(&series))
        {
            self.add(series);
        }
        let is_done = self.without_further > MOST_WITHOUT_FURTHER;
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The first execution is the newest.
    fn is_of_other_execution(&mut self, series: &ListedSeries) -> bool {
        *self.execution.get_or_insert_with(|| series.id.clone()) != series.id
    }

    fn add(&mut self, series: ListedSeries) {
        if !self.found.iter().any(|newer| series.is_replaced_by(newer)) {
            self.found.push(series);
            self.without_further = 0;
        }
    }

    fn pass_other(&mut self) -> ControlFlow<()> {
        self.others += 1;
        if self.others > self.most_others {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Keeps only these series.
    pub(crate) fn retain(&mut self, is_kept: &dyn Fn(&Series) -> bool) {
        self.found.retain(|it| is_kept(&it.series));
    }
}

/// Returns the series of a line; `None` for a fresh process, as those lie between the series of their execution, and
/// for other records.
fn listed_series(fields: &Fields<'_>) -> Result<Option<ListedSeries>, LineError> {
    if !is_run(fields)? || is_fresh_process(fields)? {
        return Ok(None);
    }
    Ok(Some(ListedSeries {
        series: series_of(fields)?,
        id: fields.need("id")?,
        started_ms: fields.need("started_ms")?,
        is_imported: flags(fields)?.iter().any(|mark| mark == Run::IMPORTED),
    }))
}

/// Returns the history of a line's run.
pub(crate) fn series_of(fields: &Fields<'_>) -> Result<Series, LineError> {
    let formerly: Option<String> = fields.get("formerly")?;
    Ok(Series {
        formerly: formerly.map(BenchmarkId::from_recorded),
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("benchmark")?),
        testbed: fields.need("testbed")?,
        metric: decode_metric(fields)?,
    })
}

/// Returns the series under the names by which their testbeds are read, without retired ones. Of executions that share
/// a history the newest stays, and of each imported metric the newest run.
fn of_histories(mut all: Vec<ListedSeries>, testbeds: &Testbeds) -> Vec<ListedSeries> {
    if testbeds.are_as_recorded() {
        return all;
    }
    all.retain(|it| {
        testbeds.retired_ms(&it.series.testbed).is_none_or(|until| it.started_ms > until)
    });
    let mut newest = HashMap::<(BenchmarkId, String), String>::new();
    for ListedSeries { series, id, is_imported, .. } in &mut all {
        series.testbed = testbeds.name_of(&series.testbed);
        if !*is_imported {
            let known =
                newest.entry((series.benchmark.clone(), series.testbed.clone())).or_default();
            *known = std::mem::take(known).max(id.clone());
        }
    }
    all.retain(|ListedSeries { series, id, is_imported, .. }| {
        *is_imported || newest.get(&(series.benchmark.clone(), series.testbed.clone())) == Some(id)
    });
    sort_by(&mut all, &|a, b| place(&a.series).cmp(&place(&b.series)).then(b.id.cmp(&a.id)));
    all.dedup_by(|older, newest| older.is_replaced_by(newest));
    all
}

/// Returns the series of all files, as [`crate::Store::list`] promises them.
pub(crate) fn settled_series(files: Vec<ListedMetrics>, testbeds: &Testbeds) -> Vec<Series> {
    let all = files.into_iter().flat_map(|file| file.found).into_list();
    let mut all = of_histories(all, testbeds);
    let mut renamed = HashMap::new();
    for ListedSeries { series, id, .. } in &all {
        if let Some(former) = &series.formerly {
            let newest: &mut String = renamed.entry(key(former, series)).or_default();
            *newest = std::mem::take(newest).max(id.clone());
        }
    }
    // A project that returned to the former name has newer runs under it.
    all.retain(|ListedSeries { series, id, .. }| {
        renamed.get(&key(&series.benchmark, series)).is_none_or(|newest| newest <= id)
    });
    sort_by(&mut all, &|a, b| place(&a.series).cmp(&place(&b.series)));
    all.into_iter().map(|it| it.series).into_list()
}

/// The order of the histories in a list.
fn place(series: &Series) -> (&BenchmarkId, &str, &str) {
    (&series.benchmark, &series.testbed, &series.metric.name)
}

/// Identifies the history of this series under this name.
fn key(name: &BenchmarkId, series: &Series) -> (BenchmarkId, String, String) {
    (name.clone(), series.testbed.clone(), series.metric.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example_run::example_run;
    use crate::format::encode_run;
    use perftest_core::model::{Metric, Run};

    type TakeLine = fn(&mut ListedMetrics, &[u8]) -> KeepReading;

    /// The metrics that are listed of lines, the newest first, and how many lines were read. Imported runs have a `+`.
    fn read(
        lines: &[(u64, &str)],
        mut metrics: ListedMetrics,
        take: TakeLine,
    ) -> (Vec<String>, usize) {
        let mut read = 0;
        for (ordinal, metric) in lines {
            let name = metric.trim_start_matches('+').to_owned();
            let imported = metric.starts_with('+').then(|| Run::IMPORTED.to_owned());
            let metric = Metric { name, ..Metric::wall() };
            let flags = imported.into_iter().collect();
            let line = encode_run(&Run { metric, flags, ..example_run(*ordinal) }).unwrap();
            read += 1;
            if take(&mut metrics, line.trim_end().as_bytes()).unwrap().is_break() {
                break;
            }
        }
        (metrics.found.into_iter().map(|it| it.series.metric.name).collect(), read)
    }

    fn newest_of(lines: &[(u64, &str)], most_others: usize) -> (Vec<String>, usize) {
        read(lines, ListedMetrics::among(most_others), ListedMetrics::take_line)
    }

    /// The same of a file with imported runs, oldest first.
    fn listed(file: &[(u64, &str)]) -> (Vec<String>, usize) {
        let lines: Vec<_> = file.iter().rev().copied().collect();
        read(&lines, ListedMetrics::default(), ListedMetrics::take_line_of_imports)
    }

    #[test]
    fn series_of_an_execution_are_found_between_those_of_others() {
        let runs = [(7, "wall"), (6, "wall"), (5, "wall"), (6, "cpu"), (5, "cpu"), (7, "cpu")];
        assert_eq!(newest_of(&runs, 4), (vec!["wall".to_owned(), "cpu".to_owned()], 6));
    }

    #[test]
    fn each_metric_of_imported_runs_is_listed_and_those_of_the_newest_execution() {
        let file = [(1, "given up"), (2, "+allocs"), (3, "cpu"), (3, "wall"), (4, "+size")];
        assert_eq!(listed(&file).0, ["size", "wall", "cpu", "allocs"]);
        let file = [(1, "+wall"), (2, "wall"), (3, "+allocs"), (4, "+wall")];
        assert_eq!(listed(&file).0, ["wall", "allocs"], "the newest of each name");
    }

    #[test]
    fn an_imported_metric_is_listed_if_it_is_among_the_newest_thousand_records() {
        for (others, found) in [(999, vec!["wall", "allocs"]), (1_002, vec!["wall"])] {
            let mut file = vec![(0, "+allocs"); 10_000 - others];
            file.extend((0..others as u64).map(|ordinal| (ordinal, "+wall")));
            let (metrics, read) = listed(&file);
            assert_eq!(metrics, found);
            assert!(read <= 2_002, "{read}");
        }
    }

    #[test]
    fn older_runs_are_not_read_to_the_end() {
        let mut runs = vec![(100, "wall")];
        runs.extend((0..100).rev().map(|ordinal| (ordinal, "wall")));
        for most_others in [0, 8] {
            assert_eq!(newest_of(&runs, most_others), (vec!["wall".to_owned()], 2 + most_others));
        }
    }
}
