//! Picks the runs of a query from lines that come in the order it asks for.

use crate::format::{
    Fields, LineError, check_version, decode_metric, decode_run, has_our_major_format,
};
use crate::store::Series;
use crate::{Query, Which};
use perftest_core::model::{BenchmarkId, History, Metric, Run, RunId};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Whether to go on reading.
pub(crate) type KeepReading = Result<ControlFlow<()>, LineError>;

/// The key `teach` is one of the last of a line.
const TEACH_IS_WITHIN: usize = 288;

/// The first matching runs of those that are shown to it, each `(id, metric)` once.
pub(crate) struct Selection<'a> {
    query: &'a Query,
    seen: HashSet<String>,
    /// In the order of [`lines_come`](Self::lines_come).
    taken: Vec<Run>,
}

/// The order in which a selection is to be shown the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOrder {
    NewestFirst,
    OldestFirst,
}

impl<'a> Selection<'a> {
    pub(crate) fn new(query: &'a Query) -> Self {
        Self { query, seen: HashSet::new(), taken: Vec::new() }
    }

    /// In which order it wants to be shown the lines.
    pub(crate) fn lines_come(&self) -> ReadOrder {
        match self.query.which {
            Which::All | Which::CountedForBaseline => ReadOrder::NewestFirst,
            Which::FirstTeaching => ReadOrder::OldestFirst,
        }
    }

    /// Takes the next line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        if self.passes_over(line) {
            return Ok(ControlFlow::Continue(()));
        }
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        if self.is_full() {
            return Ok(ControlFlow::Break(()));
        }
        if is_run(fields)? && self.matches(fields)? {
            let run = decode_run(fields)?;
            // The query holds one metric, so the id alone is the identity.
            if self.seen.insert(run.id.as_str().to_owned()) {
                self.taken.push(run);
            }
        }
        Ok(if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Whether a line can be passed over without reading it: a test that runs all day on one code
    /// state leaves thousands of lines that do not count for the baseline among the few that do, and an acceptance
    /// has none of the lines before it.
    ///
    /// Only a line of our own major format and spelling is; inside a text the quotes would be
    /// escaped.
    fn passes_over(&self, line: &[u8]) -> bool {
        const SILENT: &[u8] = b"\"teach\":false";
        let is_excluded =
            || line.windows(SILENT.len()).rev().take(TEACH_IS_WITHIN).any(|part| part == SILENT);
        let lacks_mark = |mark: &String| str::from_utf8(line).is_ok_and(|it| !it.contains(mark));
        has_our_major_format(line)
            && (self.query.which != Which::All && is_excluded()
                || self.query.mark.as_ref().is_some_and(lacks_mark))
    }

    fn is_full(&self) -> bool {
        self.taken.len() >= self.query.limit
    }

    /// Two benchmarks may share a file when their hashes collide, so the names are compared.
    fn matches(&self, fields: &Fields<'_>) -> Result<bool, LineError> {
        let Query { benchmark, testbed, metric, config, mark, which, .. } = self.query;
        let is_marked = |mark: &String| Ok(flags(fields)?.contains(mark));
        Ok((*which == Which::All || fields.get("teach")? == Some(true))
            && fields.is_text("bench", benchmark.as_str())?
            && fields.is_text("metric", &metric.name)?
            && fields.is_text("unit", &metric.unit)?
            && fields.is_text("better", metric.direction.name())?
            && fields.is_text("testbed", testbed)?
            && config.as_ref().map_or(Ok(true), |config| fields.is_text("cfg", config))?
            && mark.as_ref().map_or(Ok(true), is_marked)?)
    }

    pub(crate) fn into_history(mut self) -> History {
        if self.lines_come() == ReadOrder::NewestFirst {
            self.taken.reverse();
        }
        History { runs: self.taken }
    }
}

/// The other units and directions in which a metric of this name was recorded.
pub(crate) struct OtherMetrics<'a> {
    metric: &'a Metric,
    /// The metric as our own lines spell it: its name, and all of it.
    spelled: [String; 2],
    found: Vec<Metric>,
}

impl<'a> OtherMetrics<'a> {
    pub(crate) fn beside(metric: &'a Metric) -> Self {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let name = format!("\"metric\":{}", text(&metric.name));
        let (unit, better) = (text(&metric.unit), text(metric.direction.name()));
        let whole = format!("{name},\"unit\":{unit},\"better\":{better}");
        Self { metric, spelled: [name, whole], found: Vec::new() }
    }

