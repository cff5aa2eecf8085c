//! The recorded metrics of a test.

use crate::format::{Fields, check_version, decode_metric, has_our_version, is_plain, written};
use crate::keep_reading::{KeepReading, is_run};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Metric, RunId};
use perftest_core::text::Text;
use std::ops::ControlFlow;

/// The recorded metrics of one test, or of one run, on a testbed.
pub(crate) struct RecordedMetrics<'a> {
    benchmark: &'a BenchmarkId,
    testbed: &'a str,
    run: Option<&'a RunId>,
    /// Newest first, each with its keys in the spelling of our own lines.
    found: Vec<([String; 3], Metric)>,
}

impl<'a> RecordedMetrics<'a> {
    pub(crate) fn of(benchmark: &'a BenchmarkId, testbed: &'a str, run: Option<&'a RunId>) -> Self {
        Self { benchmark, testbed, run, found: Vec::new() }
    }

    /// Reads the next older line. Lines of another run may lie between those of one run: two
    /// processes may write at once.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        if self.passes_over(line) {
            return Ok(ControlFlow::Continue(()));
        }
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        let is_meant = is_run(fields)?
            && self.run.map_or(Ok(true), |run| fields.is_text("id", run.as_str()))?
            && fields.is_text("benchmark", self.benchmark.as_str())?
            && fields.is_text("testbed", self.testbed)?;
        if is_meant {
            let metric = decode_metric(fields)?;
            if !self.found.iter().any(|(_, found)| *found == metric) {
                self.found.push((spelled(&metric), metric));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns whether a line of our own spelling has another run, or a metric that was already
    /// found.
    fn passes_over(&self, line: &[u8]) -> bool {
        let has_nothing_new = |line: &str| {
            self.run.is_some_and(|run| !line.has(run.as_str()))
                || self.found.iter().any(|(keys, _)| keys.iter().all(|key| line.has(key)))
        };
        let is_ours = |line: &str| has_our_version(line.as_bytes()) || is_plain(line);
        str::from_utf8(line).is_ok_and(|line| is_ours(line) && has_nothing_new(line))
    }

    /// Returns the metrics; the newest one is last.
    pub(crate) fn into_metrics(self) -> Vec<Metric> {
        self.found.into_iter().rev().map(|(_, metric)| metric).into_list()
    }
}

/// Returns the keys one by one: the standard library finds texts of up to 32 bytes several times as fast as longer
/// ones.
fn spelled(metric: &Metric) -> [String; 3] {
    let key = |name: &str, text: &str| format!("\"{name}\":{}", written(text));
    [key("metric", &metric.name), key("unit", &metric.unit), key("better", metric.direction.name())]
}
