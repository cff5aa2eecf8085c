//! `cargo perftest accept --list` and `--check`: what is accepted, and what of it is stale.

use crate::acceptances::AcceptanceEntry;
use crate::args::OutputFormat;
use crate::command_context::CommandContext;
use crate::exit::{CommandEnd, Result};
use crate::report::{Table, end_of, local_minute, report_damage, write_json_lines};
use perftest_core::model::{Anchor, BenchmarkId, Run};
use perftest_store::{Query, Series, Which};
use serde_json::{Value, json};

/// Newest runs under an entry that are asked whether they needed it.
const LOOK_BACK: usize = 200;

/// What has become of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AcceptanceStatus {
    /// It let a slower run pass, or a better one of a test with `on_improved = "fail"`, or only its
    /// bound proved a green.
    Used,
    /// No run was taken under it yet, perhaps because its testbed has none.
    Waiting,
    /// Runs were taken under it, and none needed it.
    Unused,
    /// It names no test that is recorded here.
    NoSuchTest,
    /// Its end has come.
    Over,
    /// A file cannot be read in which it may be needed.
    Unknown,
}

impl AcceptanceStatus {
    fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Waiting => "waiting",
            Self::Unused => "unused",
            Self::NoSuchTest => "no such test",
            Self::Over => "over",
            Self::Unknown => "not known",
        }
    }

    /// Whether the entry does nothing but leave a gap for a later degradation.
    fn is_stale(self) -> bool {
        matches!(self, Self::Unused | Self::NoSuchTest | Self::Over)
    }
}

pub(super) fn list(format: OutputFormat, context: &mut CommandContext<'_>) -> Result<()> {
    let entries = entries(context)?;
    if entries.is_empty() && format == OutputFormat::Table {
        return Ok(writeln!(context.out, "nothing is accepted in {}", context.project.name)?);
    }
    write(&entries, format, context)
}

pub(super) fn check(format: OutputFormat, context: &mut CommandContext<'_>) -> Result<CommandEnd> {
    let mut stale = entries(context)?;
    stale.retain(|(_, status)| status.is_stale());
    if stale.is_empty() {
        if format == OutputFormat::Table {
            writeln!(context.out, "no acceptance is stale")?;
        }
        return Ok(CommandEnd::Done);
    }
    write(&stale, format, context)?;
    context.read_failures.report();
    if format == OutputFormat::Table {
        writeln!(context.out, "stale; delete each: cargo perftest accept --revoke ID")?;
    }
    Ok(CommandEnd::No)
}

/// An acceptance and what has become of it.
type AcceptanceStatuses = Vec<(AcceptanceEntry, AcceptanceStatus)>;

fn entries(context: &CommandContext<'_>) -> Result<AcceptanceStatuses> {
    let accepted = context.acceptances()?;
    // A test that is no longer there needs nothing.
    let mut all = context.chosen(None)?;
    all.retain(|series| !series.is_show_only());
    let with_status = |entry: AcceptanceEntry| {
        let status = status(&entry, &all, context)?;
        Ok((entry, status))
    };
    accepted.into_iter().map(with_status).collect()
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
    let pattern = entry.acceptance.benchmark.as_str();
    let is_of_several = pattern.ends_with('*');
    let of_one = BenchmarkId::from_recorded(pattern);
    Ok(is_of_several || !context.store.list(Some(&of_one))?.unreadable.is_empty())
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
