//! Why tests of a run are slower, as far as their records and kept profiles show it.

use crate::args::AnswerFormat;
use crate::exit::Result;
use crate::history_directory;
use crate::profiler::{ProfileStore, kept_difference};
use crate::report::{code, extend, prose, write_json_line, write_line};
use crate::test_run::TestRun;
use crate::whole_runs::load_whole_runs;
use perftest_core::model::{BenchmarkId, Reason, Run};
use perftest_core::words::{cause_of_red, one_line};
use perftest_store::{JsonlStore, Series, Store};
use serde_json::{Map, Value, json};
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
    /// What else changed.
    cause: Option<String>,
    /// The functions that explain the difference.
    functions: Option<String>,
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
            slower.extend(
                listed.filter_map(|series| SlowerRun::of(test, &series, run, &store, &profiles)),
            );
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
            let Some(functions) = &slower.functions else {
                continue;
            };
            if named.contains(&&slower.test) {
                continue;
            }
            if named.is_empty() {
                writeln!(out)?;
            }
            named.push(&slower.test);
            match format {
                AnswerFormat::Markdown => {
                    let (test, functions) = (code(slower.test.as_str()), prose(functions));
                    writeln!(out, "- {test}: {functions}")?;
                }
                _ => write_line(out, &format_args!("{}: {functions}", slower.test))?,
            }
        }
        Ok(())
    }
}

impl SlowerRun {
    /// The newest judged run of a series of the test, if it is slower and of this session.
    fn of(
        test: &BenchmarkId,
        series: &Series,
        session: &TestRun,
        store: &JsonlStore,
        profiles: &ProfileStore,
    ) -> Option<Self> {
        let mut runs = load_whole_runs(store, series.query(LOOK_BACK)).ok()?.value.runs;
        runs.retain(|run| !run.is_confirmation());
        let judged = runs.iter().rev().find(|run| run.evidence.is_some())?;
        let is_of_session = judged.session == session.session;
        if !is_of_session || !is_slower(judged.evidence.as_ref()?.reason) {
            return None;
        }
        let functions = kept_difference(profiles, &runs).and_then(|kept| kept.cause());
        Some(Self::new(test.clone(), judged.clone(), functions.as_deref()))
    }

    fn new(test: BenchmarkId, run: Run, functions: Option<&str>) -> Self {
        let cause = run.evidence.as_ref().and_then(|it| cause_of_red(it, &run.metric));
        let functions = functions.map(|it| one_line(it).into_owned());
        Self { test, run, cause, functions }
    }

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
        let causes = [("cause", &self.cause), ("functions", &self.functions)];
        let known = causes.into_iter().filter_map(|(key, text)| {
            let text = text.as_deref()?;
            Some((key.to_owned(), text.into()))
        });
        let known: Map<String, Value> = known.collect();
        let is_known = !known.is_empty();
        extend(&mut event, Value::Object(known));
        is_known.then_some(event)
    }
}

pub(super) fn is_slower(reason: Reason) -> bool {
    matches!(reason, Reason::Red | Reason::OverLimit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::run_report;
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
        SlowerRun::new(run.benchmark.clone(), run, functions)
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
            let evidence = slower.run.evidence.as_ref().unwrap();
            let lines = run_report(&slower.run, evidence, None, Some(functions)).lines;
            lines.into_iter().find(|(known, _)| *known == name).map(|(_, text)| Value::from(text))
        };
        assert_eq!(Some(&event["cause"]), shown("cause").as_ref());
        assert_eq!(Some(&event["functions"]), shown("functions").as_ref());
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
