//! The functions of two profiles, by their change.

use super::UnionFile;
use super::function_table::{LISTED, percent, write_notes_below};
use crate::args::profile::{ProfileRows, RankedTime};
use crate::report::{Table, write_json_line, write_line};
use perftest_analysis::profile::{FunctionChange, ShareChange, TimeChange};
use perftest_core::words::quantity;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The bounds of the change of a function's own time.
const PER_ITERATION: &str = " per iteration";

/// Writes the functions with the largest changes: those that grew, then those that shrank.
pub(crate) fn write_difference(
    file: &UnionFile,
    rows: &ProfileRows,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (functions, threshold) = file.functions();
    let functions = ranked(functions, rows, LISTED);
    let [base, new] = file.union.sides();
    writeln!(out, "base  {}: {} samples", file.base.as_deref().unwrap_or(&file.new), base.samples)?;
    writeln!(out, "new   {}: {} samples\n", file.new, new.samples)?;
    let time = match rows.by {
        RankedTime::Own => "own time",
        RankedTime::Total => "total time",
    };
    let has_time = rows.by == RankedTime::Own && functions.iter().any(|it| it.own_time.is_some());
    let headings =
        [" base", " new", " change", " 95% interval", " z", "", PER_ITERATION, "function"];
    let headings = headings.into_iter().filter(|it| has_time || *it != PER_ITERATION);
    let mut table = Table::new(&headings.collect::<Vec<_>>())
        .narrowed(&["function"], &["95% interval", PER_ITERATION.trim()]);
    for function in &functions {
        let ShareChange { base, new, change, z } = of(function, rows.by);
        let mut row = vec![
            percent(base.estimate),
            percent(new.estimate),
            signed(change.estimate),
            format!("{} to {}", signed(change.lower), signed(change.upper)),
            format!("{z:+.1}"),
            if z.abs() >= threshold { "*".into() } else { String::new() },
        ];
        row.extend(has_time.then(|| per_iteration(function)));
        row.push(function.name.to_string());
        table.push_row(row);
    }
    if let Some(cause) = file.cause() {
        write_line(out, &cause)?;
        writeln!(out)?;
    }
    writeln!(out, "share of the {time}, change in points")?;
    table.write(out)?;
    writeln!(
        out,
        "\n*  no accident: |z| of {threshold:.1} or more, by samples alone. A profile shows where time \
         goes, not how much: when one share grows, the others shrink."
    )?;
    write_notes_below(&file.notes, out)
}

/// Writes both profiles and their functions, an object a line.
pub(crate) fn write_difference_as_json(
    file: &UnionFile,
    rows: &ProfileRows,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (functions, threshold) = file.functions();
    let [base, new] = file.union.sides();
    let whole = json!({
        "event": "profile_diff",
        "v": 1,
        "base": file.base,
        "new": file.new,
        "base_samples": base.samples,
        "new_samples": new.samples,
        "base_weight": base.total(),
        "new_weight": new.total(),
        "functions": functions.len(),
        "cause": file.cause(),
        "culprit_z": threshold,
        "notes": file.notes,
    });
    write_json_line(out, &whole)?;
    for function in ranked(functions, rows, usize::MAX) {
        let mut object = Map::new();
        object.insert("event".into(), "profile_change".into());
        object.insert("v".into(), 1.into());
        object.insert("function".into(), (*function.name).into());
        object.insert("culprit".into(), (function.own.z.abs() >= threshold).into());
        let [base, new] = function.weights;
        insert(&mut object, "own", [base.own, new.own], function.own);
        insert(&mut object, "total", [base.total, new.total], function.total);
        insert_time(&mut object, function.own_time);
        write_json_line(out, &Value::Object(object))?;
    }
    Ok(())
}

fn insert(object: &mut Map<String, Value>, time: &str, weights: [u64; 2], share: ShareChange) {
    let ShareChange { base, new, change, z } = share;
    for (key, value) in [
        ("base_weight", Value::from(weights[0])),
        ("new_weight", Value::from(weights[1])),
        ("base_share", base.estimate.into()),
        ("new_share", new.estimate.into()),
        ("change", change.estimate.into()),
        ("change_lower", change.lower.into()),
        ("change_upper", change.upper.into()),
        ("z", z.into()),
    ] {
        object.insert(format!("{time}_{key}"), value);
    }
}

fn insert_time(object: &mut Map<String, Value>, time: Option<TimeChange>) {
    for (key, value) in [
        ("own_base_ns", time.map(|it| it.base)),
        ("own_new_ns", time.map(|it| it.new)),
        ("own_change_ns", time.map(|it| it.change.estimate)),
        ("own_change_lower_ns", time.map(|it| it.change.lower)),
        ("own_change_upper_ns", time.map(|it| it.change.upper)),
        ("own_time_z", time.map(|it| it.z)),
    ] {
        object.insert(key.to_owned(), value.into());
    }
}

fn per_iteration(function: &FunctionChange) -> String {
    let Some(TimeChange { change, .. }) = function.own_time else { return String::new() };
    let [lower, upper] = [change.lower, change.upper].map(|ns| {
        let sign = if ns < 0.0 { "-" } else { "+" };
        format!("{sign}{}", quantity(ns.abs(), "ns"))
    });
    format!("{lower} to {upper}")
}

fn of(function: &FunctionChange, by: RankedTime) -> ShareChange {
    match by {
        RankedTime::Own => function.own,
        RankedTime::Total => function.total,
    }
}

/// The functions with the largest changes in either direction; of these, what grew most first.
fn ranked(
    mut functions: Vec<FunctionChange>,
    rows: &ProfileRows,
    listed: usize,
) -> Vec<FunctionChange> {
    let change = |function: &FunctionChange| of(function, rows.by).change.estimate;
    functions.sort_by(|one, other| change(other).abs().total_cmp(&change(one).abs()));
    functions.truncate(rows.top.unwrap_or(listed));
    functions.sort_by(|one, other| {
        change(other).total_cmp(&change(one)).then_with(|| one.name.cmp(&other.name))
    });
    functions
}

fn signed(change: f64) -> String {
    format!("{:+.2}", 100.0 * change)
}
