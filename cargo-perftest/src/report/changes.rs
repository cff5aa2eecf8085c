//! The changes of histories, drawn.

use super::notes::{histories, lacking, other_units, some_of, taken_out};
use super::{Course, Table, extend, local_minute, ratio_range, write_line};
use crate::args::reading::Changepoints as Args;
use crate::reading::{Changes, LastingChange, Meanwhile};
use crate::series::in_words;
use crate::stats::{Unit, counted, told};
use perftest_analysis::words::effect;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Rows of a table where nobody asks for more or less.
pub(crate) const LISTED: usize = 20;

/// How the values of a history went, with marks where they changed.
pub(crate) fn write_course(changes: &Changes, ascii: bool, out: &mut dyn Write) -> io::Result<()> {
    write_line(out, &format_args!("{}: {}", title(changes), changes.told))?;
    if changes.values.is_empty() {
        return Ok(());
    }
    let temporary = changes.temporary.iter().map(|it| (it.change.values.clone(), '~'));
    let lasting = changes.lasting.iter().map(|it| it.ranked.change.index);
    let lasting = lasting.map(|index| (index..index + 1, '^'));
    let marks: Vec<_> = temporary.chain(lasting).collect();
    writeln!(out, "{}", Course(&changes.values).picture(&marks, ascii))
}

fn title(changes: &Changes) -> String {
    let series = &changes.series;
    format!("{} on {}", in_words(&series.benchmark, &series.metric), series.testbed)
}

/// The changes of all histories in one table, and what else has to be known.
pub(crate) fn write_changes(found: &[Changes], args: &Args, out: &mut dyn Write) -> io::Result<()> {
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
        let mut table = Table::new(&[
            "test", "testbed", "metric", "when", " before", " after", " ratio", "answer",
            "suspects",
        ]);
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

/// The changes with effects that are asked for, from all histories.
fn most_significant<'a>(
    found: &'a [Changes],
    args: &Args,
) -> Vec<(&'a Changes, &'a LastingChange)> {
    let of_one = |changes: &'a Changes| changes.lasting.iter().map(move |it| (changes, it));
    let mut all: Vec<_> = found.iter().flat_map(of_one).collect();
    all.retain(|(_, change)| args.effects.has(change.effect));
    // Equal ones stay in the order of the tests.
    all.sort_by(|(_, one), (_, other)| one.ranked.by_significance(&other.ranked));
    all
}

fn row(changes: &Changes, change: &LastingChange) -> [String; 9] {
    let series = &changes.series;
    let unit = Unit(&series.metric.unit);
    [
        series.benchmark.to_string(),
        series.testbed.clone(),
        series.metric.name.clone(),
        local_minute(change.suspects.upto.started_ms),
        unit.told(change.ranked.change.before),
        unit.told(change.ranked.change.after),
        ratio_range(change.ranked.ratio.as_ref()),
        effect(change.effect, &series.metric).into(),
        change.suspects.in_words(),
    ]
}

