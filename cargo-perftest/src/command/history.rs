//! `cargo perftest history`: all tests, or the runs of one.

use super::errors;
use crate::args::{HistoryArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::reading::idle_tests;
use crate::report::{
    Table, decided_value, local_minute, marks, ratio, run_as_json, short_commit, some_names,
    sparkline, verdict, write_json_lines, write_line,
};
use perftest_core::model::{BenchmarkId, History, Run};
use perftest_core::words::quantity;
use perftest_store::Series;
use serde_json::{Value, json};

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
    context.announce_whole_runs(all, args.limit);
    if args.answer.format() == OutputFormat::Json {
        let lines = context.map_histories(all, |series, records| {
            Ok(series_as_json(series, records.whole_runs(series, args.limit)?))
        })?;
        return Ok(write_json_lines(context.out, lines)?);
    }
    if all.is_empty() {
        return Ok(context.print_nothing_recorded()?);
    }
    let headings = ["test", "testbed", "metric", " runs", " last", "course", "verdict", "when"];
    let left_out = ["when", "testbed", "metric", "runs", "course"];
    let mut table = Table::new(&headings).narrowed(&["test"], &left_out);
    let ascii = context.ascii;
    let rows = context.map_histories(all, |series, records| {
        let loaded = records.whole_runs(series, args.limit)?;
        let newest = loaded.newest().map(|run| (series.benchmark.clone(), run.started_ms));
        Ok((newest, series_as_row(series, loaded, args.limit, ascii)))
    })?;
    let (newest, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    rows.into_iter().for_each(|row| table.push(row));
    table.write(context.out)?;
    let newest = newest.iter().flatten().map(|(test, started_ms)| (test, *started_ms));
    match not_run_for_long(&idle_tests(newest)) {
        Some(words) => Ok(write_line(context.out, &words)?),
        None => Ok(()),
    }
}

/// Names tests that may be deleted.
fn not_run_for_long(idle: &[&BenchmarkId]) -> Option<String> {
    let names: Vec<&str> = idle.iter().map(|test| test.as_str()).collect();
    (!idle.is_empty()).then(|| {
        format!(
            "no run in the last 30 days of this history, so perhaps deleted or renamed: {}",
            some_names(&names)
        )
    })
}

/// Removes fresh processes, which are parts of a run. Those of a confirmation would exaggerate slow runs in
/// a plot.
fn without_fresh_processes(mut history: History) -> History {
    history.runs.retain(|run| !run.is_fresh_process());
    history
}

/// A `+` follows the number of runs if older ones may not be loaded.
fn series_as_row(series: &Series, loaded: History, limit: usize, ascii: bool) -> [String; 8] {
    let history = without_fresh_processes(loaded);
    let more = if history.runs.len() == limit { "+" } else { "" };
    let centers: Vec<f64> = history.runs.iter().filter_map(Run::center).collect();
    let course = &centers[centers.len().saturating_sub(COURSE)..];
    let last = last_value(&history).map(|value| quantity(value, &series.metric.unit));
    [
        series.benchmark.to_string(),
        series.testbed.clone(),
        series.metric.name.clone(),
        format!("{}{more}", history.runs.len()),
        last.unwrap_or_default(),
        sparkline(course, ascii),
        history.newest_judged().map_or("-".into(), verdict),
        history.newest().map_or(String::new(), |run| local_minute(run.started_ms)),
    ]
}

fn series_as_json(series: &Series, loaded: History) -> Value {
    let history = without_fresh_processes(loaded);
    let centers: Vec<Option<f64>> = history.runs.iter().map(Run::center).collect();
    let judged = history.newest_judged().and_then(|run| run.evidence.as_ref());
    json!({
        "event": "series",
        "v": 1,
        "benchmark": series.benchmark.as_str(),
        "testbed": series.testbed,
        "metric": series.metric.name,
        "unit": series.metric.unit,
        "better": series.metric.direction.name(),
        "runs": history.runs.len(),
        "last": last_value(&history),
        "medians": centers,
        "verdict": judged.map(|evidence| evidence.reason.name()),
        "started_ms": history.newest().map(|run| run.started_ms),
    })
}

/// Returns the value of the newest run that has one.
fn last_value(history: &History) -> Option<f64> {
    history.runs.iter().rev().find_map(decided_value)
}

fn runs_of_one(found: &[Series], args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    // With summaries the same lines are read.
    context.announce_whole_runs(found, args.limit);
    for series in found {
        let history = context.whole_runs_and_summaries(series, args.limit);
        let Some(history) = context.read_failures.or_added(history)? else {
            continue;
        };
        match args.answer.format() {
            OutputFormat::Json => {
                let lines = history.runs.iter().map(|run| run_as_json("run", run));
                write_json_lines(context.out, lines)?;
            }
            OutputFormat::Table => {
                let Series { benchmark, testbed, metric, .. } = series;
                write_line(
                    context.out,
                    &format_args!("{benchmark} on {testbed}, {}", metric.name),
                )?;
                table_of_runs(&history).write(context.out)?;
            }
        }
    }
    Ok(())
}

fn table_of_runs(history: &History) -> Table {
    let table = Table::new(&[
        "when",
        "commit",
        " value",
        " ratio",
        "verdict",
        " measured",
        "counts",
        "marks",
    ]);
    let mut table = table.narrowed(&["marks"], &["counts", "measured", "marks", "commit"]);
    // Fresh processes are recorded before the run that they belong to.
    let mut fresh: Vec<&Run> = Vec::new();
    for run in &history.runs {
        if run.is_fresh_process() {
            fresh.push(run);
            continue;
        }
        let of_run = fresh.drain(..).filter(|it| it.session == run.session);
        table.push(run_as_row(run, of_run.count()));
    }
    table
}

/// `fresh` processes were measured besides for the same decision.
fn run_as_row(run: &Run, fresh: usize) -> [String; 8] {
    let dirty = if run.revision.dirty { "+" } else { "" };
    let degradation = run.evidence.as_ref().and_then(|evidence| evidence.degradation);
    [
        local_minute(run.started_ms),
        format!("{}{dirty}", short_commit(&run.revision.commit)),
        decided_value(run).map_or("-".into(), |value| quantity(value, &run.metric.unit)),
        degradation.map_or("-".into(), |it| ratio(it.estimate)),
        verdict(run),
        run.measurements.len().to_string(),
        if run.counts_for_baseline { "yes" } else { "no" }.into(),
        fresh_in_words(fresh).into_iter().chain(marks(run)).collect::<Vec<_>>().join(" "),
    ]
}

fn fresh_in_words(fresh: usize) -> Option<String> {
    match fresh {
        0 => None,
        1 => Some("+1 fresh process".to_owned()),
        many => Some(format!("+{many} fresh processes")),
    }
}
