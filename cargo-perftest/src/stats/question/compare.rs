//! `stats compare`: compares inputs with the first one.

use super::comparison::InputComparison;
use super::{StatsOutput, labelled, noted, quantile_rows};
use crate::args::stats::Compare as Args;
use crate::exit::{Result, refuse};
use crate::report::{FunctionPlot, Histogram, Table, Unit, counted};
use crate::stats::input::Input;
use crate::stats::sample_description::SampleDescription;
use perftest_analysis::stats::trimmed_harrell_davis;
use perftest_analysis::words::{ShapeDetail, shape_of};
use perftest_core::stats::{bounded_probabilities, ratio, shift};
use serde_json::json;

pub(crate) fn compare(inputs: &[Input], args: &Args, ascii: bool) -> Result<StatsOutput> {
    let [reference, others @ ..] = inputs else {
        return refuse("two inputs are compared: give a second file");
    };
    let compared = others.iter().map(|other| InputComparison::of([reference, other], args));
    let compared = compared.collect::<Result<Vec<_>>>()?;
    Ok(match compared.as_slice() {
        [only] => of_two(only, args, ascii),
        _ if !args.probabilities.is_empty() => {
            return refuse(
                "--probabilities compares two inputs: leave out the others, or the option",
            );
        }
        all => StatsOutput {
            text: table(reference, all, args),
            json: json!({
                "event": "compare_table",
                "v": 1,
                "reference": reference.name,
                "rows": all.iter().map(InputComparison::as_json).collect::<Vec<_>>(),
            }),
        },
    })
}

/// Lists a row for each input, compared with the first one.
fn table(reference: &Input, all: &[InputComparison<'_>], args: &Args) -> String {
    let unit = Unit(&args.shown.unit);
    let others = all.iter().map(|compared| (compared.inputs[1], Some(compared)));
    let table = Table::of([(reference, None)].into_iter().chain(others))
        .column("input", |(input, _)| input.name.clone())
        .column(" values", |(input, _)| input.sample.size())
        .column(" median", |(input, _)| unit.format(input.sample.median()))
        .column(" ratio", |(_, it)| it.map_or_else(|| "1.000x".into(), InputComparison::ratio_cell))
        .column(" bounds", |(_, it)| it.map_or_else(String::new, InputComparison::bounds_cell))
        .column("answer", |(_, it)| {
            it.map_or_else(|| "the reference".into(), InputComparison::in_words)
        })
        .narrowed(&["input"], &["values", "bounds", "median"]);
    let mut notes: Vec<String> = Vec::new();
    for compared in all {
        let name = &compared.inputs[1].name;
        notes.extend(compared.notes().into_iter().map(|note| format!("{name}: {note}")));
    }
    table.text() + &noted(&notes)
}

fn of_two(compared: &InputComparison<'_>, args: &Args, ascii: bool) -> StatsOutput {
    let [before, current] = compared.inputs.map(|input| &input.sample);
    let unit = Unit(&args.shown.unit);
    let quantiles = quantile_rows::of_two(before, current, &args.probabilities, &unit);
    let mut text = text(compared, args, ascii);
    if !args.probabilities.is_empty() {
        text += &format!("\n{}", quantiles.text);
    }
    let mut json = compared.as_json();
    json["quantiles"] = quantiles.json;
    StatsOutput { text: text + &noted(&compared.notes()), json }
}

fn text(compared: &InputComparison<'_>, args: &Args, ascii: bool) -> String {
    let unit = Unit(&args.shown.unit);
    let line = |described: &SampleDescription<'_>| {
        let shape = shape_of(&described.parts, ShapeDetail::Fitting, |value| unit.format(value));
        let mut lines = vec![format!("{}: {shape}", counted(described.sample.size(), "value"))];
        let rare = described.format_rare_modes(&unit).into_iter();
        lines.extend(rare.map(|rare| format!("rare mode: {rare}")));
        lines
    };
    let [before, current] = compared.described.each_ref().map(line);
    let mut rows = vec![("before", before), ("current", current)];
    rows.extend(compared.shift.map(|shift| ("shift", vec![unit.range(shift)])));
    rows.extend(compared.ratio.map(|it| {
        ("ratio", vec![format!("{:.3}x [{:.3}, {:.3}]", it.estimate, it.lower, it.upper)])
    }));
    rows.extend(compared.effect_in_words().map(|words| ("effect", vec![words])));
    rows.extend(compared.quantiles_in_words().map(|words| ("quantiles", vec![words])));
    if !compared.modes.is_empty() {
        rows.push(("modes", compared.modes.iter().map(|pair| pair.in_words(&unit)).collect()));
    }
    rows.push(("answer", vec![compared.in_words()]));
    samples_drawn(compared, &unit, ascii)
        + &function_drawn(compared, &unit, ascii)
        + &labelled(&rows)
}

/// Plots both inputs on one axis.
fn samples_drawn(compared: &InputComparison<'_>, unit: &Unit<'_>, ascii: bool) -> String {
    let [before, current] = compared.described.each_ref().map(SampleDescription::bulk);
    let (from, to) = (before.0.min(current.0), before.1.max(current.1));
    let picture = Histogram { from, to, ascii };
    let mut text = String::new();
    for (label, described) in ["before", "current"].into_iter().zip(&compared.described) {
        let rows = picture.rows(described.drawn());
        let last = rows.len().saturating_sub(1);
        for (index, row) in rows.into_iter().enumerate() {
            let label = if index == last { label } else { "" };
            text += format!("{label:<9}{row}").trim_end();
            text += "\n";
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("{text}{:9}{}\n\n", "", picture.ends(&unit.format(from), &unit.format(to)))
}

/// Plots the ratio function over the quantiles that both inputs support. Without ratios, plots the
/// shift function.
fn function_drawn(compared: &InputComparison<'_>, unit: &Unit<'_>, ascii: bool) -> String {
    let [before, current] = &compared.spread;
    let probabilities = bounded_probabilities(before.size(), current.size());
    let at = |p: &f64| ratio(before, current, trimmed_harrell_davis, *p);
    let ratios: Option<Vec<f64>> = probabilities.iter().map(at).collect();
    let rows = match ratios {
        Some(values) => {
            FunctionPlot { values: &values, same: 1.0, ascii }.rows(|it| format!("{it:.3}x"))
        }
        None => {
            let at = |p: &f64| shift(before, current, trimmed_harrell_davis, *p);
            let values: Vec<f64> = probabilities.iter().map(at).collect();
            FunctionPlot { values: &values, same: 0.0, ascii }.rows(|it| unit.format(it))
        }
    };
    drawn_over(&rows, &probabilities)
}

/// Adds a line with the first and the last probability below a plot.
fn drawn_over(rows: &[String], probabilities: &[f64]) -> String {
    let (Some(first), Some(last)) = (probabilities.first(), probabilities.last()) else {
        return String::new();
    };
    if rows.is_empty() {
        return String::new();
    }
    let ends = format!("quantiles from {first:.2} to {last:.2}");
    rows.iter().map(|row| format!("{row}\n")).collect::<String>() + &ends + "\n\n"
}
