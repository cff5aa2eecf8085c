//! `stats bounds`: estimates with bounds that assume nothing of the distribution.

use super::{StatsOutput, noted};
use crate::args::stats::{Bounds as Args, BoundsStep};
use crate::exit::CommandError;
use crate::report::Table;
use crate::stats::case::{Case, json_number, number};
use crate::stats::input::Input;
use crate::stats::op;
use crate::stats::unit::Unit;
use perftest_analysis::stats::median_bounds;
use serde_json::{Value, json};

/// An estimate with its bounds, or why there are none.
struct Row {
    what: &'static str,
    /// Whether it is in the unit of the numbers.
    has_unit: bool,
    estimate: Result<f64, String>,
    bounds: Result<(f64, f64), String>,
}

pub(crate) fn bounds(inputs: &[Input], args: &Args) -> Result<StatsOutput, CommandError> {
    let rows = match inputs {
        [input] => {
            let mut rows = vec![median(input, args)];
            rows.push(row("center", true, &[("x", input)], args)?);
            rows.push(row("spread", true, &[("x", input)], args)?);
            rows
        }
        // The current one is the first of Pragmastat.
        [before, current, ..] => {
            let both = [("x", current), ("y", before)];
            vec![
                row("shift", true, &both, args)?,
                row("ratio", false, &both, args)?,
                row("disparity", false, &both, args)?,
            ]
        }
        [] => Vec::new(),
    };
    let mut notes = Vec::new();
    if inputs.len() == 1 {
        notes.push(
            "the bounds of the center assume that the values lie about evenly round it".into(),
        );
    }
    if args.step == BoundsStep::Published {
        notes.push("published bounds miss up to twice as often as asked in small samples".into());
    }
    Ok(StatsOutput { text: text(&rows, args) + &noted(&notes), json: as_json(inputs, &rows, args) })
}

fn median(input: &Input, args: &Args) -> Row {
    let misrate = args.bounded.misrate;
    let bounds = median_bounds(&input.sample, misrate / 2.0);
    let needed = (2.0 / misrate).log2().ceil();
    Row {
        what: "median",
        has_unit: true,
        estimate: Ok(input.sample.median()),
        bounds: bounds
            .map(|it| (it.lower, it.upper))
            .ok_or_else(|| format!("too few values: {needed} are needed")),
    }
}

/// What the batch answers to the same question.
fn row(
    what: &'static str,
    has_unit: bool,
    inputs: &[(&str, &Input)],
    args: &Args,
) -> Result<Row, CommandError> {
    let input: Value = inputs
        .iter()
        .map(|(key, input)| ((*key).to_owned(), json!(input.sample.values())))
        .collect();
    let step = if args.step == BoundsStep::Published { "published" } else { "conservative" };
    let params = json!({ "misrate": args.bounded.misrate, "step": step, "seed": args.seed });
    let ask = |op: &str| {
        let answer = op::find(op).map(|answer| answer(&Case::new(input.clone(), params.clone())));
        answer
            .unwrap_or_else(|| Err(format!("there is no operation {op}")))
            .map_err(CommandError::Usage)
    };
    let estimate = ask(&format!("pragmastat_{what}"))?;
    let bounds = ask(&format!("pragmastat_{what}_bounds"))?;
    let output = &bounds["output"];
    Ok(Row {
        what,
        has_unit,
        estimate: number(&estimate["output"]).ok_or_else(|| reason(&estimate)),
        bounds: number(&output["lower"])
            .zip(number(&output["upper"]))
            .ok_or_else(|| reason(&bounds)),
    })
}

/// Which assumption failed, and what would help.
fn reason(violation: &Value) -> String {
    match violation["error"]["id"].as_str() {
        Some("sparity") => "no spread: most values agree".into(),
        Some("positivity") => "needs values above 0".into(),
        _ => "too few values: give more, or a larger --misrate".into(),
    }
}

fn text(rows: &[Row], args: &Args) -> String {
    let mut table = Table::new(&["", " estimate", "bounds"]);
    for row in rows {
        let unit = Unit(if row.has_unit { &args.shown.unit } else { "" });
        table.push([
            row.what.to_owned(),
            row.estimate.as_ref().map_or_else(|_| "-".into(), |it| unit.format(*it)),
            match (&row.bounds, &row.estimate) {
                (Ok((lower, upper)), _) => unit.ends(*lower, *upper),
                (_, Err(reason)) | (Err(reason), _) => reason.clone(),
            },
        ]);
    }
    table.text()
}

fn as_json(inputs: &[Input], rows: &[Row], args: &Args) -> Value {
    let row = |row: &Row| {
        let ends = row.bounds.as_ref().ok();
        json!({
            "what": row.what,
            "estimate": row.estimate.as_ref().ok().map(|it| json_number(*it)),
            "lower": ends.map(|(lower, _)| json_number(*lower)),
            "upper": ends.map(|(_, upper)| json_number(*upper)),
            "missing": row.estimate.as_ref().err().or(row.bounds.as_ref().err()),
        })
    };
    json!({
        "event": "bounds",
        "v": 1,
        "sources": inputs.iter().map(|input| &input.name).collect::<Vec<_>>(),
        "unit": args.shown.unit,
        "counts": inputs.iter().map(|input| input.sample.size()).collect::<Vec<_>>(),
        "misrate": args.bounded.misrate,
        "bounds": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
