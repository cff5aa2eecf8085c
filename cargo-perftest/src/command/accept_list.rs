//! `cargo perftest accept --list` and `--check`: what is accepted, and what of it is stale.

use super::drift::has_drifted;
use crate::acceptances::AcceptanceEntry;
use crate::args::OutputFormat;
use crate::command_context::CommandContext;
use crate::exit::{CommandEnd, Result};
use crate::report::{
    Table, counted, end_of, local_minute, report_damage, write_json_lines, write_line,
};
use crate::series::name_of;
use perftest_core::model::{Acceptance, Anchor, BaselineRule, BenchmarkId, Reason, Run};
use perftest_core::named;
use perftest_store::{Query, Series, Which};
use serde_json::{Value, json};

/// Newest runs under an entry that are asked whether they needed it.
const LOOK_BACK: usize = 200;

named! {
    /// What has become of an entry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum AcceptanceStatus {
        /// It let a slower run pass, or a better one of a test with `on_improved = "fail"`, or only its
        /// bound proved a green, or it accepted a drift.
        Used = "used",
        /// No run was taken under it yet, perhaps because its testbed has none.
        Waiting = "waiting",
        /// Runs were taken under it, and none needed it.
        Unused = "unused",
        /// It names no test that is recorded here.
        NoSuchTest = "no such test",
        /// Its end has come.
        Over = "over",
        /// A file cannot be read in which it may be needed.
        Unknown = "not known",
    }
}

impl AcceptanceStatus {
    /// Whether the entry does nothing but leave a gap for a later degradation.
    fn is_stale(self) -> bool {
        matches!(self, Self::Unused | Self::NoSuchTest | Self::Over)
    }
}

pub(super) fn list(format: OutputFormat, context: &mut CommandContext<'_>) -> Result<()> {
    let all = judged_series(context)?;
    let entries = entries(&all, context)?;
    if entries.is_empty() && format == OutputFormat::Table {
        return Ok(writeln!(context.out, "nothing is accepted in {}", context.project.name)?);
    }
    write(&entries, format, context)?;
    if format == OutputFormat::Table { print_waiting(&entries, &all, context) } else { Ok(()) }
}

pub(super) fn check(format: OutputFormat, context: &mut CommandContext<'_>) -> Result<CommandEnd> {
    let all = judged_series(context)?;
    let (stale, in_order): (AcceptanceStatuses, AcceptanceStatuses) =
        entries(&all, context)?.into_iter().partition(|(_, status)| status.is_stale());
    if stale.is_empty() {
        if format == OutputFormat::Table {
            writeln!(context.out, "no acceptance is stale")?;
            print_waiting(&in_order, &all, context)?;
        }
        return Ok(CommandEnd::Done);
    }
    write(&stale, format, context)?;
    context.read_failures.report();
    if format == OutputFormat::Table {
        writeln!(context.out, "stale; revoke each: cargo perftest accept --revoke ID")?;
        print_waiting(&in_order, &all, context)?;
    }
    Ok(CommandEnd::No)
}

/// An acceptance and what has become of it.
type AcceptanceStatuses = Vec<(AcceptanceEntry, AcceptanceStatus)>;

/// Returns the histories that can need an acceptance. A test that is no longer there needs nothing.
fn judged_series(context: &CommandContext<'_>) -> Result<Vec<Series>> {
    let mut all = context.chosen(None)?;
    all.retain(|series| !series.is_show_only());
    Ok(all)
}

fn entries(all: &[Series], context: &CommandContext<'_>) -> Result<AcceptanceStatuses> {
    let entries = context.acceptances()?;
    let statuses = entries.iter().map(|entry| match status(entry, all, context)? {
        AcceptanceStatus::Unused if accepts_drift(entry, &entries, all, context)? => {
            Ok(AcceptanceStatus::Used)
        }
        status => Ok(status),
    });
    let statuses = statuses.collect::<Result<Vec<_>>>()?;
    Ok(entries.into_iter().zip(statuses).collect())
}

