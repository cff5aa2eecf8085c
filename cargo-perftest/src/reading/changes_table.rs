//! Plots, tables and JSON of changes in histories.

use super::notes::{lacking, other_units, removed_season, some_of};
use super::{LastingChange, StretchChanges, TemporaryEffect, and_fresh_processes};
use crate::args::reading::ChangepointsArgs as Args;
use crate::report::{
    LISTED, Table, Unit, ValuePlot, counted, extend, histories, json_number, local_minute,
    ratio_range, suspect_range, suspects_in_words, write_line,
};
use crate::series::in_words;
use perftest_analysis::verdicts::NoSuspectReason;
use perftest_analysis::words::effect;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Plots the course of a history, with marks at its changes.
pub(crate) fn write_course(
    changes: &StretchChanges,
    ascii: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_line(out, &format_args!("{}: {}", title(changes), changes.description))?;
    if changes.values.is_empty() {
        return Ok(());
    }
    let temporary = changes.temporary.iter().map(|it| (it.change.values.clone(), '~'));
    let lasting = changes.lasting.iter().map(|it| it.ranked.change.index);
    let lasting = lasting.map(|index| (index..index + 1, '^'));
    let marks: Vec<_> = temporary.chain(lasting).collect();
    writeln!(out, "{}", ValuePlot(&changes.values).picture(&marks, ascii))
}

fn title(changes: &StretchChanges) -> String {
    let series = &changes.series;
    format!("{} on {}", in_words(&series.benchmark, &series.metric), series.testbed)
}

/// Lists the changes of all histories in one table, with notes.
pub(crate) fn write_changes(
    found: &[StretchChanges],
    args: &Args,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = most_significant(found, args);
    let listed = args.top.unwrap_or(LISTED);
    let every: usize = found.iter().map(|changes| changes.lasting.len()).sum();
    let others = match every - all.len() {
        0 => String::new(),
        others => format!(", {others} of the other kind"),
    };
    let kind = args.effects.of_changes();
    let judged = found.iter().filter(|changes| changes.are_judged()).count();
    if all.is_empty() {
        writeln!(out, "no {kind} in {}{others}", histories(judged))?;
    } else {
        let table = Table::new(&[
            "test", "testbed", "metric", "when", " before", " after", " ratio", "answer",
            "suspects",
        ]);
        let left_out = ["metric", "testbed", "before", "after", "when", "suspects"];
        let mut table = table.narrowed(&["test", "suspects"], &left_out);
        all.iter().take(listed).for_each(|(of, change)| table.push(row(of, change)));
        table.write(out)?;
        writeln!(out)?;
        let (count, within) = (counted(all.len(), kind), histories(judged));
        writeln!(out, "{count} in {within}, the most significant first{others}")?;
        if all.len() > listed {
            writeln!(out, "and {} more: --top lists as many as you like", all.len() - listed)?;
        }
    }
    write_temporary(found, args, out)?;
    notes(found).iter().try_for_each(|note| write_line(out, &format_args!("note: {note}")))
}

/// Returns the changes with the requested effects, from all histories.
fn most_significant<'a>(
    found: &'a [StretchChanges],
    args: &Args,
) -> Vec<(&'a StretchChanges, &'a LastingChange)> {
    let of_one = |changes: &'a StretchChanges| changes.lasting.iter().map(move |it| (changes, it));
    let mut all: Vec<_> = found.iter().flat_map(of_one).collect();
    all.retain(|(_, change)| args.effects.has(change.effect));
    // Equal changes stay in the order of the tests.
    all.sort_by(|(_, one), (_, other)| one.ranked.by_significance(&other.ranked));
    all
}

fn row(changes: &StretchChanges, change: &LastingChange) -> [String; 9] {
    let series = &changes.series;
    let unit = Unit(&series.metric.unit);
    [
        series.benchmark.to_string(),
        series.testbed.clone(),
        series.metric.name.clone(),
        local_minute(change.at_ms),
        unit.format(change.ranked.change.before),
        unit.format(change.ranked.change.after),
        ratio_range(change.ranked.ratio.as_ref()),
        effect(change.effect, &series.metric).into(),
        suspects_in_words(&change.suspects),
    ]
}

