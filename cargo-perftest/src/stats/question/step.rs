//! `stats step`: Skia's step fits, in the middle of the numbers or wherever they are.

use super::{StatsOutput, format_change, labelled};
use crate::args::series::Step as Args;
use crate::exit::CommandError;
use crate::report::{Table, ValuePlot};
use crate::stats::case_values::json_number_f32;
use crate::stats::input::Input;
use crate::stats::step_work::check_work;
use crate::stats::unit::{Unit, counted};
use perftest_analysis::detect::{StepArea, StepFit, StepKind, StepSearch, StepStatus};
use perftest_core::model::Sample;
use serde_json::{Value, json};

/// Rows of the table.
const LISTED: usize = 20;

pub(crate) fn step(input: &Input, args: &Args, ascii: bool) -> Result<StatsOutput, CommandError> {
    let kind = StepKind::named(&args.kind)
        .ok_or_else(|| CommandError::Usage(format!("there is no kind {}", args.kind)))?;
    let values: Vec<f32> = input.sample.values().iter().map(|value| *value as f32).collect();
    match args.radius {
        None => Ok(in_the_middle(input, args, kind, &values, ascii)),
        Some(0) => Err(CommandError::Usage("--radius has to be at least 1".into())),
        Some(radius) => {
            let window = radius.saturating_mul(2).min(values.len());
            check_work(kind, values.len(), window).map_err(CommandError::Usage)?;
            let search = StepSearch {
                kind,
                radius,
                threshold: args.threshold as f32,
                min_deviation: args.min_deviation as f32,
            };
            let mut output = anywhere(input, args, &search.areas(&values), ascii);
            let why = too_wide(&search, values.len());
            output.text.extend(why.iter().map(|why| format!("{why}\n")));
            output.json["why"] = why.into();
            Ok(output)
        }
    }
}

fn in_the_middle(
    input: &Input,
    args: &Args,
    kind: StepKind,
    values: &[f32],
    ascii: bool,
) -> StatsOutput {
    let fit = kind.fit(values, args.threshold as f32, args.min_deviation as f32);
    let turn = fit.map(|fit| fit.turning_point);
    let marks: Vec<_> = turn.into_iter().map(|turn| (turn..turn + 1, '^')).collect();
    let picture = ValuePlot(input.sample.values()).picture(&marks, ascii);
    let mut rows = vec![("step", vec![fit.map_or("none to measure".into(), |it| in_words(&it))])];
    if let Some(fit) = fit {
        rows.push(("levels", vec![levels(input, args, fit.turning_point)]));
        rows.push(("measured", vec![measured(args, &fit)]));
    }
    StatsOutput {
        text: picture + "\n" + &labelled(&rows),
        json: as_json(input, args, fit.map(|fit| fit_as_json(&fit)), "fit"),
    }
}

fn anywhere(input: &Input, args: &Args, areas: &[StepArea], ascii: bool) -> StatsOutput {
    let suspects = areas.iter().map(|area| (area.suspects.clone(), '~'));
    let peaks = areas.iter().map(|area| (area.peak..area.peak + 1, '^'));
    let marks: Vec<_> = suspects.chain(peaks).collect();
    let count = format!(
        "{} in {}, by {} at {}",
        areas.len(),
        counted(input.sample.size(), "value"),
        args.kind,
        args.threshold
    );
    let mut text = ValuePlot(input.sample.values()).picture(&marks, ascii);
    text += &format!("\n{}", labelled(&[("steps", vec![count])]));
    if !areas.is_empty() {
        let mut table = Table::new(&[" place", "direction", "suspects", " measured"]);
        for area in areas.iter().take(LISTED) {
            let suspects = format!("{} to {}", area.suspects.start + 1, area.suspects.end);
            let measured = format!("{:.4}", area.fit.regression);
            table.push([
                (area.peak + 1).to_string(),
                status(area.fit.status).into(),
                suspects,
                measured,
            ]);
        }
        text += &format!("\n{}", table.text());
        if areas.len() > LISTED {
            text += &format!("and {} more: --json lists all\n", areas.len() - LISTED);
        }
    }
    let area = |area: &StepArea| {
        let mut output = fit_as_json(&area.fit);
        output["place"] = json!(area.peak + 1);
        output["suspects"] = json!({ "from": area.suspects.start + 1, "to": area.suspects.end });
        output
    };
    let areas: Value = areas.iter().map(area).collect();
    StatsOutput { text, json: as_json(input, args, Some(areas), "steps") }
}

/// Why no step can be found, if none can.
fn too_wide(search: &StepSearch, count: usize) -> Option<String> {
    let radius = search.radius;
    let widest = StepSearch::widest(search.kind, count);
    if widest.is_some_and(|widest| radius <= widest) {
        return None;
    }
    let said = widest.map_or_else(
        || format!("no radius finds a step of this kind in {count}"),
        |widest| format!("here it can be {widest} at most"),
    );
    Some(format!("too few values for --radius {radius}: {said}"))
}

fn in_words(fit: &StepFit) -> String {
    match fit.status {
        StepStatus::Uninteresting => "none that reaches the threshold".into(),
        status_ => format!("{}, at place {}", status(status_), fit.turning_point + 1),
    }
}

fn levels(input: &Input, args: &Args, turn: usize) -> String {
    let unit = Unit(&args.shown.unit);
    let (before, after) = input.sample.values().split_at(turn);
    let [before, after] = [before, after].map(|it| Sample::median_of(it).unwrap_or(0.0));
    let change = format_change(before, after);
    format!("{} before, {} after  {change}", unit.format(before), unit.format(after))
        .trim()
        .to_owned()
}

fn measured(args: &Args, fit: &StepFit) -> String {
    format!("{:.4} by {}, and {} is the threshold", fit.regression, args.kind, args.threshold)
}

/// In the words of the fits: low is where the values went down.
fn status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Low => "low",
        StepStatus::High => "high",
        StepStatus::Uninteresting => "uninteresting",
    }
}

fn fit_as_json(fit: &StepFit) -> Value {
    json!({
        "place": fit.turning_point + 1,
        "status": status(fit.status),
        "step_size": json_number_f32(fit.step_size),
        "regression": json_number_f32(fit.regression),
    })
}

fn as_json(input: &Input, args: &Args, answer: Option<Value>, key: &str) -> Value {
    json!({
        "event": "step",
        "v": 1,
        "source": input.name,
        "unit": args.shown.unit,
        "count": input.sample.size(),
        "kind": args.kind,
        "threshold": args.threshold,
        "min_deviation": args.min_deviation,
        key: answer,
    })
}
