//! Why tests of a run are slower, as far as their records and kept profiles show it.

use crate::args::AnswerFormat;
use crate::exit::Result;
use crate::history_directory;
use crate::profiler::{ProfileStore, kept_difference};
use crate::report::{cause_lines, code, run_report, with_functions, write_json_line, write_line};
use crate::test_run::TestRun;
use perftest_core::model::{BenchmarkId, Reason, Run};
use perftest_core::words::{Report, markdown_text};
use perftest_store::{JsonlStore, Series, Store};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Newest runs among which the last good build is sought.
const LOOK_BACK: usize = 200;

/// The slower runs of a session.
#[derive(Debug, Default)]
pub(super) struct RunCauses(Vec<SlowerRun>);

#[derive(Debug)]
struct SlowerRun {
    /// The test; its stages have runs of their own.
    test: BenchmarkId,
    run: Run,
    report: Report,
}

impl RunCauses {
    /// Reads the records of the slower tests. A history that cannot be read has no causes: the verdict names what is
    /// wrong with it.
    pub(super) fn of(run: &TestRun, store: Option<PathBuf>) -> Result<Self> {
        let Ok(place) = history_directory::find(store) else { return Ok(Self::default()) };
        let project = place.project_of(&history_directory::here()?);
        let store = JsonlStore::open(&place.root, &project);
        let Ok(decisions) = store.decisions() else { return Ok(Self::default()) };
        let testbeds = decisions.value.testbeds;
        let profiles = ProfileStore::of_this_machine(&place.root, &project, &testbeds);
        let mut slower = Vec::new();
        for ended in run.ended() {
            let judged = ended.outcome.as_ref().and_then(|outcome| outcome.judged);
            if !judged.is_some_and(|judged| is_slower(judged.reason)) {
                continue;
            }
            let test = &ended.benchmark;
            let stage = ended.outcome.as_ref().and_then(|outcome| outcome.series.as_ref());
            let stage = stage.map(|series| &series.benchmark).filter(|stage| *stage != test);
            let listed = [test].into_iter().chain(stage).flat_map(|name| {
                let listed = store.list(Some(name)).map(|listing| listing.series.value);
                listed.unwrap_or_default()
            });
            let found = listed.filter_map(|series| slower_run(&series, run, &store, &profiles));
            slower.extend(found.map(|(run, report)| SlowerRun { test: test.clone(), run, report }));
        }
        Ok(Self(slower))
    }

    /// Writes an event for each run whose cause is known. People get the functions: the runner has printed the rest.
    pub(super) fn write(&self, format: AnswerFormat, out: &mut dyn Write) -> Result<()> {
        if format == AnswerFormat::Json {
            let mut events = self.0.iter().filter_map(SlowerRun::event);
            return Ok(events.try_for_each(|event| write_json_line(out, &event))?);
        }
        let mut named: Vec<&BenchmarkId> = Vec::new();
        for slower in &self.0 {
            let Some(functions) = slower.functions().filter(|_| !named.contains(&&slower.test))
            else {
                continue;
            };
            if named.is_empty() {
                writeln!(out)?;
            }
            named.push(&slower.test);
            match format {
                AnswerFormat::Markdown => {
                    let (test, functions) = (code(slower.test.as_str()), markdown_text(functions));
                    writeln!(out, "- {test}: {functions}")?;
                }
                _ => write_line(out, &format_args!("{}: {functions}", slower.test))?,
            }
        }
        Ok(())
    }
}

impl SlowerRun {
    /// The causes under the names that `show` gives them; `None` if none is known.
    fn event(&self) -> Option<Value> {
        let Run { id, benchmark, testbed, metric, .. } = &self.run;
        let mut event = json!({
            "event": "cause",
            "v": 1,
            "id": id.as_str(),
            "benchmark": benchmark.as_str(),
            "testbed": testbed,
            "metric": metric.name,
        });
        let mut causes = cause_lines(&self.report).peekable();
        causes.peek()?;
        causes.for_each(|(name, text)| event[name] = text.into());
        Some(event)
    }

    fn functions(&self) -> Option<&str> {
        cause_lines(&self.report).find(|(name, _)| *name == "functions").map(|(_, text)| text)
    }
}

/// The newest judged run of a series, if it is slower and of this session.
fn slower_run(
    series: &Series,
    run: &TestRun,
    store: &JsonlStore,
    profiles: &ProfileStore,
) -> Option<(Run, Report)> {
    let mut runs = store.load(&series.query(LOOK_BACK)).ok()?.value.runs;
    runs.retain(|run| !run.is_confirmation());
    let judged = runs.iter().rev().find(|run| run.evidence.is_some())?;
    let evidence = judged.evidence.as_ref()?;
    if judged.session != run.session || !is_slower(evidence.reason) {
        return None;
    }
    let functions = kept_difference(profiles, &runs).and_then(|kept| kept.cause());
    let report = with_functions(run_report(judged, evidence, None), functions.as_deref());
    Some((judged.clone(), report))
}

pub(super) fn is_slower(reason: Reason) -> bool {
    matches!(reason, Reason::Red | Reason::OverLimit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Interval, MetricChange, PairedResult};
    use perftest_store::conformance::example_run;
    use serde_json::json;

    /// A red, of which these changes are known.
    fn slower(changes: Vec<MetricChange>, functions: Option<&str>) -> SlowerRun {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        evidence.reason = Reason::Red;
        let pairs = PairedResult { ratio: 1.31, changes, ..PairedResult::default() };
        evidence.paired_result = Some(pairs);
        let report = run_report(&run, run.evidence.as_ref().unwrap(), None);
        let report = with_functions(report, functions);
        SlowerRun { test: run.benchmark.clone(), run, report }
    }

    fn allocation() -> MetricChange {
        let change = Interval { estimate: 1.0, lower: 1.0, upper: 1.0 };
        MetricChange { name: "allocs".into(), before: 12.0, now: 13.0, change }
    }

    #[test]
    fn the_event_of_a_red_has_its_causes_as_show_words_them() {
        let functions = "mostly in `unescape`: 12.1% -> 31.4% of the time";
        let slower = slower(vec![allocation()], Some(functions));
        let event = slower.event().unwrap();
        let shown = |name: &str| {
            let line = slower.report.lines.iter().find(|(known, _)| *known == name);
            Value::from(line.unwrap().1.as_str())
        };
        assert_eq!((&event["cause"], &event["functions"]), (&shown("cause"), &functions.into()));
        assert!(event["cause"].as_str().unwrap().starts_with("+31% time, +1 allocation"));
        assert_eq!((&event["event"], &event["v"]), (&"cause".into(), &1.into()));
        assert_eq!(event["benchmark"], json!(slower.run.benchmark.as_str()));
        assert_eq!(event["id"], json!(slower.run.id.as_str()));
    }

    #[test]
    fn people_get_the_functions_of_a_test_once_and_programs_those_of_each_run() {
        let two = || slower(vec![allocation()], Some("mostly in `x`"));
        let causes = RunCauses(vec![two(), two(), slower(vec![allocation()], None)]);
        let written = |format| {
            let mut out = Vec::new();
            causes.write(format, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let test = &causes.0[0].test;
        assert_eq!(written(AnswerFormat::Table), format!("\n{test}: mostly in `x`\n"));
        assert_eq!(written(AnswerFormat::Json).lines().count(), 3);
    }
}