/// Whether a test that the entry names would have drifted without it, which no single run shows.
fn accepts_drift(
    entry: &AcceptanceEntry,
    entries: &[AcceptanceEntry],
    all: &[Series],
    context: &CommandContext<'_>,
) -> Result<bool> {
    if entry.acceptance.is_temporary() || entry.acceptance.benchmark.is_of_several() {
        return Ok(false);
    }
    let others = entries.iter().filter(|other| *other != entry);
    let others: Vec<Acceptance> = others.map(|other| other.acceptance.clone()).collect();
    for series in all.iter().filter(|series| entry.is_about(series)) {
        if has_drifted(series, &others, context)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn status(
    entry: &AcceptanceEntry,
    all: &[Series],
    context: &CommandContext<'_>,
) -> Result<AcceptanceStatus> {
    if entry.acceptance.is_over(context.now_ms()) {
        return Ok(AcceptanceStatus::Over);
    }
    let (mut status, mut is_unread) = (AcceptanceStatus::Waiting, false);
    if !all.is_empty() && !all.iter().any(|series| entry.names(series)) {
        status = AcceptanceStatus::NoSuchTest;
    }
    for series in all.iter().filter(|series| entry.is_about(series)) {
        let read = context.read_failures.or_added(runs_under(entry, series, context))?;
        is_unread |= read.is_none();
        let runs = read.unwrap_or_default();
        if runs.iter().any(Run::used_acceptance) {
            return Ok(AcceptanceStatus::Used);
        }
        if !runs.is_empty() {
            status = AcceptanceStatus::Unused;
        }
    }
    let may_be_needed =
        !context.read_failures.is_empty() && (is_unread || may_be_unread(entry, context)?);
    Ok(if may_be_needed { AcceptanceStatus::Unknown } else { status })
}

/// Whether a history that cannot be read may be of a test that an entry names.
fn may_be_unread(entry: &AcceptanceEntry, context: &CommandContext<'_>) -> Result<bool> {
    let pattern = &entry.acceptance.benchmark;
    let of_one = BenchmarkId::from_recorded(pattern.as_str());
    Ok(pattern.is_of_several() || !context.store.list(Some(&of_one))?.unreadable.is_empty())
}

/// The first and the newest runs under an entry: the first need it where a new level begins.
fn runs_under(
    entry: &AcceptanceEntry,
    series: &Series,
    context: &CommandContext<'_>,
) -> Result<Vec<Run>> {
    let newest = Query { acceptance: Some(entry.acceptance.id.clone()), ..series.query(LOOK_BACK) };
    let first =
        Query { which: Which::FirstCountedForBaseline, limit: Anchor::RUNS, ..newest.clone() };
    let mut runs = report_damage(context.store.load(&first)?).runs;
    runs.extend(report_damage(context.store.load(&newest)?).runs);
    Ok(runs)
}

/// Prints the tests whose accepted level has too few runs yet: until it has enough, the bound hides later slowdowns.
fn print_waiting(
    entries: &[(AcceptanceEntry, AcceptanceStatus)],
    all: &[Series],
    context: &mut CommandContext<'_>,
) -> Result<()> {
    for series in all {
        // Of several acceptances of a test the newest applies.
        let newest = entries.iter().rfind(|(entry, _)| entry.is_about(series));
        let used = newest.filter(|(_, status)| *status == AcceptanceStatus::Used);
        let Some((entry, _)) = used.filter(|(entry, _)| !entry.acceptance.is_temporary()) else {
            continue;
        };
        let missing = context.read_failures.or_added(missing_runs(entry, series, context))?;
        let Some(missing @ 1..) = missing else { continue };
        let line = format_args!(
            "{} on {} waits for {} that count since {}; until then {}x its old level passes, and the tolerance beside it",
            name_of(series),
            series.testbed,
            counted(missing, "more run"),
            local_minute(entry.acceptance.given_ms),
            entry.acceptance.max_ratio,
        );
        write_line(context.out, &line)?;
    }
    Ok(())
}

/// Counts the runs that the level of an acceptance lacks to be the baseline.
fn missing_runs(
    entry: &AcceptanceEntry,
    series: &Series,
    context: &CommandContext<'_>,
) -> Result<usize> {
    let under = Query {
        acceptance: Some(entry.acceptance.id.clone()),
        which: Which::FirstCountedForBaseline,
        ..series.query(BaselineRule::LOADED_RUNS)
    };
    let mut runs = report_damage(context.store.load(&under)?).runs;
    runs.retain(|run| run.reason() != Some(Reason::Red));
    let began = runs.iter().position(Run::was_let_pass).unwrap_or(0);
    Ok(BaselineRule::default().needed.saturating_sub(runs.len() - began))
}

fn write(
    entries: &[(AcceptanceEntry, AcceptanceStatus)],
    format: OutputFormat,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    if format == OutputFormat::Json {
        let lines = entries.iter().map(|(entry, status)| as_json(entry, *status));
        return Ok(write_json_lines(context.out, lines)?);
    }
    Table::of(entries.iter().map(|(entry, status)| (&entry.acceptance, entry.origin, status)))
        .column("id", |(it, ..)| it.id.clone())
        .column("test", |(it, ..)| it.benchmark.clone())
        .column("testbed", |(it, ..)| match it.holds_on_every_testbed() {
            true => "all".to_owned(),
            false => it.testbed.clone(),
        })
        .column(" up to", |(it, ..)| format!("{}x", it.max_ratio))
        .column("given", |(it, ..)| local_minute(it.given_ms))
        .column("until", |(it, ..)| it.until_ms.map_or("-".into(), end_of))
        .column("in", |(_, origin, _)| origin.in_words())
        .column("standing", |(.., status)| status.name())
        .column("reason", |(it, ..)| it.reason.clone())
        .narrowed(&["test", "reason"], &["given", "in", "testbed", "until", "reason", "standing"])
        .write(context.out)?;
    Ok(())
}

fn as_json(entry: &AcceptanceEntry, status: AcceptanceStatus) -> Value {
    let acceptance = &entry.acceptance;
    json!({
        "event": "acceptance",
        "v": 1,
        "id": acceptance.id,
        "benchmark": acceptance.benchmark.as_str(),
        "testbed": Some(&acceptance.testbed).filter(|_| !acceptance.holds_on_every_testbed()),
        "max_ratio": acceptance.max_ratio,
        "reason": acceptance.reason,
        "given_ms": acceptance.given_ms,
        "until_ms": acceptance.until_ms,
        "origin": entry.origin.name(),
        "standing": status.name(),
        "stale": status.is_stale(),
    })
}
