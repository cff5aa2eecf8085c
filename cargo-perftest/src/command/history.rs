//! `cargo perftest history`: all tests, or the runs of one.

use super::errors;
use crate::args::{HistoryArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::reading::idle_tests;
use crate::record_reader::RecordReader;
use crate::report::{
    Mark, ShownVerdict, Table, decided_value, local_minute, ratio, run_as_json, series_event,
    short_commit, some_names, sparkline, verdict_in_words, write_json_lines, write_line,
};
use crate::whole_runs::drop_older;
use perftest_core::model::{BenchmarkId, Evidence, History, Run};
use perftest_core::words::{quantity, without_ratio};
use perftest_store::{Query, Series, Which};
use serde_json::{Value, json};
use std::io::Write;
use std::slice;

/// Characters of a course that fit beside the other columns.
const COURSE: usize = 30;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let all = context.chosen(args.test.as_deref())?;
    if all.is_empty() && !context.read_failures.is_empty() {
        return Ok(());
    }
    if args.errors {
        errors::run(&all, args, context)
    } else if args.test.is_some() {
        runs_of_one(&all, args, context)
    } else {
        all_tests(&all, args, context)
    }
}

fn all_tests(all: &[Series], args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    // One run more tells that there are older ones.
    let look_back = args.limit.saturating_add(1);
    context.announce_whole_runs(all, look_back);
    let courses = context.map_histories(all, |series, records| {
        let mut history = records.whole_runs(series.query(look_back))?;
        let has_older = drop_older(&mut history.runs, args.limit);
        Ok(SeriesCourse { has_older, ..SeriesCourse::of(series, history) })
    })?;
    if args.answer.format() == OutputFormat::Json {
        return Ok(write_json_lines(context.out, courses.iter().map(SeriesCourse::as_json))?);
    }
    if all.is_empty() {
        return Ok(context.print_nothing_recorded()?);
    }
    let ascii = context.ascii;
    let more = |it: &SeriesCourse| if it.has_older { "+" } else { "" };
    Table::of(&courses)
        .column("test", |it| it.series.benchmark.clone())
        .column("testbed", |it| it.series.testbed.clone())
        .column("metric", |it| it.series.metric.name.clone())
        .column(" runs", |it| format!("{}{}", it.medians.len(), more(it)))
        .column(" last", |it| {
            it.last.map_or_else(String::new, |value| quantity(value, &it.series.metric.unit))
        })
        .column("course", |it| sparkline(&it.newest_medians(COURSE), ascii))
        .column("verdict", |it| verdict_in_words(it.judged.as_ref().map(ShownVerdict::of)))
        .column("when", |it| it.newest_ms.map_or_else(String::new, local_minute))
        .narrowed(&["test"], &["when", "testbed", "metric", "runs", "course"])
        .write(context.out)?;
    let newest =
        courses.iter().filter_map(|it| Some((&it.series.benchmark, it.newest_process_ms?)));
    let idle: Vec<&str> = idle_tests(newest).into_iter().map(BenchmarkId::as_str).collect();
    if !idle.is_empty() {
        let words = "no run in the last 30 days of this history, so perhaps deleted or renamed";
        write_line(context.out, &format_args!("{words}: {}", some_names(&idle)))?;
    }
    Ok(())
}

/// What is shown of a series.
struct SeriesCourse {
    series: Series,
    /// Of each run without fresh processes, which are parts of a run: those of a confirmation would exaggerate slow runs
    /// in a plot.
    medians: Vec<Option<f64>>,
    /// Whether there are older runs than those.
    has_older: bool,
    /// The value of the newest run that has one.
    last: Option<f64>,
    /// The newest verdict.
    judged: Option<Evidence>,
    /// When the newest run began.
    newest_ms: Option<u64>,
    /// When the newest process began, which may be a fresh one whose run was never recorded.
    newest_process_ms: Option<u64>,
}

