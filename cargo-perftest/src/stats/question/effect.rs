//! `stats effect`: a difference in units of the spread.

use super::{StatsOutput, labelled, noted};
use crate::args::stats::Effect as Args;
use crate::report::Table;
use crate::stats::case::json_number;
use crate::stats::input::Input;
use crate::stats::ticks;
use crate::stats::unit::Unit;
use perftest_analysis::stats::{disparity_bounds, gamma_effect_size, pooled_absolute_deviation};
use perftest_core::model::Sample;
use perftest_core::stats::{modes, quantile};
use serde_json::json;

pub(crate) fn effect(inputs: &[Input; 2], args: &Args) -> StatsOutput {
    let [before, current] = inputs.each_ref().map(|input| &input.sample);
    let unit = Unit(&args.shown.unit);
    let gammas: Vec<f64> = args
        .probabilities
        .iter()
        .map(|probability| gamma_effect_size(before, current, *probability))
        .collect();
    let deviation = pooled_absolute_deviation(before, current);
    let disparity = disparity_bounds(current, before, args.bounded.misrate / 2.0);
    let mut table = Table::new(&[" quantile", " before", " current", " effect size"]);
    for (probability, gamma) in args.probabilities.iter().zip(&gammas) {
        table.push([
            probability.to_string(),
            unit.format(quantile(before, *probability)),
            unit.format(quantile(current, *probability)),
            format!("{gamma:.2}"),
        ]);
    }
    let bounds = match disparity {
        Some(bounds) => format!(
            "{:.2} [{:.2}, {:.2}], wrong at most once in {:.0}",
            bounds.estimate,
            bounds.lower,
            bounds.upper,
            1.0 / args.bounded.misrate
        ),
        None => "too few values, or no spread, for bounds".into(),
    };
    let notes = notes(before, current, deviation);
    let rows = [("deviation", vec![unit.format(deviation)]), ("disparity", vec![bounds])];
    StatsOutput {
        text: table.text() + "\n" + &labelled(&rows) + &noted(&notes),
        json: json!({
            "event": "effect",
            "v": 1,
            "sources": inputs.each_ref().map(|input| &input.name),
            "unit": args.shown.unit,
            "counts": [before.size(), current.size()],
            "probabilities": args.probabilities,
            "gamma": gammas.iter().map(|gamma| json_number(*gamma)).collect::<Vec<_>>(),
            "deviation": json_number(deviation),
            "disparity": disparity.map(|bounds| json!({
                "estimate": json_number(bounds.estimate),
                "lower": json_number(bounds.lower),
                "upper": json_number(bounds.upper),
                "misrate": args.bounded.misrate,
            })),
            "notes": notes,
        }),
    }
}

fn notes(before: &Sample, current: &Sample, deviation: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if deviation == 0.0 {
        notes.push("neither input deviates: every difference is infinite in its unit".into());
    }
    let is_divided = |sample: &Sample| modes(&ticks::spread(sample, None).0).len() > 1;
    if is_divided(before) || is_divided(current) {
        notes.push(
            "of several modes the deviation is the distance between them, and hides real shifts: \
             compare mode by mode"
                .into(),
        );
    }
    notes
}
