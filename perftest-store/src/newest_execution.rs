//! The metrics in the newest execution of a test.

use crate::Series;
use crate::format::{Fields, LineError, check_version, decode_metric};
use crate::keep_reading::{KeepReading, flags, is_run};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Run};
use perftest_core::order::sort_by;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The metrics of the newest execution in one file.
#[derive(Default)]
pub(crate) struct NewestExecution {
    /// The newest id: ids follow each other in time.
    id: Option<String>,
    series: Vec<Series>,
}

impl NewestExecution {
    /// Reads the next older line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        // Fresh processes lie between the series of their execution.
        if !is_run(fields)? || flags(fields)?.iter().any(|flag| flag == Run::CONFIRMING) {
            return Ok(ControlFlow::Continue(()));
        }
        let id: String = fields.need("id")?;
        if self.id.as_ref().is_some_and(|newest| *newest != id) {
            return Ok(ControlFlow::Break(()));
        }
        let series = series_of(fields)?;
        if !self.series.contains(&series) {
            self.series.push(series);
        }
        self.id = Some(id);
        Ok(ControlFlow::Continue(()))
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

/// Returns the series of all files, as [`crate::Store::list`] promises them.
pub(crate) fn settled_series(newest: impl IntoIterator<Item = NewestExecution>) -> Vec<Series> {
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
