//! The metrics in the newest execution of a test.

use crate::format::{Fields, LineError, check_version, decode_metric};
use crate::keep_reading::{KeepReading, is_fresh_process, is_run};
use crate::{Series, Testbeds};
use perftest_core::list::IntoList;
use perftest_core::model::BenchmarkId;
use perftest_core::order::sort_by;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

/// The metrics of the newest execution in one file.
#[derive(Default)]
pub(crate) struct NewestExecution {
    /// The newest id: ids follow each other in time.
    id: Option<String>,
    started_ms: u64,
    series: Vec<Series>,
    /// Most runs of other executions between two series of one.
    most_others: usize,
    /// Runs of other executions since its last line.
    others: usize,
}

impl NewestExecution {
    /// Looks for the series of an execution among at most so many runs of others in a row.
    pub(crate) fn among(most_others: usize) -> Self {
        Self { most_others, ..Self::default() }
    }

    /// Reads the next older line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        // Fresh processes lie between the series of their execution.
        if !is_run(fields)? || is_fresh_process(fields)? {
            return Ok(ControlFlow::Continue(()));
        }
        let id: String = fields.need("id")?;
        if self.id.as_ref().is_some_and(|newest| *newest != id) {
            return Ok(self.pass_other());
        }
        self.others = 0;
        let series = series_of(fields)?;
        if !self.series.contains(&series) {
            self.series.push(series);
        }
        self.id = Some(id);
        self.started_ms = fields.need("started_ms")?;
        Ok(ControlFlow::Continue(()))
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
        self.series.retain(is_kept);
    }
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

/// Returns the executions under the names by which their testbeds are read, without retired ones. Of those that
/// share a history the newest stays.
fn of_histories(executions: Vec<NewestExecution>, testbeds: &Testbeds) -> Vec<NewestExecution> {
    if testbeds.are_as_recorded() {
        return executions;
    }
    let mut newest = HashMap::<(BenchmarkId, String), NewestExecution>::new();
    for mut execution in executions {
        let Some(Series { benchmark, testbed, .. }) = execution.series.first() else {
            continue;
        };
        if testbeds.retired_ms(testbed).is_some_and(|until| execution.started_ms <= until) {
            continue;
        }
        let key = (benchmark.clone(), testbeds.name_of(testbed));
        for series in &mut execution.series {
            series.testbed = testbeds.name_of(&series.testbed);
        }
        match newest.entry(key) {
            Entry::Occupied(known) if known.get().id >= execution.id => {}
            Entry::Occupied(mut known) => drop(known.insert(execution)),
            Entry::Vacant(place) => drop(place.insert(execution)),
        }
    }
    newest.into_values().into_list()
}

/// Returns the series of all files, as [`crate::Store::list`] promises them.
pub(crate) fn settled_series(newest: Vec<NewestExecution>, testbeds: &Testbeds) -> Vec<Series> {
    let newest = of_histories(newest, testbeds);
    let dated = |it: NewestExecution| it.series.into_iter().map(move |one| (it.id.clone(), one));
    let mut all: Vec<(Option<String>, Series)> = newest.into_iter().flat_map(dated).into_list();
    let mut renamed = HashMap::new();
    for (id, series) in &all {
        if let Some(former) = &series.formerly {
            let newest: &mut Option<String> = renamed.entry(key(former, series)).or_default();
            *newest = newest.take().max(id.clone());
        }
    }
    // A project that returned to the former name has newer runs under it.
    all.retain(|(id, it)| renamed.get(&key(&it.benchmark, it)).is_none_or(|newest| newest <= id));
    sort_by(&mut all, &|(_, a), (_, b)| place(a).cmp(&place(b)));
    all.into_iter().map(|(_, series)| series).into_list()
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

    /// The metrics of the newest execution among runs, the newest first, and how many lines were read.
    fn newest_of(runs: &[(u64, &str)], most_others: usize) -> (Vec<String>, usize) {
        let line = |(ordinal, metric): &(u64, &str)| {
            let metric = Metric { name: (*metric).into(), ..Metric::wall() };
            encode_run(&Run { metric, ..example_run(*ordinal) }).unwrap()
        };
        let (mut newest, mut read) = (NewestExecution::among(most_others), 0);
        for line in runs.iter().map(line) {
            read += 1;
            if newest.take_line(line.trim_end().as_bytes()).unwrap().is_break() {
                break;
            }
        }
        (newest.series.into_iter().map(|series| series.metric.name).collect(), read)
    }

    #[test]
    fn series_of_an_execution_are_found_between_those_of_others() {
        let runs = [(7, "wall"), (6, "wall"), (5, "wall"), (6, "cpu"), (5, "cpu"), (7, "cpu")];
        assert_eq!(newest_of(&runs, 4), (vec!["wall".to_owned(), "cpu".to_owned()], 6));
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
