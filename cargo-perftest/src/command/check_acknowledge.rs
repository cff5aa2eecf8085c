//! `cargo perftest check --acknowledge` and `--revoke`: what somebody knows about an alert.

use super::accept::new_id;
use crate::alerts::{Standing, Watch, Watched};
use crate::args::Format;
use crate::compare::Repository;
use crate::desk::{Desk, told_of_damage};
use crate::exit::Failure;
use crate::place::here;
use crate::report::write_line;
use perftest_core::model::Acknowledgement;
use perftest_core::words::quantity;
use perftest_store::AcceptanceFile;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes a line for each open alert of the test.
pub(super) fn acknowledge(
    test: &str,
    reason: &str,
    watch: &Watch<'_>,
    format: Format,
    desk: &mut Desk<'_>,
) -> Result<(), Failure> {
    let by = user()?;
    let open = watch.watched.iter().filter(|it| it.standing == Standing::Open);
    let entries: Vec<(&Watched<'_>, Acknowledgement)> =
        open.filter_map(|it| Some((it, entry(it, reason, &by, desk.now_ms())?))).collect();
    if entries.is_empty() {
        let why =
            format!("no alert of `{test}` is open; `cargo perftest check --all` lists what is");
        return Err(Failure::Usage(why));
    }
    for (watched, entry) in entries {
        desk.acceptance_file.acknowledge(&entry)?;
        match format {
            Format::Json => writeln!(desk.out, "{}", as_json(&entry, "acknowledged"))?,
            Format::Table => tell_acknowledged(watched, &entry, desk.out)?,
        }
    }
    Ok(())
}

fn tell_acknowledged(
    watched: &Watched<'_>,
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

/// Deletes the line of an entry.
pub(super) fn revoke(id: &str, format: Format, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let known = told_of_damage(desk.acceptance_file.acknowledgements()?);
    let Some(entry) = known.into_iter().find(|it| it.id == id) else {
        let why = format!(
            "no acknowledged alert has this id; the lines of {} that have `\"kind\":\"acknowledge\"` are \
             those there are",
            AcceptanceFile::NAME
        );
        return Err(Failure::Usage(why));
    };
    desk.acceptance_file.remove(id)?;
    match format {
        Format::Json => writeln!(desk.out, "{}", as_json(&entry, "revoked"))?,
        Format::Table => writeln!(
            desk.out,
            "no longer acknowledged: {} of {}; its line is deleted from {}: commit that",
            entry.threshold,
            entry.benchmark,
            AcceptanceFile::NAME
        )?,
    }
    Ok(())
}

/// Who git says it is; empty where it does not.
fn user() -> Result<String, Failure> {
    let repository = Repository::around(&here()?);
    let name = repository.and_then(|repository| repository.git(&["config", "user.name"]));
    Ok(name.unwrap_or_default())
}

/// What covers the alert as it is now; `None` without one.
fn entry(watched: &Watched<'_>, reason: &str, by: &str, now_ms: u64) -> Option<Acknowledgement> {
    let (alert, opened) = (watched.alert()?, watched.opened_by.as_ref()?);
    let newest = watched.newest.as_ref()?;
    // Values that are on their way back do not make less of what was seen.
    let distance = |value: f64| (value - alert.baseline).abs();
    let values = [newest.value, alert.opened_by];
    let value = values.into_iter().max_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
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

fn sentence(watched: &Watched<'_>, entry: &Acknowledgement) -> String {
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
