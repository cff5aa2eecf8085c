//! Plots, tables and JSON of changes in histories.

use super::notes::{notes, some_of, write_notes};
use super::{LastingChange, StretchChanges, StretchFacts, TemporaryEffect};
use crate::args::reading::ChangepointsArgs as Args;
use crate::args::value_name;
use crate::report::{
    Columns, LISTED, Table, Unit, ValuePlot, counted, histories, json_number, local_minute,
    ratio_range, suspect_range, suspects_in_words, write_line,
};
use crate::series::name_of;
use crate::stats::note_on_ticks;
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
    let series = &changes.facts.series;
    let title = format_args!("{} on {}: {}", name_of(series), series.testbed, changes.description);
    write_line(out, &title)?;
    if changes.values.is_empty() {
        return Ok(());
    }
    let temporary = changes.temporary.iter().map(|it| (it.change.values.clone(), '~'));
    let lasting = changes.lasting.iter().map(|it| it.ranked.change.index);
    let lasting = lasting.map(|index| (index..index + 1, '^'));
    let marks: Vec<_> = temporary.chain(lasting).collect();
    writeln!(out, "{}", ValuePlot(&changes.values).picture(&marks, ascii))
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
        of_series(all.iter().copied().take(listed), "test")
            .column("when", |(_, change)| local_minute(change.at_ms))
            .column(" before", |(of, change)| in_unit(of, change.ranked.change.before))
            .column(" after", |(of, change)| in_unit(of, change.ranked.change.after))
            .column(" ratio", |(_, change)| ratio_range(change.ranked.ratio.as_ref()))
            .column("answer", |(of, change)| effect(change.effect, &of.facts.series.metric))
            .column("suspects", |(_, change)| suspects_in_words(&change.suspects))
            .narrowed(
                &["test", "suspects"],
                &["metric", "testbed", "before", "after", "when", "suspects"],
            )
            .write(out)?;
        writeln!(out)?;
        let (count, within) = (counted(all.len(), kind), histories(judged));
        writeln!(out, "{count} in {within}, the most significant first{others}")?;
        if all.len() > listed {
            writeln!(out, "and {} more: --top lists as many as you like", all.len() - listed)?;
        }
    }
    write_temporary(found, args, out)?;
    let all: Vec<&StretchFacts> = found.iter().map(|changes| &changes.facts).collect();
    let judged = found.iter().filter(|changes| changes.are_judged()).map(|changes| &changes.facts);
    let notes: Vec<String> =
        too_few(found).into_iter().chain(coarse_clocks(found)).chain(notes(&all, judged)).collect();
    write_notes(&notes, out)
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

/// Begins a table of changes with their histories.
fn of_series<'a, C>(
    all: impl Iterator<Item = (&'a StretchChanges, C)>,
    heading: &str,
) -> Columns<(&'a StretchChanges, C)> {
    Table::of(all)
        .column(heading, |(of, _)| of.facts.series.benchmark.clone())
        .column("testbed", |(of, _)| of.facts.series.testbed.clone())
        .column("metric", |(of, _)| of.facts.series.metric.name.clone())
}

fn in_unit(changes: &StretchChanges, value: f64) -> String {
    Unit(&changes.facts.series.metric.unit).format(value)
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
    writeln!(out)?;
    of_series(all.into_iter(), "temporary")
        .column("from", |(_, it)| local_minute(it.from_ms))
        .column("to", |(_, it)| local_minute(it.to_ms))
        .column(" runs", |(_, it)| it.change.values.len())
        .column(" usual", |(of, it)| in_unit(of, it.change.usual))
        .column(" meanwhile", |(of, it)| in_unit(of, it.change.meanwhile))
        .narrowed(&["temporary"], &["metric", "testbed", "runs", "to", "usual"])
        .write(out)
}

/// The note on histories that are too short.
fn too_few(found: &[StretchChanges]) -> Option<String> {
    let short = found.iter().filter(|changes| !changes.are_judged());
    let named = short.map(|changes| {
        let (have, needed) = (changes.values.len(), changes.detection.fewest());
        format!("{} ({have} of {needed})", name_of(&changes.facts.series))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("too few runs to judge: {}", some_of(named).join(", ")))
}

/// The notes on histories whose clock may hide a change.
fn coarse_clocks(found: &[StretchChanges]) -> Vec<String> {
    let named = found.iter().filter_map(|changes| {
        let tick = in_unit(changes, changes.tick?);
        Some(format!("{}: {}", name_of(&changes.facts.series), note_on_ticks(&tick)))
    });
    some_of(named.collect())
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

fn lasting_as_json(changes: &StretchChanges, change: &LastingChange) -> Value {
    let (ranked, suspects) = (&change.ranked, &change.suspects);
    let ratio = ranked.ratio.as_ref();
    let fields = json!({
        "config": changes.config,
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
    });
    changes.facts.event("change", fields)
}

fn temporary_as_json(changes: &StretchChanges, meanwhile: &TemporaryEffect) -> Value {
    let fields = json!({
        "config": changes.config,
        "from_ms": meanwhile.from_ms,
        "to_ms": meanwhile.to_ms,
        "runs": meanwhile.change.values.len(),
        "usual": json_number(meanwhile.change.usual),
        "meanwhile": json_number(meanwhile.change.meanwhile),
    });
    changes.facts.event("temporary_change", fields)
}

fn history_as_json(changes: &StretchChanges) -> Value {
    let fields = json!({
        "config": changes.config,
        "branch": changes.facts.branch,
        "runs": changes.values.len(),
        "runs_needed": changes.detection.fewest(),
        "judged": changes.are_judged(),
        "detector": value_name(changes.detection.detector),
        "settings": changes.detection.set(),
        "changes": changes.lasting.len(),
        "temporary_changes": changes.temporary.len(),
        "tick": changes.tick.map(json_number),
        "left_out": changes.facts.left_out.as_json(),
        "season": changes.facts.removed_season.json,
    });
    changes.facts.event("searched", fields)
}
