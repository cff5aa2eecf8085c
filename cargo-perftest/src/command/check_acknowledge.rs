//! `cargo perftest check --acknowledge` and `--revoke`: notes about alerts.

use super::accept_entry::new_id;
use crate::alerts::{Watch, WatchResult};
use crate::args::OutputFormat;
use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::history_directory::here;
use crate::report::{report_damage, write_json_line, write_line};
use perftest_core::model::{Acknowledgement, LimitSide};
use perftest_core::words::quantity;
use perftest_store::AcceptanceFile;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes a line for each open alert of the test, also those that the newest runs left open.
pub(super) fn acknowledge(
    test: &str,
    reason: &str,
    watch: &Watch<'_>,
    format: OutputFormat,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let by = user()?;
    let open = watch.watched.iter().flat_map(WatchResult::open);
    let entries: Vec<(&WatchResult<'_>, Acknowledgement)> =
        open.filter_map(|it| Some((it, entry(it, reason, &by, context.now_ms())?))).collect();
    if entries.is_empty() {
        return refuse(format!(
            "no alert of `{test}` is open; `cargo perftest check --all` lists what is"
        ));
    }
    for (watched, entry) in entries {
        context.acceptance_file.acknowledge(&entry)?;
        match format {
            OutputFormat::Json => write_json_line(context.out, &as_json(&entry, "acknowledged"))?,
            OutputFormat::Table => print_acknowledged(watched, &entry, context.out)?,
        }
    }
    Ok(())
}

fn print_acknowledged(
    watched: &WatchResult<'_>,
    entry: &Acknowledgement,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_line(out, &sentence(watched, entry))?;
    writeln!(
        out,
        "  acknowledged as {} in {}: commit it; take it back with: cargo perftest check --revoke {}",
        entry.id,
        AcceptanceFile::NAME,
        entry.id
    )
}

fn as_json(entry: &Acknowledgement, event: &str) -> Value {
    json!({
        "event": event,
        "id": entry.id,
        "threshold": entry.threshold,
        "benchmark": entry.benchmark.as_str(),
        "metric": entry.metric,
        "testbed": entry.testbed,
        "branch": entry.branch,
        "value": entry.value,
        "reason": entry.reason,
        "by": entry.by,
        "file": AcceptanceFile::NAME,
    })
}

/// Revokes an entry.
pub(super) fn revoke(
    id: &str,
    format: OutputFormat,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let known = report_damage(context.acceptance_file.acknowledgements()?);
    let Some(entry) = known.into_iter().find(|it| it.id == id) else {
        return refuse(format!(
            "no acknowledged alert has this id; the lines of {} that have `\"kind\":\"acknowledge\"` are \
             those there are",
            AcceptanceFile::NAME
        ));
    };
    context.acceptance_file.revoke(id, context.now_ms())?;
    match format {
        OutputFormat::Json => write_json_line(context.out, &as_json(&entry, "revoked"))?,
        OutputFormat::Table => writeln!(
            context.out,
            "no longer acknowledged: {} of {}; its line in {} now revokes it: commit that",
            entry.threshold,
            entry.benchmark,
            AcceptanceFile::NAME
        )?,
    }
    Ok(())
}

/// Returns git's user; empty without one.
fn user() -> Result<String> {
    let repository = GitCheckout::around(&here()?);
    let name = repository.and_then(|repository| repository.git(&["config", "user.name"]));
    Ok(name.unwrap_or_default())
}

/// Returns the entry that covers the alert as it is now; `None` without an alert.
fn entry(
    watched: &WatchResult<'_>,
    reason: &str,
    by: &str,
    now_ms: u64,
) -> Option<Acknowledgement> {
    let (alert, opened) = (watched.alert()?, watched.opened_by.as_ref()?);
    let newest = watched.newest.as_ref()?;
    // Values on their way back do not reduce the acknowledged change.
    let value = match alert.side {
        LimitSide::Upper => newest.value.max(alert.opened_by),
        LimitSide::Lower => newest.value.min(alert.opened_by),
    };
    Some(Acknowledgement {
        id: new_id(now_ms),
        threshold: watched.threshold.name.clone(),
        benchmark: watched.series.benchmark.clone(),
        metric: watched.series.metric.name.clone(),
        testbed: watched.series.testbed.clone(),
        branch: watched.branch.clone(),
        opened_by: opened.run.clone(),
        opened_at: opened.code.label(),
        given_after: newest.run.clone(),
        value,
        reason: reason.to_owned(),
        by: by.to_owned(),
        given_ms: now_ms,
    })
}

fn sentence(watched: &WatchResult<'_>, entry: &Acknowledgement) -> String {
    let unit = &watched.series.metric.unit;
    let before = watched.alert().map_or_else(String::new, |it| quantity(it.baseline, unit));
    format!(
        "{}: {} of {} on {}, {before} -> {}: {}",
        entry.threshold,
        entry.metric,
        entry.benchmark,
        entry.testbed,
        quantity(entry.value, unit),
        entry.reason
    )
}