fn write_temporary<'a>(found: &'a [Changes], args: &Args, out: &mut dyn Write) -> io::Result<()> {
    let of_one = |changes: &'a Changes| std::iter::repeat(changes).zip(&changes.temporary);
    let all: Vec<(&Changes, &Meanwhile)> = found.iter().flat_map(of_one).collect();
    if !args.temporary || all.is_empty() {
        let count = counted(all.len(), "temporary change");
        return match all.is_empty() {
            true => Ok(()),
            false => writeln!(out, "and {count}: --temporary lists them"),
        };
    }
    let mut table = Table::new(&[
        "temporary",
        "testbed",
        "metric",
        "from",
        "to",
        " runs",
        " usual",
        " meanwhile",
    ]);
    for (changes, meanwhile) in all {
        let unit = Unit(&changes.series.metric.unit);
        table.push([
            changes.series.benchmark.to_string(),
            changes.series.testbed.clone(),
            changes.series.metric.name.clone(),
            local_minute(meanwhile.from_ms),
            local_minute(meanwhile.to_ms),
            meanwhile.change.values.len().to_string(),
            unit.told(meanwhile.change.usual),
            unit.told(meanwhile.change.meanwhile),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

/// What has to be known beside the changes; nothing where all is well.
fn notes(found: &[Changes]) -> Vec<String> {
    let left_out = match found {
        [only] => only.left_out.in_words(),
        _ => Vec::new(),
    };
    let judged = found.iter().filter(|changes| changes.are_judged());
    let lacking = lacking(judged.map(|changes| changes.lacking.as_deref()));
    let one = [too_few(found), lacking].into_iter().flatten();
    let taken_out = taken_out(found.iter().map(|it| (&it.series, &it.taken_out)));
    let other_units = other_units(found.iter().map(|it| (&it.series, &it.left_out)));
    one.chain(taken_out).chain(left_out).chain(other_units).collect()
}

/// Which histories are too short.
fn too_few(found: &[Changes]) -> Option<String> {
    let short = found.iter().filter(|changes| !changes.are_judged());
    let named = short.map(|changes| {
        let (have, needed) = (changes.values.len(), changes.detection.fewest());
        let name = in_words(&changes.series.benchmark, &changes.series.metric);
        format!("{name} ({have} of {needed})")
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("too few runs to judge: {}", some_of(named).join(", ")))
}

/// An object a change, the most significant first, then those of temporary changes, and one a history.
pub(crate) fn changes_as_json(found: &[Changes], args: &Args) -> Vec<Value> {
    let listed = args.top.unwrap_or(usize::MAX);
    let all = most_significant(found, args).into_iter().take(listed);
    let lasting = all.map(|(changes, change)| lasting_as_json(changes, change));
    let of_one = |changes: &Changes| {
        changes.temporary.iter().map(|it| temporary_as_json(changes, it)).collect()
    };
    let temporary = found.iter().flat_map::<Vec<Value>, _>(of_one);
    let histories = found.iter().map(history_as_json);
    lasting.chain(temporary).chain(histories).collect()
}

/// Whose change it is.
fn identified(event: &str, changes: &Changes) -> Value {
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

fn lasting_as_json(changes: &Changes, change: &LastingChange) -> Value {
    let (ranked, suspects) = (&change.ranked, &change.suspects);
    let ratio = ranked.ratio.as_ref();
    let mut value = identified("change", changes);
    extend(
        &mut value,
        json!({
            "at_ms": suspects.upto.started_ms,
            "last_before_ms": suspects.after.started_ms,
            "suspects": suspects.range(),
            "after_commit": suspects.after.commit,
            "upto_commit": suspects.upto.commit,
            "dirty": suspects.after.is_dirty || suspects.upto.is_dirty,
            "not_the_code": suspects.acquittal().map(|it| it.in_words()),
            "other_context": suspects.has_other_context(),
            "before": told(ranked.change.before),
            "after": told(ranked.change.after),
            "runs_before": ranked.values_before,
            "runs_after": ranked.values_after,
            "ratio_lower": ratio.map(|it| told(*it.start())),
            "ratio_upper": ratio.map(|it| told(*it.end())),
            "key": told(ranked.key()),
            "effect": change.effect.name(),
        }),
    );
    value
}

fn temporary_as_json(changes: &Changes, meanwhile: &Meanwhile) -> Value {
    let mut value = identified("temporary_change", changes);
    extend(
        &mut value,
        json!({
            "from_ms": meanwhile.from_ms,
            "to_ms": meanwhile.to_ms,
            "runs": meanwhile.change.values.len(),
            "usual": told(meanwhile.change.usual),
            "meanwhile": told(meanwhile.change.meanwhile),
        }),
    );
    value
}

fn history_as_json(changes: &Changes) -> Value {
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
            "season": changes.taken_out.json,
        }),
    );
    value
}