    /// Takes any line.
    pub(crate) fn take_line(
        &mut self,
        line: &[u8],
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> KeepReading {
        if self.passes_over(line) {
            return Ok(ControlFlow::Continue(()));
        }
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        let is_like = is_run(fields)?
            && fields.is_text("bench", benchmark.as_str())?
            && fields.is_text("metric", &self.metric.name)?
            && fields.is_text("testbed", testbed)?;
        if is_like {
            let metric = decode_metric(fields)?;
            if metric != *self.metric && !self.found.contains(&metric) {
                self.found.push(metric);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether a line of our own spelling is of the metric itself, or of one of another name: nearly all
    /// are, and need not be read.
    fn passes_over(&self, line: &[u8]) -> bool {
        let [name, whole] = &self.spelled;
        let is_other = |line: &str| {
            line.contains(whole) || (line.contains("\"metric\":\"") && !line.contains(name))
        };
        has_our_major_format(line) && str::from_utf8(line).is_ok_and(is_other)
    }

    pub(crate) fn into_metrics(self) -> Vec<Metric> {
        self.found
    }
}

/// The metrics that one run of a test was recorded with.
pub(crate) struct MetricsOfRun<'a> {
    benchmark: &'a BenchmarkId,
    testbed: &'a str,
    run: &'a RunId,
    found: Vec<Metric>,
}

impl<'a> MetricsOfRun<'a> {
    pub(crate) fn new(benchmark: &'a BenchmarkId, testbed: &'a str, run: &'a RunId) -> Self {
        Self { benchmark, testbed, run, found: Vec::new() }
    }

    /// Takes any line. Those of a run may have others between them: two processes write at once.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        if self.passes_over(line) {
            return Ok(ControlFlow::Continue(()));
        }
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        let is_of_run = is_run(fields)?
            && fields.is_text("id", self.run.as_str())?
            && fields.is_text("bench", self.benchmark.as_str())?
            && fields.is_text("testbed", self.testbed)?;
        if is_of_run {
            let metric = decode_metric(fields)?;
            if !self.found.contains(&metric) {
                self.found.push(metric);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether a line of our own spelling does not name the run.
    fn passes_over(&self, line: &[u8]) -> bool {
        let is_other = |line: &str| !line.contains(self.run.as_str());
        has_our_major_format(line) && str::from_utf8(line).is_ok_and(is_other)
    }

    pub(crate) fn into_metrics(self) -> Vec<Metric> {
        self.found
    }
}

/// The testbed of the benchmark's run on this line; `None` where the line is of something else.
pub(crate) fn testbed_of(
    line: &[u8],
    benchmark: &BenchmarkId,
) -> Result<Option<String>, LineError> {
    let fields = &Fields::parse(line)?;
    check_version(fields)?;
    let is_own = is_run(fields)? && fields.is_text("bench", benchmark.as_str())?;
    is_own.then(|| fields.need("testbed")).transpose()
}

/// The metrics of the newest execution in one file.
#[derive(Default)]
pub(crate) struct NewestExecution {
    /// Ids follow each other in time.
    id: Option<String>,
    series: Vec<Series>,
}

impl NewestExecution {
    /// Takes the next older line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        // Fresh processes stand between the series of the execution that asked for them.
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

/// The history the run of a line belongs to.
pub(crate) fn series_of(fields: &Fields<'_>) -> Result<Series, LineError> {
    let flags = flags(fields)?;
    let formerly = flags.iter().find_map(|flag| flag.strip_prefix(Run::FORMERLY));
    Ok(Series {
        formerly: formerly.map(BenchmarkId::from_recorded),
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
        testbed: fields.need("testbed")?,
        metric: decode_metric(fields)?,
    })
}

/// The series of all files, as [`crate::Store::series`] promises them.
pub(crate) fn settled_series(newest: impl IntoIterator<Item = NewestExecution>) -> Vec<Series> {
    let dated = |it: NewestExecution| it.series.into_iter().map(move |one| (it.id.clone(), one));
    let mut all: Vec<(Option<String>, Series)> = newest.into_iter().flat_map(dated).collect();
    let mut renamed = HashMap::new();
    for (id, series) in &all {
        if let Some(former) = &series.formerly {
            let newest: &mut Option<String> = renamed.entry(key(former, series)).or_default();
            *newest = newest.take().max(id.clone());
        }
    }
    // Who has gone back to the former name has newer runs under it.
    all.retain(|(id, it)| renamed.get(&key(&it.benchmark, it)).is_none_or(|newest| newest <= id));
    all.sort_by_cached_key(|(_, it)| key(&it.benchmark, it));
    all.into_iter().map(|(_, series)| series).collect()
}

/// What tells the histories of a store apart, for the one of this series under this name.
fn key(name: &BenchmarkId, series: &Series) -> (BenchmarkId, String, String) {
    (name.clone(), series.testbed.clone(), series.metric.name.clone())
}

fn flags(fields: &Fields<'_>) -> Result<Vec<String>, LineError> {
    fields.get_or_default("flags")
}

fn is_run(fields: &Fields<'_>) -> Result<bool, LineError> {
    fields.is_text("k", "obs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;

    fn is_passed_over(line: &str) -> bool {
        let query = Query { which: Which::CountedForBaseline, ..Query::like(&example_run(0)) };
        Selection::new(&query).take_line(line.as_bytes()).is_ok()
    }

    #[test]
    fn silent_lines_of_every_minor_format_are_passed_over_unread() {
        for format in [100, 101, 199] {
            assert!(is_passed_over(&format!("{{\"v\":{format},damaged,\"teach\":false")));
        }
        for start in ["\"v\":99", "\"v\":200", "\"v\":1000", "\"v\":x", "\"t\":100"] {
            assert!(!is_passed_over(&format!("{{{start},damaged,\"teach\":false")), "{start}");
        }
    }
}