fn write_temporary<'a>(
    found: &'a [StretchChanges],
    args: &Args,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_one = |changes: &'a StretchChanges| std::iter::repeat(changes).zip(&changes.temporary);
    let all: Vec<(&StretchChanges, &TemporaryEffect)> = found.iter().flat_map(of_one).collect();
    if !args.temporary || all.is_empty() {
        let count = counted(all.len(), "temporary change");
        return match all.is_empty() {
            true => Ok(()),
            false => writeln!(out, "and {count}: --temporary lists them"),
        };
    }
    let table = Table::new(&[
        "temporary",
        "testbed",
        "metric",
        "from",
        "to",
        " runs",
        " usual",
        " meanwhile",
    ]);
    let mut table = table.narrowed(&["temporary"], &["metric", "testbed", "runs", "to", "usual"]);
    for (changes, meanwhile) in all {
        let unit = Unit(&changes.series.metric.unit);
        table.push([
            changes.series.benchmark.to_string(),
            changes.series.testbed.clone(),
            changes.series.metric.name.clone(),
            local_minute(meanwhile.from_ms),
            local_minute(meanwhile.to_ms),
            meanwhile.change.values.len().to_string(),
            unit.format(meanwhile.change.usual),
            unit.format(meanwhile.change.meanwhile),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

/// Notes beside the changes; none if there is nothing to note.
fn notes(found: &[StretchChanges]) -> Vec<String> {
    let left_out = match found {
        [only] => only.left_out.in_words(),
        _ => Vec::new(),
    };
    let judged = found.iter().filter(|changes| changes.are_judged());
    let lacking = lacking(judged.map(|changes| changes.lacking.as_deref()));
    let one = [too_few(found), lacking].into_iter().flatten();
    let removed_season = removed_season(found.iter().map(|it| (&it.series, &it.removed_season)));
    let other_units = other_units(found.iter().map(|it| (&it.series, &it.left_out)));
    one.chain(removed_season).chain(left_out).chain(other_units).collect()
}

/// The note on histories that are too short.
fn too_few(found: &[StretchChanges]) -> Option<String> {
    let short = found.iter().filter(|changes| !changes.are_judged());
    let named = short.map(|changes| {
        let (fresh, needed) = (changes.fresh_processes, changes.detection.fewest());
        let have = format!("{}{}", changes.values.len() - fresh, and_fresh_processes(fresh));
        let name = in_words(&changes.series.benchmark, &changes.series.metric);
        format!("{name} ({have} of {needed})")
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("too few runs to judge: {}", some_of(named).join(", ")))
}

/// One object for each change, the most significant first, then the temporary changes, then one for
/// each history.
pub(crate) fn changes_as_json(found: &[StretchChanges], args: &Args) -> Vec<Value> {
    let listed = args.top.unwrap_or(usize::MAX);
    let all = most_significant(found, args).into_iter().take(listed);
    let lasting = all.map(|(changes, change)| lasting_as_json(changes, change));
    let of_one = |changes: &StretchChanges| {
        changes.temporary.iter().map(|it| temporary_as_json(changes, it)).collect()
    };
    let temporary = found.iter().flat_map::<Vec<Value>, _>(of_one);
    let histories = found.iter().map(history_as_json);
    lasting.chain(temporary).chain(histories).collect()
}

/// Begins the object of a change with its test.
fn identified(event: &str, changes: &StretchChanges) -> Value {
    let metric = &changes.series.metric;
    json!({
        "event": event,
        "v": 1,
        "benchmark": changes.series.benchmark.as_str(),
        "testbed": changes.series.testbed,
        "metric": metric.name,
        "unit": metric.unit,
        "better": metric.direction.name(),
        "config": changes.config,
    })
}

fn lasting_as_json(changes: &StretchChanges, change: &LastingChange) -> Value {
    let (ranked, suspects) = (&change.ranked, &change.suspects);
    let ratio = ranked.ratio.as_ref();
    let mut value = identified("change", changes);
    extend(
        &mut value,
        json!({
            "at_ms": change.at_ms,
            "last_before_ms": change.last_before_ms,
            "place_first_ms": change.place_ms[0],
            "place_last_ms": change.place_ms[1],
            "places": suspects.places,
            "suspects": suspect_range(suspects),
            "after_commit": suspects.after.as_ref().map(|it| &it.commit),
            "upto_commit": suspects.upto.commit,
            "dirty": suspects.has_uncommitted,
            "not_the_code": suspects.acquittal.map(NoSuspectReason::in_words),
            "other_context": suspects.has_other_context,
            "before": json_number(ranked.change.before),
            "after": json_number(ranked.change.after),
            "runs_before": ranked.values_before,
            "runs_after": ranked.values_after,
            "ratio_lower": ratio.map(|it| json_number(*it.start())),
            "ratio_upper": ratio.map(|it| json_number(*it.end())),
            "key": json_number(ranked.key()),
            "effect": change.effect.name(),
        }),
    );
    value
}

fn temporary_as_json(changes: &StretchChanges, meanwhile: &TemporaryEffect) -> Value {
    let mut value = identified("temporary_change", changes);
    extend(
        &mut value,
        json!({
            "from_ms": meanwhile.from_ms,
            "to_ms": meanwhile.to_ms,
            "runs": meanwhile.change.values.len(),
            "usual": json_number(meanwhile.change.usual),
            "meanwhile": json_number(meanwhile.change.meanwhile),
        }),
    );
    value
}

fn history_as_json(changes: &StretchChanges) -> Value {
    let mut value = identified("searched", changes);
    extend(
        &mut value,
        json!({
            "branch": changes.branch,
            "runs": changes.values.len(),
            "runs_needed": changes.detection.fewest(),
            "judged": changes.are_judged(),
            "detector": changes.detection.name(),
            "settings": changes.detection.set(),
            "changes": changes.lasting.len(),
            "temporary_changes": changes.temporary.len(),
            "left_out": changes.left_out.as_json(),
            "season": changes.removed_season.json,
        }),
    );
    value
}
