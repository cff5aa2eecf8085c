//! Picks the runs of a query from lines in the order that the query needs.

use crate::format::{
    Fields, LineError, SUMMARY, check_version, decode_run, decode_run_center, decode_summary,
    has_our_version,
};
use crate::keep_reading::{KeepReading, is_run};
use crate::{Detail, Query, Which};
use perftest_core::model::{History, Run};
use perftest_core::text::Text;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The key `counts_for_baseline` is within so many bytes at the end of a line.
const MARK_IS_WITHIN: usize = 314;

/// The first matching runs among the given lines, each `(id, metric)` once.
pub(crate) struct Selection<'a> {
    query: &'a Query,
    seen: HashSet<String>,
    /// The runs in the order of [`lines_come`](Self::lines_come).
    taken: Vec<Run>,
}

/// The order in which lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOrder {
    NewestFirst,
    OldestFirst,
}

impl Which {
    /// Returns the order in which the first matching lines are the wanted ones.
    pub(crate) fn read_order(self) -> ReadOrder {
        match self {
            Self::All | Self::AllAndSummaries | Self::CountedForBaseline => ReadOrder::NewestFirst,
            Self::FirstCountedForBaseline => ReadOrder::OldestFirst,
        }
    }
}

impl Which {
    fn is_counted(self) -> bool {
        matches!(self, Self::CountedForBaseline | Self::FirstCountedForBaseline)
    }
}

impl<'a> Selection<'a> {
    pub(crate) fn new(query: &'a Query) -> Self {
        Self { query, seen: HashSet::new(), taken: Vec::new() }
    }

    /// Returns the order in which this selection needs the lines.
    pub(crate) fn lines_come(&self) -> ReadOrder {
        self.query.which.read_order()
    }

    /// Reads the next line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> KeepReading {
        if self.passes_over(line) {
            return Ok(ControlFlow::Continue(()));
        }
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        if self.is_full() && !self.is_taken(fields)? {
            return Ok(ControlFlow::Break(()));
        }
        let is_summary =
            self.query.which == Which::AllAndSummaries && fields.is_text("kind", SUMMARY)?;
        if (is_summary || is_run(fields)?) && self.matches(fields)? {
            let run = match self.query.detail {
                _ if is_summary => decode_summary(fields)?,
                Detail::Whole => decode_run(fields)?,
                Detail::Center => decode_run_center(fields)?,
            };
            // The query has one metric, so the id alone is the identity.
            take_valid_line(run, &mut self.taken, &mut self.seen);
        }
        // Only an imported run has forms that may replace it among the lines behind.
        let is_settled = self.taken.last().is_none_or(|run| !run.is_imported());
        let is_done = self.is_full() && is_settled;
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn is_taken(&self, fields: &Fields<'_>) -> Result<bool, LineError> {
        Ok(fields.get::<String>("id")?.is_some_and(|id| self.seen.contains(&id)))
    }

    /// Returns whether a line can be skipped without parsing it. A test that runs all day on one
    /// code state leaves thousands of lines that do not count for the baseline, an acceptance
    /// covers no earlier line, and another configuration may have the whole history.
    ///
    /// This requires a line of our own version and spelling; inside a text the quotes would be
    /// escaped, and ids and hashes have nothing to escape.
    fn passes_over(&self, line: &[u8]) -> bool {
        const SILENT: &str = "\"counts_for_baseline\":false";
        let is_excluded = || {
            let end = &line[line.len().saturating_sub(MARK_IS_WITHIN)..];
            // The first character may be cut. Searches with the standard library's compiled code.
            let start = end.iter().position(u8::is_ascii).unwrap_or(end.len());
            str::from_utf8(&end[start..]).is_ok_and(|end| end.has(SILENT))
        };
        let Query { which, config, acceptance, .. } = self.query;
        let lacks = |text: &String| str::from_utf8(line).is_ok_and(|it| !it.has(text));
        has_our_version(line)
            && (which.is_counted() && is_excluded()
                || config.as_ref().is_some_and(lacks)
                || acceptance.as_ref().is_some_and(lacks))
    }

    fn is_full(&self) -> bool {
        self.taken.len() >= self.query.limit
    }

    /// Compares the names, because two benchmarks may share a file when their hashes collide.
    fn matches(&self, fields: &Fields<'_>) -> Result<bool, LineError> {
        let Query {
            benchmark, testbed, metric, config, acceptance, started_after_ms, which, ..
        } = self.query;
        Ok((!which.is_counted() || fields.get("counts_for_baseline")? == Some(true))
            && fields.is_text("benchmark", benchmark.as_str())?
            && fields.is_text("metric", &metric.name)?
            && fields.is_text("unit", &metric.unit)?
            && fields.is_text("better", metric.direction.name())?
            && fields.is_text("testbed", testbed)?
            && config.as_ref().map_or(Ok(true), |config| fields.is_text("config", config))?
            && acceptance.as_ref().map_or(Ok(true), |id| fields.is_text("acceptance", id))?
            && match started_after_ms {
                Some(after_ms) => fields.need::<u64>("started_ms")? > *after_ms,
                None => true,
            })
    }

    pub(crate) fn into_history(mut self) -> History {
        if self.lines_come() == ReadOrder::NewestFirst {
            self.taken.reverse();
        }
        History { runs: self.taken }
    }
}

/// Adds a run of an earlier line, or replaces its form of a later line if that was corrected before. Machines that exchange
/// runs may have their lines in different orders.
pub(crate) fn take_valid_line(run: Run, taken: &mut Vec<Run>, seen: &mut HashSet<String>) {
    if seen.insert(run.id.as_str().to_owned()) {
        taken.push(run);
    } else if run.corrected_ms.is_some()
        && let Some(later) = taken.iter_mut().rfind(|it| it.id == run.id)
        && later.corrected_ms < run.corrected_ms
    {
        *later = run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;

    fn is_passed_over(line: &str) -> bool {
        let config = None;
        let query =
            Query { which: Which::CountedForBaseline, config, ..Query::like(&example_run(0)) };
        Selection::new(&query).take_line(line.as_bytes()).is_ok()
    }

    #[test]
    fn lines_of_our_version_and_another_configuration_are_passed_over_unread() {
        let query = Query { config: Some("89ab".into()), ..Query::like(&example_run(0)) };
        let is_passed_over = |line: &str| Selection::new(&query).take_line(line.as_bytes()).is_ok();
        assert!(is_passed_over("{\"v\":1,damaged,\"config\":\"cdef\""));
        assert!(!is_passed_over("{\"v\":1,damaged,\"config\":\"89ab\""));
        assert!(!is_passed_over("{\"v\":2,damaged,\"config\":\"cdef\""));
    }

    #[test]
    fn lines_of_our_version_that_do_not_count_are_passed_over_unread() {
        assert!(is_passed_over("{\"v\":1,damaged,\"counts_for_baseline\":false"));
        // Wherever the searched end begins in a character of two bytes.
        for count in 200..300 {
            let line =
                format!("{{\"v\":1,damaged,{}\"counts_for_baseline\":false}}", "ü".repeat(count));
            assert!(is_passed_over(&line), "{count}");
            assert!(is_passed_over(&line.replacen('ü', "u", 1)), "{count}");
        }
        for start in ["\"v\":0", "\"v\":2", "\"v\":10", "\"v\":x", "\"t\":1"] {
            let line = format!("{{{start},damaged,\"counts_for_baseline\":false");
            assert!(!is_passed_over(&line), "{start}");
        }
    }
}