impl SeriesCourse {
    fn of(series: &Series, mut history: History) -> Self {
        let newest_process_ms = history.newest().map(|run| run.started_ms);
        history.runs.retain(|run| !run.is_fresh_process());
        Self {
            series: series.clone(),
            medians: history.runs.iter().map(Run::center).collect(),
            has_older: false,
            last: history.runs.iter().rev().find_map(decided_value),
            judged: history.newest_judged().and_then(|run| run.evidence.clone()),
            newest_ms: history.newest().map(|run| run.started_ms),
            newest_process_ms,
        }
    }

    fn newest_medians(&self, count: usize) -> Vec<f64> {
        let medians: Vec<f64> = self.medians.iter().flatten().copied().collect();
        medians[medians.len().saturating_sub(count)..].to_vec()
    }

    fn as_json(&self) -> Value {
        let fields = json!({
            "unit": self.series.metric.unit,
            "better": self.series.metric.direction.name(),
            "runs": self.medians.len(),
            "last": self.last,
            "medians": self.medians,
            "verdict": self.judged.as_ref().map(|evidence| evidence.reason.name()),
            "started_ms": self.newest_ms,
        });
        series_event("series", &self.series, fields)
    }
}

fn runs_of_one(found: &[Series], args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    // With summaries the same lines are read.
    context.announce_whole_runs(found, args.limit);
    // One after the other: a run may have ten thousand measurements.
    for series in found {
        let read = |series: &Series, records: &RecordReader<'_>| {
            let query = Query { which: Which::AllAndSummaries, ..series.query(args.limit) };
            records.whole_runs(query)
        };
        for history in context.map_histories(slice::from_ref(series), read)? {
            write_runs(series, &history, args.answer.format(), context.out)?;
        }
    }
    Ok(())
}

fn write_runs(
    series: &Series,
    history: &History,
    format: OutputFormat,
    out: &mut dyn Write,
) -> Result<()> {
    if format == OutputFormat::Json {
        return Ok(write_json_lines(out, history.runs.iter().map(|run| run_as_json("run", run)))?);
    }
    let Series { benchmark, testbed, metric, .. } = series;
    write_line(out, &format_args!("{benchmark} on {testbed}, {}", metric.name))?;
    Ok(table_of_runs(history).write(out)?)
}

/// Fresh processes are counted at the run that they belong to, before which they are recorded.
fn table_of_runs(history: &History) -> Table {
    let (mut rows, mut fresh): (Vec<(&Run, usize)>, Vec<&Run>) = (Vec::new(), Vec::new());
    for run in &history.runs {
        if run.is_fresh_process() {
            fresh.push(run);
        } else {
            let of_run = fresh.drain(..).filter(|it| it.session == run.session);
            rows.push((run, of_run.count()));
        }
    }
    Table::of(rows)
        .column("when", |(run, _)| local_minute(run.started_ms))
        .column("commit", |(run, _)| {
            let dirty = if run.revision.dirty { "+" } else { "" };
            format!("{}{dirty}", short_commit(&run.revision.commit))
        })
        .optional(" value", |(run, _)| Some(quantity(decided_value(run)?, &run.metric.unit)))
        .optional(" ratio", |(run, _)| {
            let evidence = run.evidence.as_ref()?;
            let in_times = evidence.degradation.map(|it| ratio(it.estimate));
            without_ratio(evidence, &run.metric).or(in_times)
        })
        .column("verdict", |(run, _)| verdict_in_words(ShownVerdict::of_run(run)))
        .column(" measured", |(run, _)| run.measurements.len())
        .column("counts", |(run, _)| if run.counts_for_baseline { "yes" } else { "no" })
        .column("marks", |(run, fresh)| {
            let fresh = (*fresh > 0).then_some(Mark::FreshProcesses(*fresh));
            Mark::in_words(fresh.into_iter().chain(Mark::all_of(run)))
        })
        .narrowed(&["marks"], &["counts", "measured", "marks", "commit"])
}
